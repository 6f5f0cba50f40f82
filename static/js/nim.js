// Nim: what follows from the choice, stones that are pressed, digits and R. Without it the form is sent as it stands.
import { _ } from "./words.js";

const board = document.getElementById("board");
const panel = () => board.querySelector(".takes");
const mine = () => board.querySelector("#take[type=submit]");
let typed = "";
let typedAt = 0;

const amount = () => Number(board.querySelector('[name="move"]:checked, #take-n')?.value) || 0;
const range = (most) => (most > 1 ? _("1 to {most}", { most }) : "1");

function show() {
  for (const stone of board.querySelectorAll("[data-was]")) {
    stone.setAttribute("href", stone.dataset.was);
    delete stone.dataset.was;
  }
  for (const step of board.querySelectorAll("[data-more]")) step.hidden = false;
  if (!mine()) return;
  // What has the focus is chosen, also where it kept it while the other one moved.
  const focused = board.querySelector("[type=radio]:focus");
  if (focused) focused.checked = true;
  const { stones, largest, seat } = panel().dataset;
  const take = amount();
  const left = stones - take;
  const high = Math.max(largest, take);
  const said = { take, left, largest: high, most: range(Math.min(high + 1, left)), bound: range(Math.min(3, left)) };
  for (const place of board.querySelectorAll("[data-n]")) {
    const words = String(said[place.dataset.n]);
    if (place.textContent !== words) place.textContent = words;
  }
  board.querySelector(".then").toggleAttribute("data-all", !left);
  for (let n = Number(stones); n > left; n--) {
    const stone = document.getElementById(`p-${n}`);
    if (!stone) continue;
    stone.dataset.was = stone.getAttribute("href");
    stone.setAttribute("href", `#nk${seat}`);
  }
}

function choose(take, focus) {
  const radio = document.getElementById(`take-${take}`);
  const field = document.getElementById("take-n");
  if (radio) radio.checked = true;
  else if (field && take >= 1 && take <= field.max) field.value = take;
  else return;
  if (focus) (radio ?? field).focus();
  show();
}

function pressed(event) {
  const { key, target } = event;
  if (!mine() || event.ctrlKey || event.altKey || event.metaKey) return;
  if (/^[rR]$/.test(key) && document.documentElement.dataset.keys !== "off") board.querySelector("#reset:enabled")?.click();
  if (!/^\d$/.test(key) || target.id === "take-n") return;
  typed = Date.now() - typedAt < 600 ? typed + key : key;
  typedAt = Date.now();
  choose(document.getElementById(`take-${typed}`) ? typed : key, true);
}

if (board?.classList.contains("nim")) {
  board.addEventListener("input", show);
  board.addEventListener("keydown", pressed);
  board.addEventListener("click", ({ target }) => {
    const by = target.closest("[data-more]")?.dataset.more;
    const stone = target.closest('#pieces [id^="p-"]');
    if (by) choose(amount() + Number(by));
    if (stone && mine()) choose(panel().dataset.stones - stone.id.slice(2) + 1, true);
  });
  for (const swapped of ["htmx:wsAfterMessage", "htmx:afterSettle", "htmx:oobAfterSwap"]) document.addEventListener(swapped, show);
  show();
}
