// Santorini as arena/web/drawing/santorini.py and santorini_grid.py draw it, character for character, without a server.
// The steps of a turn are chosen by js/santorini.js, which reads `data-legal`.
import { _, _p } from "../words.js";

const LIFTS = [0, 19, 36, 51, 51];
const [DOME, SKY] = [4, 112];
const CHIPS = [_p("step of a turn", "worker"), _p("step of a turn", "move"), _p("step of a turn", "build")];
const QUIET = 'type="button" aria-disabled="true"';
const STEP = 'type="submit" form="steps" name="sel"';

export function pieces(at, last, title) {
  const { size, cell } = at.grid;
  const [origin, target, site] = went(last).map((name) => cell.get(name) ?? -1);
  const [side, front, above] = [['<use href="#s-side"/>'], [], ['<use href="#s-above"/>']];
  at.heights.forEach((level, here) => {
    if (level || at.workers.includes(here) || [origin, target, site].includes(here)) draw(at, here, { origin, target, site }, side, front, above);
  });
  const half = 62 * size + 20;
  const box = `viewBox="${-half} ${-SKY} ${2 * half} ${82 * size + 3 + SKY}" aria-hidden="true"`;
  return (
    `<div id="pieces" class="both" role="img" aria-label="${_("{title}, after move {number}", { title, number: at.ply })}">` +
    `<svg class="side" ${box}>${side.join("")}</svg><svg class="side front" ${box}>${front.join("")}</svg>` +
    `<svg class="above" aria-hidden="true"><svg id="above" viewBox="0 0 ${100 * size + 52} ${100 * size + 52}">${above.join("")}` +
    "</svg></svg></div>"
  );
}

export function controls(at) {
  const legal = at.placing || at.over ? new Map() : turns(at);
  const path = legal.size === 1 ? [...legal.keys()] : [];
  return grid(at, legal, path) + steps(at, legal, path);
}

export function reader(at) {
  const { size } = at.grid;
  const head = [...Array(size)].map((none, c) => `<th scope="col">${String.fromCharCode(97 + c)}</th>`);
  const cells = at.heights.map((none, cell) => `<td>${read(at, cell)}</td>`);
  const body = head.map((none, r) => `<tr><th scope="row">${size - r}</th>${cells.slice(r * size, (r + 1) * size).join("")}</tr>`);
  return `<tr><td></td>${head.join("")}</tr>${body.join("")}`;
}

function read(at, cell) {
  const [level, index] = [at.heights[cell], at.workers.indexOf(cell)];
  const words = level === DOME ? _("dome") : _("height {n}", { n: level });
  if (index < 0) return words;
  return `${words}, ${_("worker {n} of {colour}", { n: Math.floor(index / 2) + 1, colour: [_("Orange"), _("Blue")][index % 2] })}`;
}

export function named(move) {
  const [origin, target, site] = move.split(/[-+]/);
  if (!target) return _("a worker on {square}", { square: move });
  return site ? _("{origin} to {target}, building on {site}", { origin, target, site }) : _("{origin} to {target}", { origin, target });
}

export function subject(move) {
  const [origin, target, site] = move.split(/[-+]/);
  if (!target) return named(move);
  return site ? _("moving {origin} to {target} and building on {site}", { origin, target, site }) : _("moving {origin} to {target}", { origin, target });
}

// Where the last move came from, where it went and what it built; a placed worker comes from nowhere.
function went(move) {
  const [origin, target, site] = (move ?? "").split(/[-+]/);
  return target ? [origin, target, site] : [undefined, origin, undefined];
}

function draw(at, cell, last, side, front, above) {
  const { size, names } = at.grid;
  const [name, level] = [names[cell], at.heights[cell]];
  const [r, c] = [Math.floor(cell / size), cell % size];
  const [x, y, left, top] = [62 * (c - r), 41 * (c + r), 26 + 100 * c, 26 + 100 * r];
  const fresh = cell === last.site;
  const below = level - fresh;
  if (below) {
    side.push(`<use id="b-${name}" href="#k${below}" x="${x}" y="${y}"/>`);
    above.push(`<use id="l-${name}" href="#l${below}" x="${left}" y="${top}"/>`);
  }
  if (fresh) {
    side.push(
      `<use id="f-${name}" class="built" href="#k${level}" x="${x}" y="${y}"/>` +
      `<text class="more" data-at="${name}" x="${x}" y="${y - LIFTS[level] + 5}">+1</text>`);
    above.push(
      `<use id="g-${name}" class="built" href="#l${level}" x="${left}" y="${top}"/>` +
      `<text class="more" data-at="${name}" x="${left + 20}" y="${top + 30}">+1</text>`);
  }
  if (cell === last.origin || cell === last.target) {
    side.push(`<use data-at="${name}" href="#m${level}" x="${x}" y="${y}"/>`);
    above.push(`<use data-at="${name}" href="#m" x="${left}" y="${top}"/>`);
  }
  const index = at.workers.indexOf(cell);
  if (index < 0) return;
  const number = `${index % 2}${Math.floor(index / 2) + 1}`;
  const here = `${cell === last.target ? came(size, last) : ""} data-at="${name}"`;
  front.push(`<use id="w-${number}"${here} href="#q${number}" x="${x}" y="${y - LIFTS[level]}"/>`);
  above.push(`<use id="v-${number}"${here} href="#v${number}" x="${left}" y="${top}"/>`);
}

