// Preferences are attributes of <html>, written by the server. Here they are changed without a new page.
import "./opened.js";
import { _ } from "./words.js";

const root = document.documentElement;
const form = document.getElementById("theme-form");
const themes = {
  system: ["half", _("Theme: follow the system")], light: ["sun", _("Theme: light")], dark: ["moon", _("Theme: dark")],
};
const names = Object.keys(themes);
const usual = {
  theme: "system", view: "auto", confirm: "off", keys: "on", sound: "off", aloud: "off", heights: "on", talk: "on",
  challenges: "on", language: "auto",
};

function show(name, value) {
  if (root.dataset[name] === value) return;
  root.dataset[name] = value;
  if (name === "theme") button();
  document.dispatchEvent(new CustomEvent("arena:preference", { detail: { name, value } }));
}

function button() {
  const at = form?.querySelector("button");
  if (!at) return;
  const theme = root.dataset.theme;
  const use = at.querySelector("use");
  use.setAttribute("href", `${use.getAttribute("href").split("#")[0]}#${themes[theme][0]}`);
  at.ariaLabel = themes[theme][1];
  at.value = names[(names.indexOf(theme) + 1) % names.length];
}

function keep() {
  const pairs = Object.keys(usual).filter((name) => root.dataset[name] !== usual[name]).map((name) => `${name}:${root.dataset[name]}`);
  document.cookie = `prefs=${pairs.join(".")}; path=/; max-age=${pairs.length ? 31536000 : 0}; samesite=lax`;
}

// With an account the server keeps it as well, for the other devices.
export function set(name, value) {
  show(name, value);
  keep();
  if (!form?.hasAttribute("data-account")) return;
  const body = new FormData(form);
  body.set(name, value);
  fetch("/settings/one/", { method: "POST", body, headers: { Accept: "application/json" }, keepalive: true }).catch(() => {});
}

form?.addEventListener("submit", (event) => {
  event.preventDefault();
  set("theme", form.querySelector("button").value);
});

// From the back-forward cache, or without a network, a page comes as it was: since then something may have been chosen.
addEventListener("pageshow", (event) => {
  if (!event.persisted && !document.querySelector("#copy, main[data-offline]")) return;
  const kept = document.cookie.match(/(?:^|; )prefs="?([^;"]*)/)?.[1] ?? "";
  const chosen = new Map(kept.split(".").map((pair) => pair.split(":")));
  for (const name in usual) show(name, chosen.get(name) ?? usual[name]);
});

// Open menus and questions close with Escape, when something else is pressed, and with a choice, once its form is on its
// way; a question whose button is pressed stays.
const menus = () => document.querySelectorAll("details:is(.menu, .actions)[open]");

function close(menu) {
  menu.open = false;
  menu.querySelector("summary").focus();
}

addEventListener("keydown", (event) => event.key === "Escape" && menus().forEach(close));
document.addEventListener("click", ({ target }) => {
  for (const menu of menus()) {
    if (!menu.contains(target)) menu.open = false;
    else if (target.closest(".menu-list :is(a, button), [data-keep]")) setTimeout(close, 0, menu);
  }
});
