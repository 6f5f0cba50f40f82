// A match against a built-in player without a server: rules, boards and players that the analysis board has as well.
import { boardOf, tableOf } from "./boards/boards.js";
import { LEVELS } from "./players/levels.js";
import { think } from "./players/thinker.js";
import { begin } from "./rules/rules.js";
import { _ } from "./words.js";

const main = document.querySelector("main[data-offline]");
const { variant, settings, title } = JSON.parse(main.dataset.offline);
const draws = boardOf(variant);
const SIDES = [_("Orange"), _("Blue")];
// What thinks for as long as it takes elsewhere has this much here; and so long an answer waits at least, to be seen.
const [MOST_MS, LEAST_MS] = [3000, 400];
let mine = 0;
// Counts matches: an answer that was thought for an earlier one is not played.
let match = 0;
let at, played, thinking, held;
const KEPT = `arena-offline-${variant}`;

const one = (id) => document.getElementById(id);
const chosen = () => document.querySelector("input[name=level]:checked");

// A match outlives a reload, and a phone that throws its page away. Without a store it does not, and is played all the same.
function keep() {
  try {
    if (at.over || !played.length) localStorage.removeItem(KEPT);
    else localStorage.setItem(KEPT, JSON.stringify({ mine, level: chosen().value, played }));
  } catch { /* nothing can be kept here */ }
}

function kept() {
  try {
    const { mine, level, played } = JSON.parse(localStorage.getItem(KEPT));
    const found = played.reduce((at, move) => at.play(move), begin(variant, settings));
    return [0, 1].includes(mine) && Object.hasOwn(LEVELS, level) && !found.over ? { mine, level, played, at: found } : null;
  } catch {
    return null; // nothing was kept, or what this page cannot go on with
  }
}

function draw() {
  if (one("controls").contains(document.activeElement)) held = document.activeElement.id;
  const drawn = document.createElement("template");
  drawn.innerHTML = draws.pieces(at, played.at(-1), title);
  one("pieces").replaceWith(drawn.content);
  one("controls").innerHTML = draws.controls(at);
  one("reader").innerHTML = tableOf(variant, at);
  document.dispatchEvent(new CustomEvent("htmx:afterSettle")); // roving, Nim and Santorini dress what is new
  // While the other one thinks the focus waits on the board, and nothing there can be pressed.
  one("controls").inert = at.over || thinking;
  if (![document.body, one("board")].includes(document.activeElement) || !held) return;
  (!one("controls").inert && one(held) || one("board")).focus({ preventScroll: true });
}

function say(words, tone = "") {
  one("status").className = `status ${tone}`;
  one("status").textContent = words;
  if (at.over) one("status").scrollIntoView({ block: "nearest" });
}

function told(before) {
  const name = chosen().dataset.title;
  if (!at.over) return say(before + _("Your turn: you are {side}.", { side: SIDES[mine] }), "accent");
  if (at.winner === null) return say(before + _("A draw: nobody can move any more."));
  if (at.winner === mine) return say(before + _("You won. New game?"), "won accent");
  say(before + _("{name} won. New game?", { name }), "lost");
}

function play(move) {
  at = at.play(move);
  played.push(move);
  keep();
}

async function answer(before = "") {
  const [asked, level] = [match, chosen().value];
  const name = chosen().dataset.title;
  thinking = true;
  draw();
  say(before + _("{name} is thinking …", { name }));
  const shown = new Promise((resolve) => setTimeout(resolve, LEAST_MS));
  const seconds = LEVELS[level].seconds;
  const question = { act: "choose", variant, settings, moves: [...played], level, seed: Math.floor(Math.random() * 2 ** 31) };
  const found = await think({ ...question, ms: seconds ? seconds * 1000 : MOST_MS }).catch(() => null);
  await shown;
  if (asked !== match) return;
  thinking = false;
  if (found === null) {
    draw();
    return say(_("{name} could not be loaded: open this page once with a network, then press New game.", { name }), "danger");
  }
  play(found);
  draw();
  told(`${_("{name} played {move}.", { name, move: draws.named(found) })} `);
}

function start() {
  match += 1;
  [at, played, thinking] = [begin(variant, settings), [], false];
  keep();
  if (mine) return answer(`${_("New game: you are {side}.", { side: SIDES[mine] })} `);
  draw();
  told("");
}

one("board").addEventListener("submit", (event) => {
  event.preventDefault();
  if (thinking || at.over) return;
  const move = new FormData(event.target, event.submitter).getAll("move").join("");
  if (!at.legal().includes(move)) return say(_("That cannot be played here. Choose a marked place."), "warn");
  play(move);
  if (at.over) return draw(), told("");
  answer();
});
one("steps").addEventListener("submit", (event) => event.preventDefault());
one("again").addEventListener("click", () => {
  mine = 1 - mine; // who began is second now
  start();
  one("board").focus({ preventScroll: true });
});

function goOn(found) {
  main.dataset.begun = "";
  [mine, played, at, thinking] = [found.mine, found.played, found.at, false];
  document.querySelector(`input[name=level][value="${found.level}"]`).checked = true;
  const goesOn = `${_("Your match goes on.")} `;
  if (at.toMove !== mine) return answer(goesOn);
  draw();
  told(goesOn);
}

const before = kept();
if (before) goOn(before);
else start();
think({ act: "ready" }).catch(() => {});
