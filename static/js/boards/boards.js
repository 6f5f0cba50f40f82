// What draws the boards of each game in the browser, by its slug: `pieces(position, last move, title)`, `controls(position)`
// for both sides, `reader(position)`, the rows of the table for screen readers, and `named(move)`, the move inside a
// sentence, `subject(move)`, as what wins.
import * as connectFour from "./connect-four.js";
import * as expandingNim from "./expanding-nim.js";
import * as santorini from "./santorini.js";
import { gameOf } from "../rules/rules.js";
import { _ } from "../words.js";

const BOARDS = { "connect-four": connectFour, "expanding-nim": expandingNim, santorini };

export const boardOf = (variant) => BOARDS[gameOf(variant)];

export function tableOf(variant, at) {
  const caption = _("Board after move {number}", { number: at.ply });
  return `<table><caption>${caption}</caption>${boardOf(variant).reader(at)}</table>`;
}
