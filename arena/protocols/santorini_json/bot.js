// A bot for the protocol `santorini-json`: Santorini on 6 by 6. Node 16 or newer, no packages.
//
//     node santorini_json_bot.js NAME HOST 4204                                                     on a server
//     manage.py match santorini-6x6 "santorini-json:node santorini_json_bot.js NAME" builtin:club   here, without one
//
// JSON values both ways. A cell of the board is a height, or the text "2max1" for worker 1 of max on height 2;
// board[y][x] is counted from the north-west. The player who is not the opponent that `new_game` named is us.
"use strict";
const net = require("net");

const SIZE = 6;
const EAST_WEST = { "-1": "WEST", 0: "PUT", 1: "EAST" }, NORTH_SOUTH = { "-1": "NORTH", 0: "PUT", 1: "SOUTH" };
const SQUARES = [...Array(SIZE * SIZE).keys()]; // a square is y * SIZE + x
const far = (square) => (2 * (square % SIZE) - 5) ** 2 + (2 * Math.floor(square / SIZE) - 5) ** 2;
const CENTRE_FIRST = [...SQUARES].sort((a, b) => far(a) - far(b));

const across = (from, to) => (to % SIZE) - (from % SIZE);
const down = (from, to) => Math.floor(to / SIZE) - Math.floor(from / SIZE);
const near = (square) =>
  SQUARES.filter((to) => to !== square && Math.abs(across(square, to)) <= 1 && Math.abs(down(square, to)) <= 1);
const way = (from, to) => [EAST_WEST[across(from, to)], NORTH_SOUTH[down(from, to)]];

// Heights and workers by square; what a row leaves out is free ground.
function readBoard(rows, opponent) {
  const heights = SQUARES.map(() => 0), workers = new Map();
  rows.forEach((row, y) => row.forEach((cell, x) => {
    heights[y * SIZE + x] = Number(String(cell)[0]);
    if (typeof cell !== "string") return;
    const player = cell.slice(1, -1);
    workers.set(y * SIZE + x, { player, id: Number(cell.slice(-1)), ours: player !== opponent });
  }));
  return { heights, workers };
}

// Every legal turn. A step to height 3 wins, and goes without a build.
function* turns({ heights, workers }) {
  for (const [start, worker] of workers) {
    for (const to of worker.ours ? near(start) : []) {
      if (workers.has(to) || heights[to] > Math.min(heights[start] + 1, 3)) continue;
      if (heights[to] === 3) yield { start, to };
      else for (const site of near(to))
        if (heights[site] < 4 && (site === start || !workers.has(site))) yield { start, to, site };
    }
  }
}

// A win is best; a turn that lets the other step to height 3 is worst; between them, high is good.
function worth({ to, site }, { heights, workers }) {
  if (site === undefined) return 1000;
  const isTop = (square) => heights[square] + (square === site ? 1 : 0) === 3 && square !== to && !workers.has(square);
  const loses = [...workers].some(([at, worker]) => !worker.ours && heights[at] >= 2 && near(at).some(isTop));
  return 10 * heights[to] + (heights[site] <= heights[to] ? heights[site] : 0) - (loses ? 500 : 0);
}

function takeTurn(rows, opponent) {
  const board = readBoard(rows, opponent);
  const best = [...turns(board)].reduce((a, b) => (worth(b, board) > worth(a, board) ? b : a));
  const { player, id } = board.workers.get(best.start);
  const move = ["move", { player, id }, way(best.start, best.to)];
  return best.site === undefined ? [move] : [move, ["build", way(best.to, best.site)]];
}

function place(placed) {
  const square = CENTRE_FIRST.find((square) => !placed.some(({ x, y }) => y * SIZE + x === square));
  return ["place", square % SIZE, Math.floor(square / SIZE)];
}

// The length of the first whole value of `text`, 0 while its end has not come. Values come in pieces, or glued.
function lengthOfValue(text) {
  let depth = 0, inText = false;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') inText = !inText; // names hold letters only: there is nothing to escape
    else if (!inText && "[{".includes(text[i])) depth++;
    else if (!inText && "]}".includes(text[i])) depth--;
    if (depth === 0 && !inText) return i + 1;
  }
  return 0;
}

const [name, host, port] = process.argv.slice(2);
if (!name || (host && !port)) {
  console.error("usage: node santorini_json_bot.js NAME [HOST PORT]");
  process.exit(2);
}
const socket = host ? net.connect(port, host) : null;
socket?.on("error", (error) => { console.error(`no connection: ${error.message}`); process.exit(1); });
const send = (value) => (socket ?? process.stdout).write(`${JSON.stringify(value)}\n`);

let opponent = "", unread = "";
send(["join", name]);
(socket ?? process.stdin).on("data", (data) => {
  unread = (unread + data).trimStart();
  for (let length; (length = lengthOfValue(unread)); unread = unread.slice(length).trimStart()) {
    const value = JSON.parse(unread.slice(0, length));
    if (!Array.isArray(value)) continue; // "OK": we are registered
    const [kind, content] = value;
    if (kind === "new_game") opponent = content;
    if (kind === "over") console.error(`${content.winner} won: ${content.reason}`);
    if (kind === "place") send(place(content));
    else if (kind === "turn") send(takeTurn(content, opponent));
    else send("OK");
  }
});
