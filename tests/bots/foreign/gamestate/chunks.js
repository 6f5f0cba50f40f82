// 8 by 8, from the text alone: a chunk is taken for whole lines, the digit and its newline go out apart.
"use strict";

let board = "";
let me = "X";

process.stdin.setEncoding("ascii");
process.stdin.on("data", (chunk) => {
  for (const line of chunk.split("\n")) {
    if (line.startsWith("ASSIGN_PLAYER: ")) me = "XO"[Number(line.slice(15))];
    if (line.startsWith("GAMESTATE: ")) board = line.slice(11);
    if (line === "REQUEST_MOVE") {
      process.stdout.write(String(choose()));
      process.stdout.write("\n");
    }
  }
});

function choose() {
  const free = [3, 4, 2, 5, 1, 6, 0, 7].filter((column) => board[column] === "-");
  const mine = [...board].filter((cell) => cell === me).length;
  return free[mine % free.length];
}
