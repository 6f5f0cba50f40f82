// The kernel of games/players/kernel/ in the browser: the same module that the server runs. Each search has an instance,
// hence a table, of its own.
import { OutOfTime } from "./search.js";

const ZERO = 64; // the score 0 in a result of `narrow`
export const FIRST_NODES = 1 << 16;

export class Kernel {
  #instances = new Map();
  #module;

  constructor(module) {
    this.#module = module;
  }

  static async load(address) {
    return new Kernel(await WebAssembly.compileStreaming(fetch(address)));
  }

  #call(name) {
    const game = name.replace(/_[a-z]+$/, "");
    if (!this.#instances.has(game)) this.#instances.set(game, new WebAssembly.Instance(this.#module));
    return this.#instances.get(game).exports[name];
  }

  // Brings the bounds of a score of Connect Four 7x6 nearer to each other, by so many positions at most.
  narrow(mover, mask, [low, high], nodes) {
    const both = this.#call("connect_four_7x6_narrow")(mover, mask, low, high, nodes);
    return [(both & 255) - ZERO, (both >> 8) - ZERO];
  }

  // [value, whether an estimate went into it] of a position of `connect_four_8x8` or `santorini`. Throws OutOfTime.
  look(game, position, depth, alpha, beta, outOfTime) {
    for (let nodes = FIRST_NODES; !outOfTime(); nodes = more(nodes)) {
      const found = this.#call(`${game}_value`)(...position, depth, alpha, beta, nodes);
      if (!(found & 1)) return [found >> 2, Boolean(found & 2)];
    }
    throw new OutOfTime();
  }

  // Forget everything: the next call visits what it would visit in a new instance.
  forget() {
    for (const [game, { exports }] of this.#instances) exports[`${game}_forget`]();
  }
}

// Half as many again: what comes too late is a third of the time at most, and little is done twice.
export const more = (nodes) => nodes + (nodes >> 1);
