// Alpha-beta on the bitboards of Connect Four, node for node what games/players/search.py does with
// connect_four_search.py, for the board that the kernel proves but does not search to a depth: 7x6.
import { OutOfTime, WIN } from "./search.js";

const [MIX, SPREAD, SLOT] = [0xd6e8feb86659fd93n, 0x9e3779b97f4a7c15n, 46n];
const EXACT = 10000;
const POLL = 256;
const masks = new Map();

export function count(cells) {
  let found = 0;
  for (let left = cells; left; left >>= 32n) {
    let word = Number(left & 0xffffffffn) | 0;
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    found += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return found;
}

// Of one size of board, made once.
export function masksOf(shape) {
  const { columns, rows } = shape;
  const name = `${columns}x${rows}`;
  if (!masks.has(name)) masks.set(name, masksMade(shape));
  return masks.get(name);
}

function masksMade({ columns, rows, files, bottom, full }) {
  const far = (c) => Math.abs(2 * c - columns + 1);
  const fromCentre = [...Array(columns).keys()].sort((a, b) => far(a) - far(b) || a - b);
  const odd = [...Array(rows).keys()].filter((row) => row % 2 === 0).reduce((all, row) => all | (bottom << BigInt(row)), 0n);
  const centre = fromCentre.slice(0, Math.floor(columns / 2)).reduce((all, c) => all | files[c], 0n);
  const steps = [rows, rows + 1, rows + 2].map((step) => [1, 2, 3].map((n) => BigInt(n * step)));
  return { bottom, full, odd, even: full ^ odd, centre, steps, files: fromCentre.map((c) => files[c]) };
}

// The `empty` cells in which one more stone completes a line of four.
export function completing({ steps }, stones, empty) {
  let cells = (stones << 1n) & (stones << 2n) & (stones << 3n);
  for (const [one, two, three] of steps) {
    const pair = stones & (stones >> one);
    const triple = pair & (stones >> two);
    cells |= (triple << three) | (triple >> one);
    cells |= ((pair & (stones >> three)) << two) | ((stones & (pair >> two)) << one);
  }
  return cells & empty;
}

export function nodeOf(board, mover, mask) {
  const empty = board.full ^ mask;
  return { mover, mask, mine: completing(board, mover, empty), theirs: completing(board, mover ^ mask, empty) };
}

export class ConnectFourSearch {
  #board;
  #outOfTime;
  #table = new Map();
  #nodes = 0;
  #cut = false;

  constructor(board, outOfTime) {
    [this.#board, this.#outOfTime] = [board, outOfTime];
  }

  look(node, depth, alpha, beta) {
    this.#cut = false;
    const value = this.#value(node, depth, alpha, beta);
    return [value, this.#cut];
  }

  #settled({ mask, theirs }) {
    const playable = (mask + this.#board.bottom) & this.#board.full;
    if (!playable) return 0;
    const forced = playable & theirs;
    return forced & (forced - 1n) || !((forced || playable) & ~(theirs >> 1n)) ? count(mask) + 2 - WIN : null;
  }

  #estimate({ mover, mask, mine, theirs }) {
    const { odd, even, centre } = this.#board;
    const [my, other] = count(mask) % 2 ? [even, odd] : [odd, even];
    const threats = 4 * (count(mine) - count(theirs));
    const parity = 8 * (count(mine & my) - count(theirs & other));
    return threats + parity + 2 * (count(mover & centre) - count((mover ^ mask) & centre));
  }

  #children({ mover, mask, theirs }) {
    const board = this.#board;
    const open = (mask + board.bottom) & board.full;
    const moves = (open & theirs || open) & ~(theirs >> 1n);
    const found = [];
    board.files.forEach((file, rank) => {
      const move = moves & file;
      if (!move) return;
      const threats = completing(board, mover | move, board.full ^ mask ^ move);
      const node = { mover: mover ^ mask, mask: mask | move, mine: theirs & ~move, theirs: threats };
      found.push([16 * count(threats) - rank, node]);
    });
    return found.sort(([a], [b]) => b - a).map(([, node]) => node);
  }

  #value(node, depth, alpha, beta) {
    if (++this.#nodes % POLL === 0 && this.#outOfTime()) throw new OutOfTime();
    const settled = this.#settled(node);
    if (settled !== null) return settled;
    if (depth <= 0) {
      this.#cut = true;
      return this.#estimate(node);
    }
    const key = node.mover + node.mask;
    const slot = Number(BigInt.asUintN(64, (BigInt.asUintN(64, key) ^ BigInt.asUintN(64, (key >> 64n) * MIX)) * SPREAD) >> SLOT);
    const entry = this.#table.get(slot);
    const kept = entry?.key === key ? entry : undefined;
    if (kept && kept.depth >= depth && (kept.low >= beta || kept.high <= alpha || kept.low === kept.high)) {
      this.#cut ||= kept.depth < EXACT;
      return kept.high <= alpha ? kept.high : kept.low;
    }
    const before = this.#cut;
    this.#cut = false;
    const [best, first] = this.#bestChild(node, kept?.first, depth, alpha, beta);
    const [low, high] = [best > alpha ? best : -WIN, best < beta ? best : WIN];
    this.#table.set(slot, { key, depth: this.#cut ? depth : EXACT, low, high, first });
    this.#cut ||= before;
    return best;
  }

  #bestChild(node, first, depth, alpha, beta) {
    let [best, choice, highest, children] = [-WIN, undefined, alpha, first ? undefined : this.#children(node)];
    for (let i = first ? -1 : 0; i < (children?.length ?? 0) || i < 0; i++) {
      const child = i < 0 ? first : children[i];
      const value = -this.#value(child, depth - 1, -beta, -highest);
      if (value > best) {
        [best, choice, highest] = [value, child, Math.max(highest, value)];
        if (value >= beta) break;
      }
      children ??= this.#children(node);
    }
    return [best, choice];
  }
}
