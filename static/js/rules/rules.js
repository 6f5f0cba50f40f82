// Every game that the browser knows the rules of, by its slug: one module each. A position has `ply`, `toMove`, `over`,
// `winner`, `legal()`, `play(move)`, which throws, and its text.
import { ConnectFour } from "./connect-four.js";
import { ExpandingNim } from "./expanding-nim.js";
import { Santorini } from "./santorini.js";

const GAMES = { "connect-four": ConnectFour, "expanding-nim": ExpandingNim, santorini: Santorini };

export const gameOf = (variant) => Object.keys(GAMES).find((game) => variant === game || variant.startsWith(`${game}-`));

export function begin(variant, settings = {}) {
  const game = GAMES[gameOf(variant)];
  if (!game) throw new RangeError(`no rules of ${variant} here`);
  return game.start(variant, settings);
}

export const after = (variant, settings, moves) => moves.reduce((at, move) => at.play(move), begin(variant, settings));
