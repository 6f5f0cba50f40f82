// A bot for the protocol `gamestate`: Connect Four on 8 columns and 8 rows. Node 16 or newer, no packages.
//
//     manage.py match connect-four-8x8 "gamestate:node gamestate_bot.js" builtin:club      here, without a server
//     python3 arena-bridge.py HOST 4200 -- node gamestate_bot.js                           on a server
//
// `ASSIGN_PLAYER: n` says who it is, `GAMESTATE: <64 places>` shows the board after every move of either side, and
// `REQUEST_MOVE` asks for one column, counted from 0. Nothing may be printed but that digit.
"use strict";
const readline = require("readline");

const COLUMNS = 8, ROWS = 8;
const CENTRE_FIRST = [3, 4, 2, 5, 1, 6, 0, 7];

const at = (board, row, column) =>
  row >= 0 && row < ROWS && column >= 0 && column < COLUMNS ? board[row * COLUMNS + column] : "";

// How many discs of `sign` lie next to this place in one direction.
function run(board, row, column, down, right, sign) {
  let length = 0;
  while (at(board, row + (length + 1) * down, column + (length + 1) * right) === sign) length++;
  return length;
}

// Whether a disc of `sign` dropped into this column makes four in a row.
function wins(board, column, sign) {
  let row = ROWS - 1;
  while (at(board, row, column) !== "-") row--;
  const lines = [[0, 1], [1, 0], [1, 1], [1, -1]];
  return lines.some(([down, right]) =>
    run(board, row, column, down, right, sign) + run(board, row, column, -down, -right, sign) >= 3);
}

// A column that wins, else one where the other would win, else the free one nearest to the centre.
function choose(board, mine, other) {
  const free = CENTRE_FIRST.filter((column) => board[column] === "-");
  for (const sign of [mine, other]) {
    const column = free.find((column) => wins(board, column, sign));
    if (column !== undefined) return column;
  }
  return free[0];
}

let mine = "X", other = "O", board = "-".repeat(COLUMNS * ROWS);
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const [word, rest] = line.trim().split(" ");
  if (word === "ASSIGN_PLAYER:") [mine, other] = rest === "0" ? ["X", "O"] : ["O", "X"];
  else if (word === "GAMESTATE:") board = rest;
  else if (word === "REQUEST_MOVE") process.stdout.write(`${choose(board, mine, other)}\n`);
});
