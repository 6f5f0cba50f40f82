// A bot for the arena's own protocol, `native`, which carries every game. Node 16 or newer, no packages.
//
//     node native_bot.js NAME HOST 4205 otter-42                                    on a server, in this room
//     node native_bot.js NAME HOST 4205 expanding-nim                               on a server, with any opponent
//     manage.py match santorini-5x5 "native:node native_bot.js NAME" builtin:club   here, without a server
//
// One JSON object a line, both ways. Each `turn` brings the position and all legal moves, so a bot need not know the
// rules to play; this one knows just enough of each game not to miss a win.
"use strict";
const net = require("net");
const readline = require("readline");

const anyOf = (moves) => moves[Math.floor(Math.random() * moves.length)];

// A column that wins, else one where the other would win, else the one nearest to the centre.
function connectFour(position, legal) {
  const [size, board] = position.split(" ");
  const [columns, rows] = size.split("x").map(Number);
  const discs = (sign) => board.split(sign).length - 1;
  const mine = discs("x") === discs("o") ? "x" : "o", other = mine === "x" ? "o" : "x";
  const at = (row, column) => (column >= 0 && column < columns ? board[row * columns + column] : undefined);
  const run = (row, column, down, right, sign) => {
    let length = 0;
    while (at(row + (length + 1) * down, column + (length + 1) * right) === sign) length++;
    return length;
  };
  const wins = (column, sign) => {
    let row = rows - 1;
    while (at(row, column) !== ".") row--;
    return [[0, 1], [1, 0], [1, 1], [1, -1]].some(([down, right]) =>
      run(row, column, down, right, sign) + run(row, column, -down, -right, sign) >= 3);
  };
  const far = (column) => Math.abs(2 * column - columns + 1);
  const free = legal.map((move) => Number(move) - 1).sort((a, b) => far(a) - far(b));
  const column = [mine, other].flatMap((sign) => free.filter((column) => wins(column, sign)))[0] ?? free[0];
  return String(column + 1);
}

// All stones where that is allowed.
function expandingNim(position, legal) {
  const stones = position.split(" ")[2];
  return legal.includes(stones) ? stones : anyOf(legal);
}

// A step to height 3: of all turns it is the one without a build.
function santorini(position, legal) {
  return legal.find((move) => move.includes("-") && !move.includes("+")) ?? anyOf(legal);
}

const GAMES = { "connect-four": connectFour, "expanding-nim": expandingNim, santorini };

function choose(variant, position, legal) {
  const game = Object.keys(GAMES).find((game) => variant.startsWith(game));
  return game ? GAMES[game](position, legal) : anyOf(legal);
}

const [name, host, port, roomOrVariant] = process.argv.slice(2);
if (!name || (host && !roomOrVariant)) {
  console.error("usage: node native_bot.js NAME [HOST PORT ROOM-OR-VARIANT]");
  process.exit(2);
}
const socket = host ? net.connect(port, host) : null;
socket?.on("error", (error) => { console.error(`no connection: ${error.message}`); process.exit(1); });
const say = (message) => (socket ?? process.stdout).write(`${JSON.stringify(message)}\n`);

let variant = "", move = null;
say({ type: "hello", name });
const isVariant = Object.keys(GAMES).some((game) => roomOrVariant?.startsWith(game));
if (isVariant) say({ type: "queue", variant: roomOrVariant });
else if (roomOrVariant) say({ type: "join", room: roomOrVariant });
readline.createInterface({ input: socket ?? process.stdin }).on("line", (line) => {
  const told = JSON.parse(line);
  if (told.type === "start") {
    variant = told.variant;
  } else if (told.type === "turn") {
    move = { type: "move", ply: told.ply, move: choose(variant, told.position, told.legal) };
    say(move);
  } else if (told.type === "ping") {
    say({ type: "pong" });
  } else if (told.type === "refused" && !variant) {
    console.error(`no seat: ${told.hint}`);
    process.exit(1);
  } else if (told.type === "refused") {
    console.error(told.received, told.hint);
    if (told.code === "busy") setTimeout(() => say(move), 100); // the turn goes on: once more
  } else if (told.type === "end") {
    console.error(told.result, told.reason);
  }
});
