// The analysis board: any position of a match and whatever is played from there, drawn here, with or without a network.
// The values of the match itself came with the page; those of other positions are asked of the server, and proved by our
// own kernel where nobody answers.
import { boardOf, tableOf } from "./boards/boards.js";
import { think } from "./players/thinker.js";
import { begin } from "./rules/rules.js";
import { _, _p } from "./words.js";

const MOST_LISTED = 10;
const [SERVER_MS, OWN_MS] = [3000, 1500];
// A server that was too busy or too far away is asked so often again, more patiently, where our own kernel proves too little.
const [TRIES, AGAIN_MS, PATIENT_MS] = [5, 2000, 20000];
const WORDS = { won: ["▲", _p("a move", "wins")], drawn: ["▬", _("draws")], lost: ["▼", _("loses")] };

const told = JSON.parse(document.querySelector("main[data-board]").dataset.board);
const { variant, settings, played, title } = told;
const draws = boardOf(variant);
const known = new Map();
let { ply, line } = told;
// The number of the move that is tried again, 0 where none is; what `best` answers to it comes a little later.
let trying = 0;
const ANSWER_MS = 900;

const one = (id) => document.getElementById(id);
const moves = () => [...played.slice(0, ply), ...line];
const positions = (all) => all.reduce((found, move) => [...found, found.at(-1).play(move)], [begin(variant, settings)]);
const capital = (text) => text[0].toUpperCase() + text.slice(1);

// -- values: n wins after n plies, -n loses, 0 draws, "w" and "l" are results without a distance, null is unknown --

const result = (entry) => (entry === null ? null : entry === "w" || entry > 0 ? "won" : entry === 0 ? "drawn" : "lost");
function words(entry) {
  if (typeof entry !== "number" || !entry) return WORDS[result(entry)][1];
  return entry > 0 ? _("wins in {n}", { n: (entry + 1) >> 1 }) : _("loses in {n}", { n: -entry >> 1 });
}

// Greater is better for who moves: quick wins first, late losses before early ones.
function worth(entry) {
  const [base, none] = { won: [3000, 1500], drawn: [0, 0], lost: [-3000, -1500] }[result(entry)];
  return typeof entry === "number" ? base - entry : base - none;
}

async function asked(at, ms = SERVER_MS) {
  const address = `/analysis/${variant}/values/?position=${encodeURIComponent(at)}`;
  const answer = await fetch(address, { signal: AbortSignal.timeout(ms) });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return (await answer.json()).values;
}

// While the position is looked at; what comes is shown in place of what was unknown.
async function askAgain(at, all) {
  const isShown = () => moves().join() === all.join();
  for (let tries = 0; tries < TRIES && navigator.onLine && isShown(); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    const found = await asked(at, PATIENT_MS).catch(() => null);
    if (!found) continue;
    known.set(String(at), Promise.resolve(found));
    return isShown() && showValues(at, all);
  }
}

async function valuesOf(at, all) {
  const key = String(at);
  if (!line.length && told.values[ply]) return told.values[ply];
  if (!known.has(key)) {
    const own = () => think({ act: "values", variant, settings, moves: all, ms: OWN_MS });
    const prove = async () => {
      const found = await own();
      if (found.includes(null)) askAgain(at, all);
      return found;
    };
    known.set(key, asked(at).catch(prove));
    known.get(key).catch(() => known.delete(key));
  }
  return known.get(key);
}

function column(move, entry, isBest, isPlayed) {
  const item = document.createElement("li");
  const tone = entry === undefined ? "" : result(entry) ?? "";
  item.className = [tone, isBest && "best", isPlayed && "played"].filter(Boolean).join(" ");
  const sign = tone && Object.assign(document.createElement("span"), { textContent: WORDS[tone][0] });
  sign && sign.setAttribute("aria-hidden", "true");
  const said = entry === undefined ? _("full") : entry === null ? _("unknown") : words(entry).replace(/(?<= .*) /g, "\u00a0");
  item.append(...[Object.assign(document.createElement("b"), { textContent: move }), sign, said].filter(Boolean));
  if (isPlayed) item.append(Object.assign(document.createElement("span"), { className: "vh", textContent: `, ${_("played")}` }));
  return item;
}

// -- your mistakes: the position before one, its values hidden until a move was tried --

const LOST = { won: _("{move} threw away the win."), drawn: _("{move} missed the draw.") };
const KEEPS = { won: _("{said}: it wins."), drawn: _("{said}: it keeps the draw.") };

// What the position is worth to who moves there.
function bestOf(number) {
  const entries = told.values[number - 1].filter((entry) => entry !== null);
  return result(entries.reduce((best, entry) => (worth(entry) > worth(best) ? entry : best)));
}

function ask() {
  const before = bestOf(trying);
  const said = document.createElement("p");
  const task = before === "won" ? _("Find a move that wins.") : _("Find a move that keeps the draw.");
  said.append(Object.assign(document.createElement("b"), { textContent: `${_("Move {n}", { n: trying })}. ` }));
  said.append(`${LOST[before].replace("{move}", capital(draws.subject(played[trying - 1])))} ${task}`);
  one("values").replaceChildren(said);
  one("values").removeAttribute("aria-busy");
  one("say").textContent = said.textContent;
}

