// A bot for the protocol `droidcon`: Connect Four on 7 columns and 6 rows. Node 16 or newer, no packages.
//
//     node droidcon_bot.js NAME ROOM HOST 4242                                             on a server
//     manage.py match connect-four-7x6 "droidcon:node droidcon_bot.js me x" builtin:club   here, without a server
//
// `PUT c` is the other side's move, `YOUR_MOVE` asks for ours; columns are counted from 0. Nobody sends the board, so
// it is kept here. After the last of the four rounds the arena ends the connection.
"use strict";
const net = require("net");
const readline = require("readline");

const COLUMNS = 7, ROWS = 6;
const CENTRE_FIRST = [3, 2, 4, 1, 5, 0, 6];
const FREE = ".", MINE = "x", OTHER = "o";

const emptyBoard = () => Array.from({ length: ROWS }, () => Array(COLUMNS).fill(FREE));

// The row where a disc in this column comes to rest, -1 in a full one.
function landing(board, column) {
  let row = ROWS - 1;
  while (row >= 0 && board[row][column] !== FREE) row--;
  return row;
}

// How many discs of `sign` lie next to this place in one direction.
function run(board, row, column, down, right, sign) {
  let length = 0;
  while (board[row + (length + 1) * down]?.[column + (length + 1) * right] === sign) length++;
  return length;
}

// Whether a disc of `sign` dropped into this column makes four in a row.
function wins(board, column, sign) {
  const row = landing(board, column);
  const lines = [[0, 1], [1, 0], [1, 1], [1, -1]];
  return lines.some(([down, right]) =>
    run(board, row, column, down, right, sign) + run(board, row, column, -down, -right, sign) >= 3);
}

// A column that wins, else one where the other would win, else the free one nearest to the centre.
function choose(board) {
  const free = CENTRE_FIRST.filter((column) => landing(board, column) >= 0);
  for (const sign of [MINE, OTHER]) {
    const column = free.find((column) => wins(board, column, sign));
    if (column !== undefined) return column;
  }
  return free[0];
}

// A wrong move of the other side is told as well, just before it loses: it changes nothing.
function drop(board, column, sign) {
  const row = landing(board, column);
  if (row >= 0) board[row][column] = sign;
}

const [name, room, host, port] = process.argv.slice(2);
if (!room || (host && !port)) {
  console.error("usage: node droidcon_bot.js NAME ROOM [HOST PORT]");
  process.exit(2);
}
const socket = host ? net.connect(port, host) : null;
socket?.on("error", (error) => { console.error(`no connection: ${error.message}`); process.exit(1); });
const answer = (text) => (socket ?? process.stdout).write(`${text}\n`);

let board = emptyBoard();
answer(`NAME ${name}\nJOIN ${room}`);
readline.createInterface({ input: socket ?? process.stdin }).on("line", (line) => {
  const [word, argument] = line.trim().split(" ");
  if (line.includes("CHANNEL_IS_FULL")) {
    console.error(`there are two players in ${room} already`);
    process.exit(1);
  } else if (word === "NEW_GAME") {
    board = emptyBoard();
  } else if (word === "PUT") {
    drop(board, Number(argument), OTHER);
  } else if (word === "YOUR_MOVE") {
    const column = choose(board);
    drop(board, column, MINE);
    answer(`PUT ${column}`);
  } else if (word !== "SUCCESS") {
    console.error(line); // how a round ended, or an error
  }
});
