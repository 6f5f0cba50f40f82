// The switch of the sound. The tones come when it is on: most readers never ask for them.
import { bring } from "./later.js";
import { set } from "./prefs.js";

const wanted = () => document.documentElement.dataset.sound === "on";

function show() {
  for (const button of document.querySelectorAll("button[data-sound]")) {
    button.ariaPressed = wanted();
    const use = button.querySelector("use");
    use?.setAttribute("href", `${use.getAttribute("href").split("#")[0]}#${wanted() ? "sound" : "mute"}`);
  }
  if (wanted()) bring(document.querySelector(".acts[data-script]"));
}

if (document.querySelector("button[data-sound]")) {
  show();
  document.addEventListener("arena:preference", show);
  document.addEventListener("click", ({ target }) => target.closest("button[data-sound]") && set("sound", wanted() ? "off" : "on"));
}