function button(words, act) {
  const made = Object.assign(document.createElement("button"), { type: "button", className: "btn", textContent: words });
  made.addEventListener("click", act);
  return made;
}

// Any move that keeps the result is right; what is wrong is answered by the strongest player there is.
async function judge(move) {
  const number = trying;
  const legal = positions(played.slice(0, number - 1)).at(-1).legal();
  const entry = told.values[number - 1][legal.indexOf(move)];
  const isRight = entry !== null && result(entry) === bestOf(number);
  const said = document.createElement("p");
  said.append(Object.assign(document.createElement("b"), { textContent: `${isRight ? _("Right") : _("Not this one")}. ` }));
  const leads = entry === null ? "" : `${capital(draws.subject(move))} ${words(entry)}`;
  said.append(entry === null ? _("Nothing has been proved about it.") : isRight ? KEEPS[result(entry)].replace("{said}", leads) : `${leads}.`);
  const next = told.mistakes[(told.mistakes.indexOf(number) + 1) % told.mistakes.length];
  const acts = Object.assign(document.createElement("p"), { className: "row" });
  if (!isRight) acts.append(button(_("Try again"), () => retry(number)));
  if (told.mistakes.length > 1) acts.append(button(_("Next mistake"), () => retry(next)));
  acts.append(button(_("Show all values"), () => stopTrying(number)));
  one("values").replaceChildren(said, acts);
  one("say").textContent = said.textContent;
  if (isRight || moves().length !== number) return;
  const all = moves();
  if (positions(all).at(-1).over) return;
  const shown = new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
  const reply = await think({ act: "choose", variant, settings, moves: all, level: "best", seed: number, ms: OWN_MS });
  await shown;
  if (trying !== number || moves().join() !== all.join()) return;
  line = [...line, reply];
  drawBoard(positions(moves()).at(-1), reply);
  mark();
  said.append(` ${_("The answer is {move}.", { move: draws.named(reply) })}`);
}

function retry(number) {
  trying = number;
  [ply, line] = [number - 1, []];
  show();
  one("board").focus();
}

function stopTrying(number) {
  trying = 0;
  go(number - 1);
}

function sentence(at, legal, entries, best) {
  const next = line.length ? undefined : played[ply];
  if (best === null) return _("Nothing is proved here.");
  const choice = legal[entries.findIndex((entry) => entry !== null && worth(entry) === best)];
  const first = entries[legal.indexOf(choice)];
  const said = `${capital(draws.subject(choice))} ${words(first)}.`;
  const made = entries[legal.indexOf(next)];
  if (made === undefined || made === null || worth(made) === best) return said;
  const named = { move: capital(draws.subject(next)), wins: words(made) };
  if (result(made) === result(first)) return `${said} ${_("{move} was played: it {wins}, so nothing changed.", named)}`;
  if (result(first) === "won") return `${said} ${_("{move} was played: it {wins}, but a win was possible.", named)}`;
  return `${said} ${_("{move} was played: it {wins}, but a draw was possible.", named)}`;
}

function list(at, entries) {
  const legal = at.legal();
  const proved = entries.filter((entry) => entry !== null);
  const whole = proved.length === entries.length || proved.some((entry) => result(entry) === "won");
  const best = proved.length && whole ? Math.max(...proved.map(worth)) : null;
  const box = document.createElement("ul");
  box.className = "worths list-plain";
  box.setAttribute("aria-label", _("What each move leads to for {colour}", { colour: [_("Orange"), _("Blue")][at.ply % 2] }));
  const next = line.length ? undefined : played[ply];
  let shown = legal;
  if (at.shape) {
    box.classList.add(`of${at.shape.columns}`);
    shown = [...Array(at.shape.columns)].map((none, n) => String(n + 1));
  } else if (legal.length > MOST_LISTED) {
    const ranked = legal.filter((none, n) => entries[n] !== null).sort((a, b) => worth(entries[legal.indexOf(b)]) - worth(entries[legal.indexOf(a)]));
    shown = ranked.slice(0, MOST_LISTED);
    if (next && ranked.includes(next) && !shown.includes(next)) shown[MOST_LISTED - 1] = next;
  }
  for (const move of shown) {
    const entry = entries[legal.indexOf(move)];
    const name = at.shape ? move : draws.named(move);
    box.append(column(name, entry, best !== null && entry !== undefined && entry !== null && worth(entry) === best, move === next));
  }
  return [box, sentence(at, legal, entries, best)];
}

