// Nim as arena/web/drawing/nim.py draws it, character for character, without a server.
import { _, _n } from "../words.js";

const MOST_BUTTONS = 12;
const range = (most) => (most === 1 ? "1" : _("1 to {most}", { most }));
const NAMES = [_("Orange"), _("Blue")];

function trayOf(start) {
  const across = start <= 100 ? 10 : start <= 400 ? 20 : 40;
  const rows = Math.ceil(start / across);
  const x = (stone) => 60 + 60 * ((stone - 1) % across) + 22 * Math.floor(((stone - 1) % across) / 5);
  const rowY = (row) => 60 * (rows - row);
  const width = 60 * across + 22 * (Math.floor(across / 5) - 1) + 60;
  return { across, width, height: 60 * rows + 60, x, rowY, y: (stone) => rowY(Math.floor((stone - 1) / across)) };
}

export function pieces(at, last, title) {
  const tray = trayOf(at.start);
  const full = Math.floor((at.stones - at.most) / tray.across);
  const between = (first, end) => [...Array(Math.max(0, end - first + 1))].map((_, n) => first + n);
  const rows = between(0, full - 1).map((row) => `<use id="r-${row}" href="#nim-row" y="${tray.rowY(row)}"/>`);
  const loose = between(full * tray.across + 1, at.stones);
  const drawn = loose.map((n) => `<use id="p-${n}" href="#ns${n % 5}" x="${tray.x(n)}" y="${tray.y(n)}"/>`);
  const gone = last ? between(at.stones + 1, at.stones + Number.parseInt(last, 10)) : [];
  const taken = gone.map((n) => `<use id="x-${n}" class="taken" href="#nt${1 - (at.ply % 2)}" x="${tray.x(n)}" y="${tray.y(n)}"/>`);
  const words = _n("{n} stone left of {start}. Maximum so far {largest}.", "{n} stones left of {start}. Maximum so far {largest}.", at.stones, at);
  return (
    `<svg id="pieces" viewBox="0 0 ${tray.width} ${tray.height}" role="img" aria-label="${title}: ${words}">` +
    `<use href="#nim-tray"/>${rows.join("")}${drawn.join("")}${taken.join("")}</svg>`
  );
}

export function controls(at) {
  const [seat, yours] = [at.ply % 2, !at.over];
  const most = yours ? at.most : Math.min(at.stones, at.largest + 1);
  return (
    `<div class="takes card${yours ? " yours" : ""}" data-stones="${at.stones}" data-largest="${at.largest}" ` +
    `data-seat="${seat}" role="group" aria-labelledby="asked">${head(at, yours)}${amounts(most, at, yours)}${reset(at, seat, yours)}${after(at, NAMES[1 - seat], yours)}</div>`
  );
}

export function reader(at) {
  const of = (n, all) => _("{n} of {all}", { n, all });
  const facts = [[_("Stones left"), of(at.stones, at.start)], [_("Maximum so far"), at.largest]];
  if (at.each !== 0) {
    at.resets.forEach((left, seat) => {
      facts.push([_("Resets left of {colour}", { colour: NAMES[seat] }), left === null ? _("unlimited") : of(left, at.each)]);
    });
  }
  if (!at.over) facts.push([_("{colour} may take", { colour: NAMES[at.toMove] }), range(at.most)]);
  return facts.map(([name, value]) => `<tr><th scope="row">${name}</th><td>${value}</td></tr>`).join("");
}

export function named(move) {
  const count = Number.parseInt(move, 10);
  return move.endsWith("r") ? _n("{n} stone and a reset", "{n} stones and a reset", count) : _n("{n} stone", "{n} stones", count);
}
export const subject = (move) => _("taking {stones}", { stones: named(move) });

function head(at, yours) {
  if (!yours) return `<p id="asked">${_("No stone is left")}</p><p class="may num"></p>`;
  const n = range(at.most);
  const said = at.bound ? `<b>${_("After the reset you may take {n} this turn.", { n })}</b>` : _("{left} left · you may take {n}", { left: at.stones, n });
  return `<p id="asked">${_("Your turn")}<span class="vh">: ${_("how many do you take?")}</span></p><p class="may small num">${said}</p>`;
}

function amounts(most, at, yours) {
  const of = yours ? "" : ' form="nobody" aria-disabled="true"';
  if (most > MOST_BUTTONS) {
    return (
      '<div class="amounts"><button class="btn square" type="button" data-more="-1" hidden>−</button>' +
      `<input id="take-n" type="number" inputmode="numeric" name="move" min="1" max="${most}" value="1" required` +
      `${of} aria-label="${_("Stones to take, from 1 to {most}", { most })}">` +
      '<button class="btn square" type="button" data-more="1" hidden>+</button></div>'
    );
  }
  const radios = [...Array(most)].map((none, i) => (
    `<label><input id="take-${i + 1}" type="radio" name="move" value="${i + 1}"${of}${i ? "" : " checked"} ` +
    `aria-label="${_("Take {n}, leaves {left}", { n: i + 1, left: at.stones - i - 1 })}"><span aria-hidden="true">${i + 1}</span></label>`
  ));
  return `<div class="amounts" role="radiogroup" aria-label="${_("Stones to take")}">${radios.join("")}</div>`;
}

function reset(at, seat, yours) {
  if (at.each === 0) return "";
  const left = at.resets[seat];
  const tag = left === null ? "" : ` <span class="tag num">${_("{n} of {all} left", { n: left, all: at.each })}</span>`;
  const spent = left === 0;
  const words = spent ? _("You have used all your resets of this match.")
    : _("{name} may then take 1 to 3 stones, on the next turn only. The maximum stays as it is.", { name: NAMES[1 - seat] });
  const state = spent ? " disabled" : yours ? "" : ' form="nobody" aria-disabled="true"';
  return (
    `<label class="switchrow"><input id="reset" type="checkbox" role="switch" name="move" value="r"${state} ` +
    `aria-describedby="reset-does"><span><b>${_("Use reset")}</b>${tag}<br>` +
    `<span id="reset-does" class="small muted">${words}</span></span></label>`
  );
}

function after(at, other, yours) {
  if (!yours) {
    return (
      '<div class="then"><p class="after"></p>' +
      `<button id="take" class="btn" type="button" aria-disabled="true" aria-describedby="status">${_("Take")}</button></div>`
    );
  }
  const left = at.stones - 1;
  const [most, bound] = [Math.max(at.largest, 1) + 1, 3].map((each) => (left ? range(Math.min(each, left)) : ""));
  return (
    `<div class="then"${left ? "" : " data-all"}><p class="after num">` +
    `<span class="some">${_("<b>{left} left</b> after this. {off}{on}", {
      left: `<span data-n="left">${left}</span>`,
      off: `<span class="off">${_("{name} may take {n}.", { name: other, n: `<b data-n="most">${most}</b>` })}</span>`,
      on: `<span class="on">${_("{name} may take {n}, this turn only. The maximum stays at {largest}.", {
        name: other, n: `<b data-n="bound">${bound}</b>`, largest: `<span data-n="largest">${at.largest}</span>`,
      })}</span>`,
    })}</span>` +
    `<span class="all">${_("That takes the last stone: you win.")}</span></p>` +
    `<p class="plain">${_("{name} may take one more than the most that was taken so far; after a reset 1 to 3.", { name: other })}</p>` +
    `<button id="take" class="btn primary" type="submit">${_("Take {n}", { n: '<span data-n="take">1</span>' })}` +
    `<span class="on"> ${_("and reset")}</span></button></div>`
  );
}
