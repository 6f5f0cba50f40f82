// A bot for the protocol `fiar`: Connect Four on 7 columns and 6 rows. Node 16 or newer, no packages.
//
//     manage.py match connect-four-7x6 "fiar:node fiar_bot.js" builtin:club      here, without a server
//     python3 arena-bridge.py HOST 4201 -- node fiar_bot.js                      on a server
//
// Each line that comes in is `<own sign> <42 places>` and asks for one column, counted from 1.
"use strict";
const readline = require("readline");

const COLUMNS = 7, ROWS = 6;
const CENTRE_FIRST = [3, 2, 4, 1, 5, 0, 6];

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
  while (at(board, row, column) !== ".") row--;
  const lines = [[0, 1], [1, 0], [1, 1], [1, -1]];
  return lines.some(([down, right]) =>
    run(board, row, column, down, right, sign) + run(board, row, column, -down, -right, sign) >= 3);
}

// A column that wins, else one where the other would win, else the free one nearest to the centre.
function choose(board, mine, other) {
  const free = CENTRE_FIRST.filter((column) => board[column] === ".");
  for (const sign of [mine, other]) {
    const column = free.find((column) => wins(board, column, sign));
    if (column !== undefined) return column;
  }
  return free[0];
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const [sign, board] = line.trim().split(" ");
  if (board?.length !== COLUMNS * ROWS) return;
  process.stdout.write(`${choose(board, sign, sign === "@" ? "O" : "@") + 1}\n`);
});
