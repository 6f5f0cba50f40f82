// What draws the boards of each game in the browser, by its slug: `pieces(position, last move, title)`, `controls(position)`
// for both sides, and `named(move)`, the move inside a sentence, `subject(move)`, as what wins.
import * as connectFour from "./connect-four.js";
import * as expandingNim from "./expanding-nim.js";
import * as santorini from "./santorini.js";
import { gameOf } from "../rules/rules.js";

const BOARDS = { "connect-four": connectFour, "expanding-nim": expandingNim, santorini };

export const boardOf = (variant) => BOARDS[gameOf(variant)];
