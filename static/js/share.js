// The system's sheet for sharing, where there is one: a button with data-share appears and offers that address.
for (const button of document.querySelectorAll("[data-share]")) {
  button.hidden = !navigator.share;
  button.addEventListener("click", () => {
    const url = new URL(button.dataset.share, location.href).href;
    navigator.share({ title: button.dataset.title, url }).catch(() => {});
  });
}
