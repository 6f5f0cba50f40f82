// What stands in place of a page whose server does not answer, a copy or the offline page: the page itself comes when it
// does. Whoever has begun something here is asked first.
import { _ } from "./words.js";

const AGAIN_MS = 3000;
const asked = document.getElementById("asked");
const place = document.getElementById("copy") ?? (location.pathname === "/offline/" ? null : asked);
let isUsed = Boolean(document.querySelector("main[data-begun]"));
let isThere = false;

async function look() {
  if (isThere || document.hidden) return;
  // One that is slow to answer would be slow with the page, and a copy would come in its place again.
  const signal = AbortSignal.timeout(AGAIN_MS);
  const answer = await fetch(location.href, { method: "HEAD", cache: "no-store", signal }).catch(() => null);
  // A server that is starting, or the one in front of it, says so.
  if (isThere || !answer || answer.status >= 500) return;
  isThere = true;
  if (!isUsed) return location.reload();
  place.replaceChildren(Object.assign(document.createElement("a"), { href: "", textContent: _("The server answers again: open the page") }));
}

if (place) {
  if (place === asked) {
    asked.textContent = _("The server does not answer. The page that you opened comes as soon as it does.");
    asked.hidden = false;
  }
  for (const name of ["input", "submit"]) addEventListener(name, () => (isUsed = true));
  addEventListener("online", look);
  addEventListener("visibilitychange", look);
  setInterval(look, AGAIN_MS);
}
