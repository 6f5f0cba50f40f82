// Connect Four as arena/web/drawing/connect_four.py draws it, character for character, without a server.
import { _ } from "../words.js";

export function pieces(at, last, title) {
  const { columns, rows, asRead } = at.shape;
  const [first, second] = at.stones;
  const { marks } = at;
  const fallen = last ? rows - stones(at, Number(last)) + 1 : 0;
  const drawn = asRead.flatMap((bits, r) => bits.map((bit, c) => {
    const seat = first & bit ? 0 : second & bit ? 1 : null;
    if (seat === null) return "";
    const fell = last && Number(last) === c + 1 && fallen === r + 1 ? ` class="drop drop-${fallen}"` : "";
    return `<use id="p-${c + 1}-${rows - r}"${marks & bit ? " data-hit" : ""} href="#d${seat}"${fell} x="${66 + 100 * c}" y="${162 + 100 * r}"/>`;
  }));
  const ring = last ? `<circle class="last" cx="${100 * Number(last) - 34}" cy="${62 + 100 * fallen}" r="41.5"/>` : "";
  return (
    `<svg id="pieces"${marks ? ' class="won"' : ""} viewBox="0 0 ${100 * columns + 32} ${100 * rows + 168}" role="img" ` +
    `aria-label="${_("{title}, after move {number}", { title, number: at.ply })}"><use class="plate" href="#c4-${columns}x${rows}-back"/>${drawn.join("")}` +
    `<use class="plate" href="#c4-${columns}x${rows}-front"/>${marks ? finished(at) : ring}</svg>`
  );
}

export function controls(at) {
  const [{ columns, rows }, seat] = [at.shape, at.ply % 2];
  const buttons = [...Array(columns)].map((none, c) => {
    const [column, lying] = [c + 1, stones(at, c + 1)];
    const start = `<button id="col-${c + 1}"`;
    if (lying === rows) return `${start} type="button" aria-disabled="true" aria-label="${_("Column {column}, full", { column })}"></button>`;
    if (at.over) return `${start} type="button" aria-disabled="true" aria-describedby="status" aria-label="${_("Column {column}", { column })}"></button>`;
    const height = 100 * rows + 168;
    return (
      `${start} type="submit" name="move" value="${c + 1}" aria-label="${_("Column {column}, lands on row {row}", { column, row: lying + 1 })}">` +
      `<svg class="ghost" viewBox="0 0 100 ${height}" aria-hidden="true"><use href="#d${seat}" x="50" y="47"/>` +
      `<circle class="landing s${seat}" cx="50" cy="${162 + 100 * (rows - 1 - lying)}" r="35"/>` +
      `<text class="digit" x="50" y="${height - 15}">${c + 1}</text></svg></button>`
    );
  });
  return `<div class="cols" role="group" aria-label="${_("Columns")}" data-roving="row">${buttons.join("")}</div>`;
}

export function reader(at) {
  const { columns, rows, asRead } = at.shape;
  const [first, second] = at.stones;
  const said = (bit) => (first & bit ? _("orange") : second & bit ? _("blue") : _("empty"));
  const head = [...Array(columns)].map((none, c) => `<th scope="col">${c + 1}</th>`);
  const body = asRead.map((bits, r) => {
    const cells = bits.map((bit) => `<td>${said(bit)}</td>`);
    return `<tr><th scope="row">${_("Row {row}", { row: rows - r })}</th>${cells.join("")}</tr>`;
  });
  return `<tr><td></td>${head.join("")}</tr>${body.join("")}`;
}

export const named = (move) => _("column {column}", { column: move });
export const subject = named;

function stones(at, column) {
  return at.shape.asRead.filter((bits) => at.mask & bits[column - 1]).length;
}

// Every line of four or more among the marked cells; one disc may finish several.
function finished(at) {
  const marked = at.shape.asRead.map((bits) => bits.map((bit) => Boolean(at.marks & bit)));
  const is = (r, c) => marked[r]?.[c] ?? false;
  let drawn = "";
  for (const [dr, dc] of [[0, 1], [1, 0], [1, 1], [1, -1]]) {
    marked.forEach((row, r) => row.forEach((none, c) => {
      if (!is(r, c) || is(r - dr, c - dc)) return;
      let length = 1;
      while (is(r + length * dr, c + length * dc)) length++;
      if (length < 4) return;
      const far = Math.round(1000 * (length - 1) * Math.hypot(dr, dc)) / 10;
      const turned = dr ? 90 - 45 * dc : 0;
      const place = `transform="translate(${66 + 100 * c} ${162 + 100 * r})rotate(${turned})"`;
      const path = `d="M0-46h${far}a46 46 0 0 1 0 92h-${far}a46 46 0 0 1 0-92z" ${place}`;
      drawn += `<path class="line-under" ${path}/><path class="line-over" ${path}/>`;
    }));
  }
  return drawn;
}
