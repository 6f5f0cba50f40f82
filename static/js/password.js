// Buttons with data-show: the password in that field can be read while the button is pressed in.
import { _p } from "./words.js";

for (const button of document.querySelectorAll("[data-show]")) {
  const field = document.getElementById(button.dataset.show);
  button.hidden = false;
  button.addEventListener("click", () => {
    const shown = field.type === "text";
    field.type = shown ? "password" : "text";
    button.setAttribute("aria-pressed", String(!shown));
    button.textContent = shown ? _p("password", "Show") : _p("password", "Hide");
  });
  field.form.addEventListener("submit", () => (field.type = "password"));
}
