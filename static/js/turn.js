// Santorini: the board turned by quarters, kept in this browser. What the server sends is turned before it is put in
// place, so that a morph finds it where it stands; santorini.css turns the buttons. It comes when asked for.
import { _ } from "./words.js";

const board = document.getElementById("board");
const button = document.querySelector("[data-turn-board]");
const size = Number(/\bn(\d+)/.exec(board?.className)?.[1]);
const KEPT = "turn";
const times = () => Number(board.dataset.turn ?? 0);

// [row from the north, column from the west] as it is seen; three more quarters lead back.
const cell = (name) => [size - name.slice(1), name.charCodeAt(0) - 97];
const turned = ([r, c], quarters) => (quarters ? turned([c, size - 1 - r], quarters - 1) : [r, c]);
const seen = (piece) => turned(cell(piece.dataset.at ?? piece.id.slice(2)), times());

// How far right and down it moves.
function shift(piece) {
  const [[r, c], [tr, tc]] = [cell(piece.dataset.at ?? piece.id.slice(2)), seen(piece)];
  return piece.closest(".side") ? [62 * (tc - tr - c + r), 41 * (tc + tr - c - r)] : [100 * (tc - c), 100 * (tr - r)];
}

function place(piece) {
  const by = shift(piece);
  if (by.some(Boolean)) piece.setAttribute("transform", `translate(${by.join(" ")})`);
  else piece.removeAttribute("transform");
}

// The classes of a worker that has just come say where from.
function came(piece) {
  const told = (piece.dataset.came ??= piece.getAttribute("class")).split(" ");
  const sides = ["n", "w", "s", "e"];
  const now = told.map((word) => (sides.includes(word) ? sides[(sides.indexOf(word) + 4 - times()) % 4] : word));
  piece.setAttribute("class", now.join(" "));
}

// What stands in front comes last.
function order(drawing, pieces) {
  const depth = new Map(pieces.map((piece) => [piece, seen(piece).reduce((r, c) => r * size + c)]));
  const sorted = [...pieces].sort((a, b) => depth.get(a) - depth.get(b));
  if (sorted.some((piece, n) => piece !== pieces[n])) drawing.append(...sorted);
}

function draw(picture) {
  for (const drawing of picture.querySelectorAll(".side, #above")) {
    const pieces = [...drawing.querySelectorAll("[id], [data-at]")];
    pieces.forEach(place);
    pieces.filter((piece) => piece.classList.contains("came")).forEach(came);
    order(drawing, pieces);
  }
}

// The names along the two edges that are written on, of each drawing: which are letters depends on the turn.
function letter() {
  document.querySelectorAll("g.names text").forEach((text, i) => {
    text.textContent = [...text.textContent].map((name, n) => {
      const [r, c] = turned(i % 2 ? [n, 0] : [0, n], (4 - times()) % 4);
      return (i + times()) % 2 ? size - r : String.fromCharCode(97 + c);
    }).join("");
  });
}

function top() {
  const [r, c] = turned([0, 0], (4 - times()) % 4);
  return times() % 2 ? _("Column {column}", { column: String.fromCharCode(97 + c) }) : _("Row {row}", { row: size - r });
}

function turn(quarters) {
  if (quarters) board.dataset.turn = quarters;
  else delete board.dataset.turn;
  draw(document.getElementById("pieces"));
  letter();
}

if (size && button) {
  // Where nothing may be kept the board is turned for this page.
  const store = { get: () => Number(localStorage.getItem(KEPT)) & 3, set: (n) => localStorage.setItem(KEPT, n) };
  const tried = (act) => { try { return act(); } catch { return 0; } };
  button.addEventListener("click", () => {
    turn((times() + 1) % 4);
    tried(() => store.set(times()));
    document.getElementById("say").textContent = _("The board is turned. {side} is at the top.", { side: top() });
  });
  board.addEventListener("arena:placed", ({ target }) => place(target));
  document.addEventListener("htmx:oobBeforeSwap", ({ detail }) => {
    const picture = detail.target.id === "pieces" && detail.fragment.querySelector("#pieces");
    if (picture) draw(picture);
  });
  const kept = tried(store.get);
  if (kept) turn(kept);
}
