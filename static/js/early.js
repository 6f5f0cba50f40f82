// What was chosen before htmx listened, on a slow line or kept by the browser when the page was loaded again, is told now.
addEventListener("load", () => {
  const chosen = [...document.querySelectorAll("[hx-trigger^=change] input:checked")];
  chosen.find((each) => !each.defaultChecked)?.dispatchEvent(new Event("change", { bubbles: true }));
});
