// What a player of Expanding Nim knows beside the rules: games/players/expanding_nim.py and expanding_nim_exact.py.
import { WIN } from "./search.js";

const UNLIMITED = 10;
const SIDE = 11n;
const ROW = (1n << SIDE) - 1n;
const ALL = (1n << (SIDE * SIDE)) - 1n;
const ENDLESS_0 = ROW << (10n * SIDE);
const FIRST_COLUMN = [...Array(11).keys()].reduce((all, i) => all | (1n << (SIDE * BigInt(i))), 0n);
const ENDLESS_1 = FIRST_COLUMN << 10n;
const BOUND_TAKE = 3;
const MOST_TOLD = 120; // stones of which it is told how soon
const MOST_TABLES = 4;

export const slips = 2;
export const weight = (position, move) => (loses(tableFor(position), position.play(move)) ? 2 : 1);
export const wins = (position) => position.legal().filter((move) => taken(move) === position.stones);
export const repliesThatWin = (position, move) => {
  const after = position.play(move);
  return Number(!after.over && after.most === after.stones);
};

// Winning moves, the largest without a reset first; then those with the fewest answers that win.
export function ranked(position, moves) {
  const table = tableFor(position);
  const promises = new Map(moves.map((move) => [move, promise(table, position.play(move), move)]));
  const greater = (a, b) => promises.get(b).map((x, i) => x - promises.get(a)[i]).find(Boolean) ?? 0;
  return [...moves].sort(greater);
}

// Bounds of every legal move, in the values of the searches.
export function exact(position) {
  return new Map(position.legal().map((move) => [move, bounds(position, position.play(move))]));
}

const taken = (move) => Number.parseInt(move, 10);

function promise(table, after, move) {
  const keepsReset = Number(!move.endsWith("r"));
  if (loses(table, after)) return [1, 0, keepsReset, taken(move)];
  const answers = after.legal().filter((answer) => loses(table, after.play(answer))).length;
  return [0, -answers, keepsReset, -taken(move)];
}

function bounds(position, after) {
  if (after.stones > MOST_TOLD) {
    const soonest = position.ply + 1;
    return loses(tableFor(after), after) ? [1, WIN - soonest] : [soonest - WIN, -1];
  }
  const resets = after.resets.map((left) => left ?? -1);
  const [mine, theirs] = after.ply % 2 ? resets.reverse() : resets;
  const left = after.stones ? plies(after.stones, after.largest, after.bound, mine, theirs) : 0;
  const end = after.ply + Math.abs(left);
  const value = left <= 0 ? WIN - end : end - WIN;
  return [value, value];
}

// -- who wins: for all combinations of resets at once, bit 11 i + j for i of seat 0 and j of seat 1 --

const tables = new Map();

function loses(table, { resets, largest, bound, ply, stones }) {
  const [i, j] = resets.map((left) => BigInt(left ?? UNLIMITED));
  const most = Math.min(largest, Math.max(...table.keys()));
  return Boolean((table.get(most)[Number(bound)][ply % 2][stones] >> (SIDE * i + j)) & 1n);
}

function tableFor({ start, stones, largest }) {
  let least = 0;
  for (let take = 3; take <= largest; take++) least += take;
  return stones + least <= start ? tableOf(start, 2) : tableOf(stones, Math.min(largest, stones));
}

function tableOf(stones, largest) {
  const name = `${stones} ${largest}`;
  if (!tables.has(name)) {
    if (tables.size === MOST_TABLES) tables.delete(tables.keys().next().value);
    tables.set(name, tableMade(stones, largest));
  }
  return tables.get(name);
}

function tableMade(stones, largest) {
  const region = [[largest, stones]];
  // Each larger take was made at least once.
  for (let [most, left] = [largest, stones - largest - 1]; left >= 0; left -= most + 1) region.push([++most, left]);
  const table = new Map();
  for (const [most, left] of region.reverse()) table.set(most, lists(most, left, table.get(most + 1)));
  return table;
}

function lists(largest, stones, above) {
  const here = [[[ALL], [ALL]], [[ALL], [ALL]]];
  for (let left = 1; left <= stones; left++) {
    for (const [bound, most] of [[0, largest + 1], [1, BOUND_TAKE]]) {
      for (const seat of [0, 1]) {
        const [plain, reset] = [0, 1].map((next) => lostAfter(here, above, next, 1 - seat, largest, most, left));
        here[bound][seat].push(ALL ^ (plain | spent(seat, reset)));
      }
    }
  }
  return here;
}

function lostAfter(here, above, bound, seat, largest, most, left) {
  let lost = 0n;
  for (let n = Math.max(0, left - Math.min(most, largest)); n < left; n++) lost |= here[bound][seat][n];
  return above && most > largest && left > largest ? lost | above[bound][seat][left - largest - 1] : lost;
}

function spent(seat, after) {
  if (seat === 0) return ((after << SIDE) & ALL & ~ENDLESS_0) | (after & ENDLESS_0);
  return ((after << 1n) & ALL & ~(FIRST_COLUMN | ENDLESS_1)) | (after & ENDLESS_1);
}

// -- how soon: the plies that the match goes on, negative where the player to move loses --

const told = new Map();
const MOST_TOLD_AT_ONCE = 400000;

function plies(stones, largest, bound, mine, theirs) {
  const most = Math.min(stones, bound ? BOUND_TAKE : largest + 1);
  if (most === stones) return 1;
  const key = `${stones} ${largest} ${bound} ${mine} ${theirs}`;
  if (told.has(key)) return told.get(key);
  let [won, lost] = [0, 0];
  for (let take = 1; take <= most; take++) {
    const left = stones - take;
    const after = Math.min(Math.max(largest, take), left);
    for (const reset of mine ? [false, true] : [false]) {
      const found = plies(left, after, reset, theirs, reset && mine > 0 ? mine - 1 : mine);
      if (found < 0) won = Math.min(won || 1 - found, 1 - found);
      else lost = Math.max(lost, 1 + found);
    }
  }
  if (told.size >= MOST_TOLD_AT_ONCE) told.clear();
  told.set(key, won || -lost);
  return won || -lost;
}
