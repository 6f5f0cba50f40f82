// Santorini, from the text alone: values are cut out of a stream, answers are printed over several lines, and it climbs.
// It says nothing first; who on the board is not the opponent is itself.
// node stream.js [HOST PORT], else on its own input and output.
"use strict";

const [host, port] = process.argv.slice(2);
const socket = port ? require("net").connect(Number(port), host) : null;
const input = socket || process.stdin;
const output = socket || process.stdout;
const X = ["WEST", "PUT", "EAST"];
const Y = ["NORTH", "PUT", "SOUTH"];
let pending = "";
let opponent = "";

input.on("data", (chunk) => {
  pending += chunk;
  for (let end = 1; end <= pending.length; end++) {
    let value;
    try {
      value = JSON.parse(pending.slice(0, end));
    } catch {
      continue;
    }
    pending = pending.slice(end);
    end = 0;
    output.write(JSON.stringify(answer(value), null, 2));
  }
});
input.on("end", () => process.exit());

function answer([kind, said]) {
  if (kind === "place") return place(said);
  if (kind === "turn") return turns(said).sort((one, other) => other.height - one.height)[0].turn;
  if (kind === "new_game") opponent = said;
  return "OK";
}

function place(workers) {
  const free = [];
  for (let x = 0; x < 6; x++) for (let y = 0; y < 6; y++)
    if (!workers.some((worker) => worker.x === x && worker.y === y)) free.push([x, y]);
  return ["place", ...free[Math.floor(Math.random() * free.length)]];
}

function turns(board) {
  const found = [];
  const height = (x, y) => (board[y] && board[y][x] !== undefined ? Number(String(board[y][x])[0]) : 9);
  const taken = (x, y) => typeof board[y][x] === "string";
  for (let y = 0; y < board.length; y++) for (let x = 0; x < board[y].length; x++) {
    if (!taken(x, y) || board[y][x].slice(1, -1) === opponent) continue;
    const worker = { player: board[y][x].slice(1, -1), id: Number(board[y][x].slice(-1)) };
    for (const [toX, toY, step] of steps(x, y)) {
      const up = height(toX, toY);
      if (up > 3 || up > height(x, y) + 1 || taken(toX, toY)) continue;
      const move = ["move", worker, step];
      if (up === 3) found.push({ height: 3, turn: [move] });
      else for (const [siteX, siteY, build] of steps(toX, toY))
        if (height(siteX, siteY) < 4 && (!taken(siteX, siteY) || (siteX === x && siteY === y)))
          found.push({ height: up + Math.random() / 2, turn: [move, ["build", build]] });
    }
  }
  return found;
}

function steps(x, y) {
  const all = [];
  for (let dx = -1; dx < 2; dx++) for (let dy = -1; dy < 2; dy++)
    if (dx || dy) all.push([x + dx, y + dy, [X[dx + 1], Y[dy + 1]]]);
  return all;
}
