// The rules of Connect Four on any board, as games/connect_four.py has them: its positions, moves and texts, character
// for character (tests/web/test_rules_in_browser.py). A board has rows + 1 bits a column from the bottom, the spare top
// bit of a column stays 0.
const shapes = new Map();

function shapeOf(columns, rows) {
  const key = `${columns}x${rows}`;
  if (!shapes.has(key)) shapes.set(key, shape(columns, rows));
  return shapes.get(key);
}

function shape(columns, rows) {
  const bits = [...Array(columns)].map((_, c) => [...Array(rows)].map((_, r) => 1n << BigInt(c * (rows + 1) + r)));
  const files = bits.map((column) => column.reduce((all, bit) => all | bit));
  const steps = [1, rows + 1, rows + 2, rows].map(BigInt);
  const bottom = bits.reduce((all, column) => all | column[0], 0n);
  const full = files.reduce((all, file) => all | file);
  const fromTop = [...Array(rows).keys()].reverse();
  return { columns, rows, files, steps, bottom, full, asRead: fromTop.map((r) => bits.map((column) => column[r])) };
}

function lines(stones, steps) {
  let found = 0n;
  for (const step of steps) {
    const pair = stones & (stones >> step);
    const four = pair & (pair >> (2n * step));
    found |= four | (four << step) | (four << (2n * step)) | (four << (3n * step));
  }
  return found;
}

export class ConnectFour {
  constructor(shape, mine, mask, ply, won) {
    Object.assign(this, { shape, mine, mask, ply, won });
  }

  static start(slug) {
    const [columns, rows] = slug.match(/\d+/g).map(Number);
    return new ConnectFour(shapeOf(columns, rows), 0n, 0n, 0, false);
  }

  get stones() {
    const theirs = this.mine ^ this.mask;
    return this.ply % 2 ? [theirs, this.mine] : [this.mine, theirs];
  }

  get over() {
    return this.won || this.mask === this.shape.full;
  }

  get toMove() {
    return this.over ? null : this.ply % 2;
  }

  get winner() {
    return this.won ? 1 - (this.ply % 2) : null;
  }

  // The bit on which a stone dropped in a column lands, 0 where the column is full.
  landing(column) {
    return (this.mask + this.shape.bottom) & (this.shape.files[column - 1] ?? 0n);
  }

  legal() {
    if (this.won) return [];
    return this.shape.files.map((_, c) => String(c + 1)).filter((move) => this.landing(Number(move)));
  }

  play(move) {
    const stone = /^[1-9]$/.test(move) && !this.over ? this.landing(Number(move)) : 0n;
    if (!stone) throw new RangeError(`column ${move} cannot be played; legal are: ${this.legal().join(", ") || "none"}`);
    const won = lines(this.mine | stone, this.shape.steps) !== 0n;
    return new ConnectFour(this.shape, this.mine ^ this.mask, this.mask | stone, this.ply + 1, won);
  }

  // The cells of finished lines, as bits.
  get marks() {
    return this.won ? lines(this.mine ^ this.mask, this.shape.steps) : 0n;
  }

  toString() {
    const [first, second] = this.stones;
    const { columns, rows, asRead } = this.shape;
    return `${columns}x${rows} ${asRead.flat().map((bit) => (first & bit ? "x" : second & bit ? "o" : ".")).join("")}`;
  }
}