async function showValues(at, all) {
  const place = one("values");
  if (at.over) {
    const won = at.winner === null ? _("The match is drawn.") : _("{colour} has won.", { colour: [_("Orange"), _("Blue")][at.winner] });
    return place.replaceChildren(Object.assign(document.createElement("p"), { textContent: won }));
  }
  place.setAttribute("aria-busy", "true");
  let found;
  try {
    found = list(at, await valuesOf(at, all));
  } catch {
    found = [document.createElement("p"), _("The values could not be found: neither the server nor this browser can prove them now.")];
  }
  if (trying || moves().join() !== all.join()) return; // the board has gone on meanwhile
  const said = document.createElement("p");
  said.append(Object.assign(document.createElement("b"), { textContent: `${_("Move {n}", { n: at.ply + 1 })}. ` }), found[1]);
  place.replaceChildren(found[0], said);
  place.removeAttribute("aria-busy");
}

// -- the board --

function drawBoard(at, last) {
  const focused = document.activeElement?.closest("#controls") && document.activeElement.id;
  const fragment = document.createElement("template");
  fragment.innerHTML = draws.pieces(at, last, title);
  const target = one("pieces");
  // turn.js turns what comes in by this event, wherever it comes from.
  document.dispatchEvent(new CustomEvent("htmx:oobBeforeSwap", { detail: { target, fragment: fragment.content } }));
  target.replaceWith(fragment.content);
  one("controls").innerHTML = draws.controls(at);
  one("reader").innerHTML = tableOf(variant, at);
  document.dispatchEvent(new CustomEvent("htmx:afterSettle"));
  one(focused || "")?.focus();
}

function mark() {
  for (const row of document.querySelectorAll("#moves [aria-current]")) row.removeAttribute("aria-current");
  const row = document.querySelector(`#m-${ply} a`);
  const list = one("moves");
  if (row) {
    row.setAttribute("aria-current", "step");
    const from = row.getBoundingClientRect().top - list.getBoundingClientRect().top;
    if (from < 0 || from > list.clientHeight - row.offsetHeight) list.scrollTop += from - list.clientHeight / 2;
  }
  document.querySelector(".bars .here")?.classList.remove("here");
  if (!line.length) document.querySelector(`.bars [data-step="${ply}"]`)?.classList.add("here");
  one("at").textContent = _("Move {n} of {all}", { n: ply, all: played.length });
  one("line").hidden = !line.length;
  one("line").textContent = line.length ? _("Your line after move {n}: {moves}", { n: ply, moves: line.map(draws.named).join(", ") }) : "";
  const ends = { first: !ply && !line.length, back: !ply && !line.length, forward: line.length || ply >= played.length, last: !line.length && ply >= played.length };
  for (const [name, off] of Object.entries(ends)) {
    const step = document.querySelector(`[data-go="${name}"]`);
    off ? step.setAttribute("aria-disabled", "true") : step.removeAttribute("aria-disabled");
  }
}

function show() {
  const all = moves();
  const at = positions(all).at(-1);
  drawBoard(at, all.at(-1));
  mark();
  const form = one("play-on");
  form.elements.moves.value = all.join(",");
  form.querySelector("button").disabled = at.over;
  one("board").elements.ply.value = ply;
  one("board").elements.line.value = line.join(",");
  const query = new URLSearchParams({ ply, ...(line.length && { line: line.join(",") }) });
  history.replaceState(null, "", `?${query}`);
  const last = all.at(-1);
  if (trying) return line.length || ply >= trying ? judge(all[trying - 1]) : ask();
  one("say").textContent = last ? `${_("Move {n}", { n: all.length })}: ${draws.named(last)}` : _("The first position");
  showValues(at, all);
}

function go(to) {
  trying = 0;
  [ply, line] = [Math.max(0, Math.min(to, played.length)), []];
  show();
}

function back() {
  trying = 0;
  if (line.length) line = line.slice(0, -1);
  else ply = Math.max(0, ply - 1);
  show();
}

function play(move) {
  if (trying && (line.length || ply >= trying)) trying = 0; // the move was tried, the rest is looking around
  if (!line.length && played[ply] === move) ply += 1;
  else line = [...line, move];
  show();
}

const ACTS = { first: () => go(0), back, forward: () => line.length || go(ply + 1), last: () => go(played.length) };

document.addEventListener("click", (event) => {
  const step = event.target.closest("[data-go], [data-step]");
  if (!step || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (step.hasAttribute("aria-disabled")) return;
  if (step.dataset.go) ACTS[step.dataset.go]();
  else go(Number(step.dataset.step));
});

document.addEventListener("keydown", (event) => {
  const act = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" }[event.key];
  const busy = event.target.closest("input, select, textarea, #controls, [role=group]");
  if (!act || busy || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  ACTS[act]();
});

one("mistakes")?.addEventListener("click", () => retry(told.mistakes[0]));

one("board").addEventListener("submit", (event) => {
  event.preventDefault();
  const move = new FormData(event.target, event.submitter).getAll("move").join("");
  if (positions(moves()).at(-1).legal().includes(move)) play(move);
});

told.trying ? retry(told.trying) : show();
// While there is a network: later nothing is left to fetch.
think({ act: "ready" }).then(() => (document.querySelector("main[data-board]").dataset.ready = ""), () => {});
