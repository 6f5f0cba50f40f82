// A client of the course as its teams wrote them: one read is one value, and it only climbs.
// node oneread.js NAME [HOST PORT]
"use strict";
const [, , asked, host, port] = process.argv;
const stream = port ? require("net").connect(Number(port), host) : null;
const input = stream || process.stdin, output = stream || process.stdout;
let name = asked;
const say = (value) => output.write(JSON.stringify(value) + "\n");
const WAYS = [];
for (const [ew, dx] of [["WEST", -1], ["PUT", 0], ["EAST", 1]])
  for (const [ns, dy] of [["NORTH", -1], ["PUT", 0], ["SOUTH", 1]]) if (dx || dy) WAYS.push({ ew, ns, dx, dy });

function turn(board) {
  const height = (x, y) => (board[y] === undefined || board[y][x] === undefined ? 9 : Number(String(board[y][x])[0]));
  const isFree = (x, y) => height(x, y) < 4 && typeof board[y][x] === "number";
  const found = [];
  for (let y = 0; y < 6; y++) {
    for (let x = 0; x < 6; x++) {
      const worker = String(board[y][x]).slice(1);
      if (worker.slice(0, -1) !== name) continue;
      for (const step of WAYS) {
        const [toX, toY] = [x + step.dx, y + step.dy], up = height(toX, toY);
        if (!isFree(toX, toY) || up > height(x, y) + 1) continue;
        if (up === 3) return [worker, step.ew, step.ns];
        for (const build of WAYS) {
          const [atX, atY] = [toX + build.dx, toY + build.dy];
          if (isFree(atX, atY) || (atX === x && atY === y && height(x, y) < 4))
            found.push({ up, answer: [worker, step.ew, step.ns, build.ew, build.ns] });
        }
      }
    }
  }
  found.sort((a, b) => b.up - a.up);
  return found.length ? found[0].answer : name;
}

input.on("data", (data) => {
  const value = JSON.parse(data.toString()); // two values in one read are no value at all
  if (typeof value === "string") return; // whom we play
  if (value[0] === "playing-as") name = value[1];
  else if (value.length === 6 && Array.isArray(value[0]) && value[0].length === 6) say(turn(value));
  else if (value.every((part) => Array.isArray(part) && typeof part[1] === "number")) {
    const taken = value.map(([, x, y]) => `${x},${y}`);
    say([[0, 0], [5, 5], [0, 5], [5, 0]].find(([x, y]) => !taken.includes(`${x},${y}`)));
  } else console.error("outcomes", data.toString());
});
input.on("end", () => process.exit(0));
say(name);
