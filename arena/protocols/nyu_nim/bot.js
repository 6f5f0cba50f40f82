// A bot for the protocol `nyu-nim`: Expanding Nim with resets. Node 16 or newer, no packages.
//
//     node nyu_nim_bot.js HOST 4202                                              on a server
//     manage.py match expanding-nim "nyu-nim:node nyu_nim_bot.js" builtin:club   here, without a server
//
// `a b c d` asks for a move: a stones are left, b is the largest take so far (2 at least), c is 1 when the other has
// just reset, d is 1 at the end. The answer is `x y`: take x stones, y is 1 to reset. Nothing has a line end.
"use strict";
const net = require("net");

const STATE = /^\s*(\d+) (\d+) ([01]) ([01])/;

// Stones to take and whether to reset: win now, else leave the other a number that it cannot finish.
function choose(stones, largest, bound, mayReset) {
  const most = Math.min(stones, bound ? 3 : largest + 1);
  if (most === stones) return [stones, 0];
  for (let take = 1; take <= most; take++) {
    const othersMost = Math.max(largest, take) + 1;
    if ((stones - take) % (othersMost + 1) === 0) return [take, 0];
  }
  // The other may take 1 to 3 of the last 4, and we the rest.
  return mayReset && stones - 4 >= 1 && stones - 4 <= most ? [stones - 4, 1] : [1, 0];
}

const [host, port] = process.argv.slice(2);
if (host && !port) {
  console.error("usage: node nyu_nim_bot.js [HOST PORT]");
  process.exit(2);
}
const socket = host ? net.connect(port, host) : null;
socket?.on("error", (error) => { console.error(`no connection: ${error.message}`); process.exit(1); });
const states = socket ?? process.stdin, answers = socket ?? process.stdout;

let resets = 1; // one reset a match is allowed everywhere
let unread = "";
states.on("data", (data) => {
  unread += data;
  for (let state; (state = STATE.exec(unread)); ) {
    unread = unread.slice(state[0].length);
    const [stones, largest, bound, over] = state.slice(1).map(Number);
    if (over) process.exit(0);
    const [take, reset] = choose(stones, largest, bound, resets > 0);
    resets -= reset;
    answers.write(`${take} ${reset}`);
  }
});
