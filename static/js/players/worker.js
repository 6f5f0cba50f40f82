// The players and the kernel in a thread of their own, so that a page never waits for a thought. Asked
// {id, act: "ready" | "values" | "choose", variant, settings, moves, ms, level, seed}, it answers {id, found} or {id, why}.
import { Dice } from "./dice.js";
import { Kernel } from "./kernel.js";
import { choose, values } from "./players.js";
import { after } from "../rules/rules.js";

const MODULE = new URL("../../kernel/kernel.wasm", import.meta.url);
let kernel;

async function answer({ act, variant, settings, moves, ms, level, seed }) {
  kernel ??= await Kernel.load(MODULE);
  if (act === "ready") return true;
  const at = after(variant, settings, moves);
  const until = performance.now() + ms;
  const outOfTime = () => performance.now() > until;
  if (act === "choose") return choose(variant, at, level, new Dice(seed), outOfTime, kernel);
  return values(variant, at, kernel, outOfTime);
}

addEventListener("message", async ({ data }) => {
  try {
    postMessage({ id: data.id, found: await answer(data) });
  } catch (why) {
    postMessage({ id: data.id, why: String(why) });
  }
});
