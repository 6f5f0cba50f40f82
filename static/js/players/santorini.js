// What a player of Santorini knows beside the rules: games/players/santorini.py. Turns are searched by the kernel.
import { rank, WIN } from "./search.js";

const TRAPPED_AT_ONCE = 2; // a turn takes at most two cells from the other

const centrality = (size, cell) => {
  const [row, column] = [Math.floor(cell / size), cell % size];
  return Math.min(row, column, size - 1 - row, size - 1 - column);
};

const stepsUp = (at) => at.steps().some(([, target]) => at.heights[target] === 3);

export const wins = (at) => (at.placing ? [] : at.legal().filter((move) => isWin(at, move)));

function isWin(at, move) {
  return !move.includes("+") || !at.after(move).steps().length;
}

export function repliesThatWin(at, move) {
  if (at.placing || !move.includes("+")) return 0;
  const after = at.after(move);
  const theirs = new Set(other(after).steps().map(([, target]) => target));
  if (!stepsUp(after) && theirs.size > TRAPPED_AT_ONCE) return 0;
  return wins(after).length;
}

// The same board with the other to move.
const other = (at) => Object.assign(Object.create(Object.getPrototypeOf(at)), at, { ply: at.ply + 1 });

export function weight(at, move) {
  const { size, cell } = at.grid;
  const [, target = move] = move.split(/[-+]/);
  const to = cell.get(target);
  return 1 + centrality(size, to) + (at.placing ? 0 : 2 * at.heights[to]);
}

export function ranked(at, moves, depth, kernel, outOfTime) {
  if (at.placing) {
    const worth = new Map(moves.map((move) => [move, looks(at, move)]));
    return [...moves].sort((a, b) => worth.get(b) - worth.get(a));
  }
  const won = moves.filter((move) => isWin(at, move));
  const sound = moves.filter((move) => move.includes("+") && !stepsUp(at.after(move)));
  if (won.length || !sound.length) return [...won, ...moves.filter((move) => !won.includes(move))];
  const nodes = new Map(sound.map((move) => [move, at.after(move)]));
  const look = (node, ...rest) => kernel.look("santorini", words(node), ...rest, outOfTime);
  const order = rank(look, nodes, at.ply, depth);
  return [...order, ...moves.filter((move) => !nodes.has(move))];
}

// What both sides' places look worth with one more worker on the cell; nothing is built yet.
function looks(at, move) {
  const after = at.after(move);
  const worth = (cell) => {
    const free = at.grid.near[cell].filter((near) => !after.workers.includes(near));
    return centrality(at.grid.size, cell) + 2 * free.length;
  };
  return after.workers.reduce((sum, cell, index) => sum + (index % 2 === at.ply % 2 ? worth(cell) : -worth(cell)), 0);
}

// What a look tells at once: values of moves, and what a search has to look at. Nothing of where to place a worker.
export function outlook(at) {
  const [decided, open] = [new Map(), new Map()];
  for (const move of at.placing ? [] : at.legal()) {
    if (isWin(at, move)) decided.set(move, WIN - at.ply - 1);
    else if (stepsUp(at.after(move))) decided.set(move, at.ply + 2 - WIN);
    else open.set(move, at.after(move));
  }
  return { decided, open };
}

export const look = (kernel, node, depth, outOfTime) => kernel.look("santorini", words(node), depth, -WIN, WIN, outOfTime);
export const exact = () => null;

function words(at) {
  const bits = (cells) => cells.reduce((all, cell) => all | (1n << BigInt(cell)), 0n);
  const built = (level) => bits(at.heights.flatMap((height, cell) => (height >= level ? [cell] : [])));
  const theirs = at.workers.filter((_, index) => index % 2 !== at.ply % 2);
  return [at.grid.size, at.ply, bits(at.mine), bits(theirs), ...[1, 2, 3, 4].map(built)];
}