function came(size, { origin, target }) {
  if (origin < 0) return ' class="built"';
  const across = (origin % size) - (target % size);
  const down = Math.floor(origin / size) - Math.floor(target / size);
  return ` class="came ${["w", "", "e"][across + 1]} ${["n", "", "s"][down + 1]}"`;
}

// -- the choice: from a worker's square to where it may go, from there to where it may build --

function turns(at) {
  const found = new Map();
  for (const move of at.legal()) {
    const [origin, target, site] = move.split(/[-+]/);
    if (!found.has(origin)) found.set(origin, new Map());
    const targets = found.get(origin);
    targets.set(target, [...(targets.get(target) ?? []), ...(site ? [site] : [])]);
  }
  return found;
}

function grid(at, legal, path) {
  const { size, names } = at.grid;
  const cells = names.map((name, cell) => square(at, cell, name, legal, path));
  const rows = [...Array(size)].map((none, r) => `<div role="row">${cells.slice(r * size, (r + 1) * size).join("")}</div>`);
  const told = [...legal].flatMap(([origin, targets]) => [...targets].map(([target, sites]) => (
    `${origin}&gt;${target}${sites.length ? `+${sites.join(",")}` : ""}`
  )));
  const words = told.length ? ` data-legal="${told.join(";")}"` : "";
  return `<div class="grid" role="grid" aria-label="${_("Board")}" data-roving="grid" data-seat="${at.ply % 2}"${words}>${rows.join("")}</div>`;
}

function square(at, cell, name, legal, path) {
  const level = at.heights[cell];
  const [look, act, said] = state(at, cell, name, legal, path);
  const classes = `${level ? `up${level} ` : ""}${look}`.trim();
  return `<button id="t-${name}" role="gridcell"${classes ? ` class="${classes}"` : ""} ${act} aria-label="${described(at, cell, name)}${said && `, ${said}`}"></button>`;
}

function described(at, cell, name) {
  const [level, index] = [at.heights[cell], at.workers.indexOf(cell)];
  if (level === DOME) return `${name}, ${_("dome")}`;
  const words = `${name}, ${_("height {n}", { n: level })}`;
  if (index < 0) return words;
  const n = Math.floor(index / 2) + 1;
  return `${words}, ${index % 2 === at.ply % 2 ? _("your worker {n}", { n }) : _("their worker {n}", { n })}`;
}

function state(at, cell, name, legal, path) {
  const posts = (move) => `type="submit" name="move" value="${move}"`;
  if (at.over) return ["", QUIET, ""];
  if (at.placing) return at.workers.includes(cell) ? ["", QUIET, ""] : ["target place", posts(name), _("you can place here")];
  if (path.includes(name)) return ["chosen", 'type="button" aria-selected="true" aria-disabled="true"', _("selected")];
  const [origin] = path;
  const sites = legal.get(origin)?.get(name);
  if (sites && !sites.length) return ["target win", posts(`${origin}-${name}`), _("you can step up and win")];
  if (sites) {
    const up = at.heights[cell] > at.heights[at.grid.cell.get(origin)] ? "up" : "step";
    return [`target ${up}`, `${STEP} value="${origin},${name}"`, up === "up" ? _("you can step up here") : _("you can step here")];
  }
  if (legal.has(name)) return [origin ? "pick" : "target pick", `${STEP} value="${name}"`, _("you can choose it")];
  return ["", QUIET, ""];
}

function steps(at, legal, path) {
  const [words, more] = instruction(at, path);
  const now = legal.size ? path.length : -1;
  const chips = CHIPS.map((name, n) => `<li${n < now ? ' class="done"' : n === now ? ' class="now"' : ""}>${name}</li>`);
  const lead = at.over ? "" : '<strong class="lead">' + _("Your turn") + "</strong> ";
  return (
    `<div class="steps card${at.over ? "" : " yours"}"><p class="grow">${lead}<b>${words}</b> ` +
    `<span class="muted">${more}</span></p><ol class="chips" aria-hidden="true">${chips.join("")}</ol>` +
    `<button id="t-undo" class="btn sm" type="button" aria-disabled="true">${_("Undo step")}</button></div>`
  );
}

function instruction(at, path) {
  if (at.over) return [_("The match is over."), ""];
  if (at.placing) return [at.workers.length > 1 ? _("Place your second worker.") : _("Place your first worker."), _("Any free square.")];
  if (!path.length) return [_("Choose a worker."), _("Then where it goes, then where it builds.")];
  const worker = at.workers.indexOf(at.grid.cell.get(path[0]));
  return [_("Move worker {n}.", { n: Math.floor(worker / 2) + 1 }), _("One level up at most.")];
}
