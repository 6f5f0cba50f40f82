// Santorini: a turn in three steps from what the board says is legal. Nothing is asked before the whole turn is sent.
import { bring } from "./later.js";
import { set } from "./prefs.js";
import { _ } from "./words.js";

const board = document.getElementById("board");
const one = (selector) => board.querySelector(selector);
const squares = () => [...board.querySelectorAll(".grid button")];
const at = (name) => document.getElementById(`t-${name}`);
const height = (name) => Number(/up(\d)/.exec(at(name).className)?.[1] ?? 0);
const number = () => at(path[0]).ariaLabel.match(new RegExp(_("your worker {n}", { n: "(\\d)" })))[1];
const DOME = _("you can build here, becomes a dome");
const [UP, HERE, WINS] = [_("you can step up here"), _("you can step here"), _("you can step up and win")];
const [SELECTED, CHOOSE, BUILD] = [_("selected"), _("you can choose it"), _("you can build here")];
// What could be done with a square before, in its label.
const SAID = new RegExp(`, (${[DOME, UP, HERE, WINS, SELECTED, CHOOSE, BUILD].join("|")})$`);
let told, turns, path, least, mover, won;

function read() {
  const now = one(".grid")?.dataset.legal ?? "";
  if (now === told) return;
  [told, turns, mover, won] = [now, {}, "", ""];
  for (const [, from, to, sites] of now.matchAll(/(\w+)>(\w+)\+?([\w,]*)/g)) (turns[from] ??= {})[to] = sites.split(",");
  // A worker that is the only one to move is chosen already.
  path = Object.keys(turns).length === 1 ? Object.keys(turns) : [];
  least = path.length;
}

// The looks of a square, its words, and the turn that it completes.
function state(name) {
  const [from, to] = path;
  if (name === (to ?? from)) return ["chosen", SELECTED];
  if (to) {
    if (!turns[from][to].includes(name)) return [""];
    return [`target build${name === from ? " from" : ""}`, height(name) === 3 ? DOME : BUILD, `${from}-${to}+${name}`];
  }
  const sites = turns[from]?.[name];
  if (sites && !sites[0]) return ["target win", WINS, `${from}-${name}`];
  if (sites) return height(name) > height(from) ? ["target up", UP] : ["target step", HERE];
  return turns[name] ? [from ? "pick" : "target pick", CHOOSE] : [""];
}

function put(element, values) {
  for (const [name, value] of Object.entries(values)) value ? element.setAttribute(name, value) : element.removeAttribute(name);
}

function dress(square) {
  const name = square.id.slice(2);
  const [look, said = "", move = ""] = state(name);
  put(square, {
    class: `up${height(name)} ${look}`,
    type: move ? "submit" : "button",
    form: "",
    name: move && "move",
    value: move,
    "aria-disabled": !/target|pick/.test(look) && "true",
    "aria-selected": look === "chosen" && "true",
    "aria-label": square.ariaLabel.replace(SAID, "") + (said && `, ${said}`),
  });
}

// The worker stands where it is going to.
function preview(name, who) {
  const all = squares();
  const size = Math.sqrt(all.length);
  const [r, c] = [Math.floor(all.indexOf(at(name)) / size), all.indexOf(at(name)) % size];
  const places = { w: [62 * (c - r), 41 * (c + r) - [0, 19, 36, 51][height(name)]], v: [26 + 100 * c, 26 + 100 * r] };
  for (const [drawing, [x, y]] of Object.entries(places)) {
    const worker = document.getElementById(`${drawing}-${one(".grid").dataset.seat}${who}`);
    if (worker.getAttribute("x") === `${x}` && worker.getAttribute("y") === `${y}`) continue;
    put(worker, { x: `${x}`, y: `${y}`, "data-at": name });
    worker.parentNode.append(worker);
    worker.dispatchEvent(new CustomEvent("arena:placed", { bubbles: true }));
  }
}

// A picture comes before its controls: the turn may have been played in another tab.
const isOld = () => document.getElementById("live")?.dataset.ply - one("[name=ply]")?.value >= 0;

function show() {
  read();
  if (!told) return;
  squares().forEach(dress);
  const [from, to] = path;
  const n = from && number();
  const words = [_("Choose a worker."), from && _("Move worker {n}.", { n }), _("Choose where to build.")];
  const moved = to && _("Worker {n} moved to {square}, height {height}.", { n, square: to, height: height(to) });
  const more = [_("Then where it goes, then where it builds."), _("One level up at most."), moved];
  const [b, span] = [...one(".steps p").children].slice(-2);
  for (const [place, said] of [[b, words[path.length]], [span, more[path.length]]]) if (place.textContent !== said) place.textContent = said;
  [...one(".chips").children].forEach((chip, n) => (chip.className = ["now", "done"][Math.sign(path.length - n)] ?? ""));
  put(one("#t-undo"), { type: "button", form: "", "aria-disabled": path.length <= least && "true" });
  if (from) mover = [from, number()];
  if (mover && !isOld()) preview(to ?? (won || mover[0]), mover[1]);
  return words[path.length];
}

// Read aloud; what comes with a turn is not.
function step(to) {
  [path, won] = [to, ""];
  document.getElementById("say").textContent = show();
}

const undo = () => step(path.slice(0, Math.max(least, path.length - 1)));

function press({ target }) {
  const square = target.closest(".grid button, #t-undo");
  if (!square || !told) return;
  const name = square.id.slice(2);
  // A step that wins is the whole turn: its worker stays there until the new controls come.
  if (square.name === "move") return path[1] || (won = name);
  if (/undo|chosen/.test(name + square.className)) return undo();
  if (!square.ariaDisabled) step(turns[path[0]]?.[name] ? [path[0], name] : [name]);
}

function key(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || !told) return;
  if (event.key === "Escape") return undo();
  if (document.documentElement.dataset.keys === "off") return;
  if (/^[fF]$/.test(event.key)) return document.querySelector("[data-turn-board]").click();
  const which = { w: _("your worker {n}", { n: "" }).trim(), t: "target" }[event.key.toLowerCase()];
  if (!which) return;
  const found = squares().filter((square) => `${square.className}${square.ariaLabel}`.includes(which));
  found[(found.indexOf(document.activeElement) + 1) % found.length]?.focus();
}

// -- the view --

const narrow = matchMedia("(max-width: 40rem), (max-height: 30rem)");
const root = document.documentElement.dataset;

function pressedView() {
  const now = root.view === "auto" ? (narrow.matches ? "above" : "3d") : root.view;
  for (const button of document.querySelectorAll(".views button[value]")) button.ariaPressed = button.value === now;
}

function view(event) {
  event.preventDefault();
  set("view", event.submitter.value);
}

if (board?.classList.contains("santorini")) {
  board.addEventListener("click", press);
  board.addEventListener("keydown", key);
  for (const swapped of ["htmx:wsAfterMessage", "htmx:afterSettle", "htmx:oobAfterSwap"]) document.addEventListener(swapped, show);
  document.querySelector(".views").addEventListener("submit", view);
  document.addEventListener("arena:preference", pressedView);
  narrow.addEventListener("change", pressedView);
  pressedView();
  show();
  // Where nothing may be kept the board was not left turned.
  try {
    if (localStorage.getItem("turn") > 0) bring(document.querySelector("[data-turn-board]"));
  } catch {}
}
