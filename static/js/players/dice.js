// The dice of Python's random.Random, so that one seed gives the same choices in the browser and on the server:
// MT19937 (Matsumoto and Nishimura 1998), seeded and asked as CPython does.
const N = 624;
const M = 397;

function twist(state) {
  for (let i = 0; i < N; i++) {
    const y = (state[i] & 0x80000000) | (state[(i + 1) % N] & 0x7fffffff);
    state[i] = state[(i + M) % N] ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
  }
}

function seeded(seed) {
  const state = new Uint32Array(N);
  state[0] = 19650218;
  for (let i = 1; i < N; i++) state[i] = Math.imul(1812433253, state[i - 1] ^ (state[i - 1] >>> 30)) + i;
  let i = 1;
  const step = (factor, add) => {
    state[i] = (state[i] ^ Math.imul(state[i - 1] ^ (state[i - 1] >>> 30), factor)) + add;
    if (++i === N) [state[0], i] = [state[N - 1], 1];
  };
  // The key has one word: seeds are numbers of 32 bits.
  for (let k = 0; k < N; k++) step(1664525, seed);
  for (let k = 1; k < N; k++) step(1566083941, -i);
  state[0] = 0x80000000;
  return state;
}

export class Dice {
  #state;
  #next = N;

  constructor(seed) {
    this.#state = seeded(seed);
  }

  #word() {
    if (this.#next === N) [, this.#next] = [twist(this.#state), 0];
    let y = this.#state[this.#next++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }

  // From 0 to 1, 1 not included.
  random() {
    const [a, b] = [this.#word() >>> 5, this.#word() >>> 6];
    return (a * 67108864 + b) / 9007199254740992;
  }

  #below(n) {
    const bits = 32 - Math.clz32(n);
    for (;;) {
      const found = this.#word() >>> (32 - bits);
      if (found < n) return found;
    }
  }

  choice(items) {
    return items[this.#below(items.length)];
  }

  weighted(items, weights) {
    let sum = 0;
    const sums = weights.map((weight) => (sum += weight));
    const at = this.random() * sum;
    return items[Math.min(sums.filter((each) => each <= at).length, items.length - 1)];
  }

  shuffle(items) {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.#below(i + 1);
      [items[i], items[j]] = [items[j], items[i]];
    }
  }
}
