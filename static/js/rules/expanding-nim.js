// The rules of Expanding Nim with resets, as games/expanding_nim.py has them: its positions, moves and texts.
const RESET_TAKE = 3;
const count = (resets) => (resets === null ? "-" : String(resets));

export class ExpandingNim {
  // `largest` is the largest take so far, `bound`: the other seat has just reset; null resets are unlimited.
  constructor(state) {
    Object.assign(this, state);
  }

  static start(slug, { stones = 100, resets = 4 } = {}) {
    const state = { start: stones, each: resets, stones, largest: 2, bound: false, resets: [resets, resets], ply: 0 };
    return new ExpandingNim(state);
  }

  get over() {
    return this.stones === 0;
  }

  get toMove() {
    return this.over ? null : this.ply % 2;
  }

  get winner() {
    return this.over ? 1 - (this.ply % 2) : null;
  }

  // The most stones that may be taken now.
  get most() {
    return Math.min(this.stones, this.bound ? RESET_TAKE : this.largest + 1);
  }

  legal() {
    const also = this.resets[this.ply % 2] === 0 ? [""] : ["", "r"];
    return [...Array(this.most)].flatMap((_, n) => also.map((reset) => `${n + 1}${reset}`));
  }

  play(move) {
    const [, take, reset] = /^([1-9]\d{0,3})(r?)$/.exec(move) ?? [];
    const seat = this.ply % 2;
    if (!take || take > this.most || (reset && this.resets[seat] === 0)) {
      throw new RangeError(`${move} cannot be taken: from 1 to ${this.most} stones may, resets left: ${count(this.resets[seat])}`);
    }
    const resets = [...this.resets];
    if (reset && resets[seat] !== null) resets[seat] -= 1;
    return new ExpandingNim({
      ...this,
      stones: this.stones - take,
      largest: Math.max(this.largest, Number(take)),
      bound: Boolean(reset),
      resets,
      ply: this.ply + 1,
    });
  }

  toString() {
    const { start, each, stones, largest, bound, resets, ply } = this;
    const settings = `${start} ${count(each)}/${count(each)} ${stones} b${largest} c${Number(bound)}`;
    return `${settings} s${ply % 2} ${resets.map(count).join("/")} p${ply}`;
  }
}
