// The built-in players in the browser: what games/players/__init__.py and arena/analysis/proofs.py do, move for move and
// value for value. The dice, the kernel and the time are the caller's.
import * as connectFour from "./connect-four.js";
import * as expandingNim from "./expanding-nim.js";
import { LEVELS } from "./levels.js";
import * as santorini from "./santorini.js";
import { OutOfTime, PROVEN, WIN } from "./search.js";
import { gameOf } from "../rules/rules.js";

const PLAYERS = { "connect-four": connectFour, "expanding-nim": expandingNim, santorini };
const DEEPEST = 200;

// A legal move of a player of this level.
export function choose(variant, position, level, dice, outOfTime, kernel) {
  const [player, strength] = [PLAYERS[gameOf(variant)], LEVELS[level]];
  const wins = dice.random() < strength.sees_win ? player.wins(position) : [];
  if (wins.length) return dice.choice(wins);
  let moves = dice.random() < strength.sees_danger ? safest(player, position) : position.legal();
  if (!strength.depth) {
    return dice.weighted(moves, moves.map((move) => (strength.central ? player.weight(position, move) : 1)));
  }
  dice.shuffle(moves); // of equal moves the first is taken: not always the same one
  if (!strength.proves) kernel.forget(); // or what was thought before would have a say
  if (strength.proves) moves = notRefuted(player, position, moves, kernel, outOfTime);
  if (strength.proves && moves.length === 1) return moves[0];
  const slips = !strength.proves && moves.length > 1 && dice.random() < strength.slip * (player.slips ?? 1);
  return player.ranked(position, moves, strength.depth, kernel, outOfTime)[Number(slips)];
}

function safest(player, position) {
  const exposed = new Map(position.legal().map((move) => [move, player.repliesThatWin(position, move)]));
  const fewest = Math.min(...exposed.values());
  return [...exposed.keys()].filter((move) => exposed.get(move) === fewest);
}

// The best move alone where it is proved, else those that are not proved worse than another one.
function notRefuted(player, position, moves, kernel, outOfTime) {
  const bounds = player.exact === expandingNim.exact ? null : player.exact(position, kernel, outOfTime);
  if (!bounds) return moves;
  const best = Math.max(...moves.map((move) => bounds.get(move)[0]));
  const kept = moves.filter((move) => bounds.get(move)[1] >= best);
  const surest = kept.filter((move) => bounds.get(move)[0] === best);
  return best > 0 || kept.every((move) => isExact(bounds.get(move))) ? surest.slice(0, 1) : kept;
}

const isExact = ([low, high]) => low === high;

// What is proved of every legal move, in their order: n for a win after n plies, -n for a loss, 0 for a draw, "w" or "l"
// where only the result is known, null for nothing.
export function values(variant, position, kernel, outOfTime) {
  const player = PLAYERS[gameOf(variant)];
  const bounds = player.exact(position, kernel, outOfTime) ?? searched(player, position, kernel, outOfTime);
  return position.legal().map((move) => entry(bounds.get(move), position.ply));
}

// One ply further each time, until all is proved or time is up.
function searched(player, position, kernel, outOfTime) {
  const { decided, open } = player.outlook(position);
  const found = new Map([...decided].map(([move, value]) => [move, [value, value]]));
  try {
    for (let depth = 1; depth <= DEEPEST && open.size; depth++) {
      for (const [move, node] of [...open]) {
        const [value, isCut] = player.look(kernel, node, depth - 1, outOfTime);
        found.set(move, certain(-value, isCut, position.ply, depth));
        if (isExact(found.get(move))) open.delete(move);
      }
    }
  } catch (why) {
    if (!(why instanceof OutOfTime)) throw why;
  }
  return found;
}

// A proved end within these plies is the soonest, for all lines up to there were looked at; a later one comes from the
// table, and there may be a sooner one in between.
function certain(value, isCut, ply, depth) {
  if (!isCut) return [value, value];
  if (Math.abs(value) <= PROVEN) return [-WIN, WIN];
  const seen = WIN - Math.abs(value) - ply <= depth;
  if (value > 0) return [value, seen ? value : WIN - ply - 1];
  return [seen ? value : ply + 1 - WIN, value];
}

function entry([low, high] = [-WIN, WIN], ply) {
  if (low <= 0 && high >= 0) return low === high ? 0 : null;
  if (low !== high) return low > 0 ? "w" : "l";
  const plies = WIN - Math.abs(low) - ply;
  return low > 0 ? plies : -plies;
}
