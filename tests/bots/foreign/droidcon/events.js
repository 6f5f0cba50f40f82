// Connect Four of the hackathon, from the text alone: events, lines put together from chunks, a board of its own.
// node events.js NAME CHANNEL [HOST PORT], else on its own input and output.
"use strict";

const [name, channel, host, port] = process.argv.slice(2);
const socket = port ? require("net").connect(Number(port), host) : null;
const input = socket || process.stdin;
const output = socket || process.stdout;
let half = "";
let columns = [];

const handlers = {
  NEW_GAME() { columns = Array.from({ length: 7 }, () => []); },
  PUT(index) { columns[index].push("theirs"); },
  YOUR_MOVE() {
    const free = columns.map((column, index) => [column.length, index]).filter(([height]) => height < 6);
    const [, index] = free[Math.floor(Math.random() * free.length)];
    columns[index].push("ours");
    output.write(`PUT ${index}\n`);
  },
  YOU_WON() {},
  YOU_LOST() {},
  DRAW() {},
  SUCCESS() {},
  Error(what) {
    process.stderr.write(`error: ${what}\n`);
    process.exit(1);
  },
};

input.on("data", (chunk) => {
  const lines = (half + chunk).split("\n");
  half = lines.pop();
  for (const line of lines) {
    const [word, argument] = line.split(" ");
    handlers[word](argument);
  }
});
input.on("end", () => process.exit());
output.write(`NAME ${name}\n`);
output.write(`JOIN ${channel}\n`);
