// Iterative deepening at the root, as games/players/search.py does it, over any `look(node, depth, alpha, beta)` that
// gives [value, whether an estimate went into it] and throws OutOfTime. Values are for the player to move: WIN - n for a
// win that ends the match at ply n, the negative for a loss, 0 for a draw, small numbers for estimates.
export const WIN = 1000000;
export const PROVEN = WIN - 100000;

export class OutOfTime extends Error {}

// The moves best first, at most `deepest` plies ahead; the second is the one that the first displaced.
export function rank(look, nodes, ply, deepest) {
  const order = [...nodes.keys()];
  if (order.length < 2) return order;
  try {
    for (let depth = 1; depth <= deepest; depth++) {
      const [value, isCut] = improve(look, order, nodes, depth);
      // The table may know of a distant win before a nearer one is in sight: look that far.
      if (!isCut || (Math.abs(value) > PROVEN && WIN - Math.abs(value) - ply <= depth)) break;
    }
  } catch (why) {
    if (!(why instanceof OutOfTime)) throw why;
  }
  return order;
}

// Brings the best move at this depth to the front, also when time runs out on the way.
function improve(look, order, nodes, depth) {
  let [best, cut] = [-WIN, false];
  for (const move of [...order]) {
    const [found, isCut] = look(nodes.get(move), depth - 1, -WIN, -best);
    cut ||= isCut;
    if (-found <= best) continue;
    best = -found;
    order.splice(order.indexOf(move), 1);
    order.unshift(move);
  }
  return [best, cut];
}
