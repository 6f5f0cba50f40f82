// The theme, set before anything is painted, and its button. A plain script in <head>: a module would come too late.
(() => {
  const root = document.documentElement;
  const themes = { system: ["half", "follow the system"], light: ["sun", "light"], dark: ["moon", "dark"] };
  const names = Object.keys(themes);
  let theme = document.cookie.match(/(?:^|; )theme=(light|dark)/)?.[1] ?? "system";

  function show() {
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
    const button = document.getElementById("theme");
    if (!button) return;
    const [icon, words] = themes[theme];
    const use = button.querySelector("use");
    use.setAttribute("href", `${use.getAttribute("href").split("#")[0]}#${icon}`);
    button.setAttribute("aria-label", `Theme: ${words}`);
    button.hidden = false;
  }

  show();
  document.addEventListener("DOMContentLoaded", () => {
    show();
    document.getElementById("theme")?.addEventListener("click", () => {
      theme = names[(names.indexOf(theme) + 1) % names.length];
      const age = theme === "system" ? 0 : 31536000;
      document.cookie = `theme=${theme}; path=/; max-age=${age}; samesite=lax`;
      show();
    });
  });
})();
