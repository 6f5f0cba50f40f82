// What a player of Connect Four knows beside the rules: games/players/connect_four.py and connect_four_exact.py.
import { completing, ConnectFourSearch, masksOf, nodeOf } from "./connect-four-search.js";
import { FIRST_NODES, more } from "./kernel.js";
import { rank, WIN } from "./search.js";

const HIGHEST = 18; // nobody wins 7x6 with fewer than four stones
const isExact = ([low, high]) => low === high;
const isResult = ([low, high]) => low > 0 || high < 0 || low === high;

const word = (bits, n) => BigInt.asUintN(64, bits >> (64n * n));
export const weight = (position, move) => Math.min(Number(move), position.shape.columns + 1 - Number(move));

export function wins(position) {
  const board = masksOf(position.shape);
  const mine = completing(board, position.mine, board.full ^ position.mask);
  return position.legal().filter((move) => position.landing(Number(move)) & mine);
}

export const repliesThatWin = (position, move) => {
  const after = position.play(move);
  return after.over ? 0 : wins(after).length;
};

// A look of the kernel or of our own search at what a move leads to.
function looker(position, kernel, outOfTime) {
  if (position.shape.rows === 8) return (node, depth, alpha, beta) => kernel.look("connect_four_8x8", words(node), depth, alpha, beta, outOfTime);
  const board = masksOf(position.shape);
  const search = new ConnectFourSearch(board, outOfTime);
  return (node, ...rest) => search.look(nodeOf(board, node.mine, node.mask), ...rest);
}

const words = ({ mine, mask }) => [word(mine, 0n), word(mine, 1n), word(mask, 0n), word(mask, 1n)];

export function ranked(position, moves, depth, kernel, outOfTime) {
  const won = wins(position).filter((move) => moves.includes(move));
  const sound = moves.filter((move) => !repliesThatWin(position, move));
  if (won.length || !sound.length) return [...won, ...moves.filter((move) => !won.includes(move))];
  const nodes = new Map(sound.map((move) => [move, position.play(move)]));
  const order = rank(looker(position, kernel, outOfTime), nodes, position.ply, depth);
  return [...order, ...moves.filter((move) => !nodes.has(move))];
}

// What a look tells at once: values of moves, and what a search has to look at.
export function outlook(position) {
  const won = wins(position);
  const decided = new Map(won.map((move) => [move, WIN - position.ply - 1]));
  for (const move of position.legal()) {
    if (!decided.has(move) && repliesThatWin(position, move)) decided.set(move, position.ply + 2 - WIN);
  }
  const open = new Map();
  for (const move of position.legal()) if (!decided.has(move)) open.set(move, position.play(move));
  return { decided, open };
}

export const look = (kernel, node, depth, outOfTime) => kernel.look("connect_four_8x8", words(node), depth, -WIN, WIN, outOfTime);

// Bounds of every legal move on 7x6: first all results, then how soon.
export function exact(position, kernel, outOfTime) {
  if (position.shape.rows !== 6) return null;
  const children = new Map(position.legal().map((move) => [move, position.play(move)]));
  const bounds = new Map([...children].map(([move, child]) => [move, first(child)]));
  for (const enough of [isResult, isExact]) {
    for (const [move, child] of children) {
      for (let nodes = FIRST_NODES; !enough(bounds.get(move)) && !outOfTime(); nodes = more(nodes)) {
        bounds.set(move, kernel.narrow(child.mine, child.mask, bounds.get(move), nodes));
      }
    }
  }
  return new Map([...children].map(([move, { ply }]) => {
    const [low, high] = bounds.get(move);
    return [move, [-value(high, ply), -value(low, ply)]];
  }));
}

// The bounds to begin with: the score where the match is over, else all there are.
function first(position) {
  if (!position.over) return [-HIGHEST, HIGHEST];
  const score = position.winner === null ? 0 : Math.floor((position.ply + 1) / 2) - 22;
  return [score, score];
}

// A score at `ply` in the values of the searches, for the player to move there.
function value(score, ply) {
  if (!score) return 0;
  const winner = score > 0 ? ply % 2 : 1 - (ply % 2);
  const end = 2 * (22 - Math.abs(score)) - 1 + winner;
  return score > 0 ? WIN - end : end - WIN;
}
