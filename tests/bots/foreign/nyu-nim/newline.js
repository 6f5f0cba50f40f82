// Expanding Nim, from the text alone: one chunk is one state, answers end in a newline that nobody asked for.
// node newline.js [HOST PORT], else on its own input and output.
"use strict";

const [host, port] = process.argv.slice(2);
const socket = port ? require("net").connect(Number(port), host) : null;
const input = socket || process.stdin;
const output = socket || process.stdout;

input.on("data", (chunk) => {
  const [left, largest, reset, over] = chunk.toString().split(" ").map(Number);
  if (over) {
    if (socket) socket.end();
    process.exitCode = 0;
    return;
  }
  const most = Math.min(left, reset ? 3 : largest + 1);
  output.write(`${most === left ? left : 1 + (left % most)} 0\n`);
});
input.on("end", () => process.exit());
