// The rules of Santorini without god cards, as games/santorini.py has them: its positions, moves and texts. Cells are
// row by row from the north-west; worker i of `workers` is seat i % 2's.
const WORKERS = 4;
const TOP = 3;
const DOME = 4;
const grids = new Map();

export function gridOf(size) {
  if (!grids.has(size)) grids.set(size, grid(size));
  return grids.get(size);
}

function grid(size) {
  const cells = [...Array(size * size).keys()];
  const names = cells.map((cell) => `${String.fromCharCode(97 + (cell % size))}${size - Math.floor(cell / size)}`);
  const near = cells.map((cell) => cells.filter((other) => other !== cell && isNear(size, cell, other)));
  return { size, names, near, cell: new Map(names.map((name, cell) => [name, cell])) };
}

function isNear(size, cell, other) {
  const down = Math.floor(cell / size) - Math.floor(other / size);
  return Math.abs(down) < 2 && Math.abs((cell % size) - (other % size)) < 2;
}

export class Santorini {
  constructor(grid, heights, workers, ply) {
    Object.assign(this, { grid, heights, workers, ply });
  }

  static start(slug) {
    const size = Number(slug.match(/\d+/)[0]);
    return new Santorini(gridOf(size), Array(size * size).fill(0), [], 0);
  }

  get placing() {
    return this.workers.length < WORKERS;
  }

  // Nobody ever starts a turn on height 3: a worker there has just won.
  get onTop() {
    const index = this.workers.findIndex((cell) => this.heights[cell] === TOP);
    return index < 0 ? null : index % 2;
  }

  get winner() {
    if (this.onTop !== null) return this.onTop;
    return this.placing || this.steps().length ? null : 1 - (this.ply % 2);
  }

  get over() {
    return this.winner !== null;
  }

  get toMove() {
    return this.over ? null : this.ply % 2;
  }

  get mine() {
    return this.workers.filter((_, index) => index % 2 === this.ply % 2);
  }

  steps() {
    const { heights, workers, grid } = this;
    return this.mine.flatMap((origin) => {
      const highest = Math.min(heights[origin] + 1, TOP);
      return grid.near[origin]
        .filter((target) => heights[target] <= highest && !workers.includes(target))
        .map((target) => [origin, target]);
    });
  }

  legal() {
    const { heights, workers, grid } = this;
    if (this.onTop !== null) return [];
    if (this.placing) return grid.names.filter((_, cell) => !workers.includes(cell));
    return this.steps().flatMap(([origin, target]) => {
      const step = `${grid.names[origin]}-${grid.names[target]}`;
      if (heights[target] === TOP) return [step];
      return grid.near[target]
        .filter((site) => heights[site] < DOME && (site === origin || !workers.includes(site)))
        .map((site) => `${step}+${grid.names[site]}`);
    });
  }

  play(move) {
    if (!this.legal().includes(move)) throw new RangeError(`${move} cannot be played in ${this}`);
    return this.after(move);
  }

  // The position after a move that is known to be legal.
  after(move) {
    const [origin, target, site] = move.split(/[-+]/).map((name) => this.grid.cell.get(name));
    if (target === undefined) return new Santorini(this.grid, this.heights, [...this.workers, origin], this.ply + 1);
    const heights = this.heights.map((height, cell) => height + (cell === site));
    const workers = this.workers.map((cell) => (cell === origin ? target : cell));
    return new Santorini(this.grid, heights, workers, this.ply + 1);
  }

  toString() {
    const { size, names } = this.grid;
    const of = (seat) => this.workers.filter((_, index) => index % 2 === seat);
    const squares = [0, 1].map((seat) => of(seat).map((cell) => names[cell].toUpperCase()).join(".") || "-");
    return `${size}x${size} ${this.heights.join("")} ${this.ply % 2} ${squares.join(" ")}`;
  }
}
