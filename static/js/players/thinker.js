// A page's way to its players and kernel: one worker, begun with the first question.
let worker;
let last = 0;
const asked = new Map();

function begun() {
  const made = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  made.addEventListener("message", ({ data: { id, found, why } }) => {
    const { resolve, reject } = asked.get(id);
    asked.delete(id);
    if (why) reject(new Error(why));
    else resolve(found);
  });
  // It could not be loaded, or broke: whoever waits is told, and the next question begins another one.
  made.addEventListener("error", () => {
    worker = undefined;
    for (const { reject } of asked.values()) reject(new Error("the players could not be loaded"));
    asked.clear();
  });
  return made;
}

// What the worker finds out: `question` as players/worker.js says.
export function think(question) {
  worker ??= begun();
  return new Promise((resolve, reject) => {
    asked.set(++last, { resolve, reject });
    worker.postMessage({ ...question, id: last });
  });
}
