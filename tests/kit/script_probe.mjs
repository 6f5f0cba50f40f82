// Asked by tests/kit/scripts.py: JSON of jobs on standard input, JSON of their answers on standard output.
import { readFileSync } from "node:fs";
import { boardOf, tableOf } from "./boards/boards.js";
import { Dice } from "./players/dice.js";
import { Kernel } from "./players/kernel.js";
import { LEVELS } from "./players/levels.js";
import { choose, values } from "./players/players.js";
import { after, begin } from "./rules/rules.js";

const kernel = new Kernel(new WebAssembly.Module(readFileSync(process.argv[2])));
const never = () => false;

// How far a search gets that is stopped when it asks so often: the same on every machine.
const asked = (times) => () => --times < 0;
const seen = (at) => [String(at), at.ply, at.toMove, at.winner, at.legal()];

function refused(at, move) {
  try {
    return String(at.play(move));
  } catch (why) {
    return why instanceof RangeError ? null : String(why);
  }
}

const ACTS = {
  walk({ variant, settings, moves, wrong = [] }) {
    let at = begin(variant, settings);
    const all = [seen(at)];
    for (const move of moves) all.push(seen((at = at.play(move))));
    return { all, refused: wrong.map((move) => refused(at, move)) };
  },
  draw({ variant, settings, moves, title }) {
    const [at, board] = [after(variant, settings, moves), boardOf(variant)];
    const said = moves.length ? `${board.named(moves.at(-1))}; ${board.subject(moves.at(-1))}` : "";
    return [board.pieces(at, moves.at(-1), title), board.controls(at), tableOf(variant, at), said];
  },
  dice: ({ seed }) => {
    const dice = new Dice(seed);
    const all = [...Array(5)].flatMap(() => [dice.random(), dice.choice([..."abcdefg"]), dice.weighted([..."abc"], [1, 2.5, 4])]);
    const shuffled = [...Array(700).keys()];
    dice.shuffle(shuffled);
    return [all, shuffled];
  },
  levels: () => LEVELS,
  choose({ variant, settings, moves, level, seed }) {
    return choose(variant, after(variant, settings, moves), level, new Dice(seed), never, kernel);
  },
  values: ({ variant, settings, moves, asks = null }) => {
    kernel.forget();
    return values(variant, after(variant, settings, moves), kernel, asks === null ? never : asked(asks));
  },
};

const jobs = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(jobs.map((job) => ACTS[job.act](job))));
