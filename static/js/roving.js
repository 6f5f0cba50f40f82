// One tab stop for a row of columns or a grid of cells; arrows, Home, End and digits move inside it.
// The buttons come from the server without tabindex, so that without this file each can still be reached.
let current = "";
let typed = "";
let typedAt = 0;

function settle() {
  const group = document.querySelector("[data-roving]");
  if (!group) return;
  const buttons = [...group.querySelectorAll("button")];
  const usual = group.dataset.roving === "row" ? buttons[buttons.length >> 1] : group.querySelector(".target") ?? buttons[0];
  const focused = buttons.find((button) => button === document.activeElement);
  const stop = focused ?? buttons.find((button) => button.id === current) ?? usual;
  for (const button of buttons) button.tabIndex = button === stop ? 0 : -1;
}

function reach(button) {
  if (!button) return;
  current = button.id;
  button.focus();
  settle();
}

function inRow(buttons, here, key) {
  const to = { ArrowLeft: here - 1, ArrowRight: here + 1, Home: 0, End: buttons.length - 1 }[key];
  if (to !== undefined) return buttons[Math.max(0, Math.min(to, buttons.length - 1))];
  if (!/^\d$/.test(key)) return undefined;
  const now = Date.now();
  typed = now - typedAt < 600 ? typed + key : key;
  typedAt = now;
  return buttons[Number(typed) - 1] ?? buttons[Number(key) - 1];
}

// Places are counted with the gaps, so that up and down stay in their file. On a turned board the arrows lead where
// they point: turn.js says how often it is turned.
function inGrid(group, button, key) {
  let step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -1], End: [0, 1] }[key];
  if (!step) return undefined;
  for (let n = group.closest("[data-turn]")?.dataset.turn ?? 0; n > 0; n--) step = [-step[1], step[0]];
  const rows = [...group.querySelectorAll('[role="row"]')].map((row) => [...row.children]);
  let r = rows.findIndex((row) => row.includes(button));
  let c = rows[r].indexOf(button);
  let to = button;
  while ((key.startsWith("Arrow") ? to === button : true) && rows[(r += step[0])]?.[(c += step[1])]) {
    if (rows[r][c].id) to = rows[r][c];
  }
  return to;
}

document.addEventListener("keydown", (event) => {
  const group = event.target.closest?.("[data-roving]");
  if (!group || event.ctrlKey || event.altKey || event.metaKey) return;
  const buttons = [...group.querySelectorAll("button")];
  const to = group.dataset.roving === "row"
    ? inRow(buttons, buttons.indexOf(event.target), event.key)
    : inGrid(group, event.target, event.key);
  if (!to) return;
  event.preventDefault();
  event.stopPropagation();
  reach(to);
});
document.addEventListener("focusin", (event) => {
  if (!event.target.closest("[data-roving]")) return;
  current = event.target.id;
  settle();
});
for (const swapped of ["htmx:wsAfterMessage", "htmx:afterSettle", "htmx:oobAfterSwap"]) document.addEventListener(swapped, settle);
settle();

// The first move from the home page leads to another page: a player who made it with a key goes on from the same place.
const LEFT = "board-focus";
const tried = (act) => { try { return act(); } catch {} };
document.getElementById("board")?.addEventListener("submit", ({ target }) => {
  const { id } = target.querySelector(":focus-visible") ?? {};
  if (id && !target.hasAttribute("ws-send")) tried(() => sessionStorage.setItem(LEFT, id));
});
if (document.querySelector("main[data-match]")) {
  document.getElementById(tried(() => sessionStorage.getItem(LEFT)))?.focus();
  tried(() => sessionStorage.removeItem(LEFT));
}
