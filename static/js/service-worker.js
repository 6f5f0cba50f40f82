// What this browser keeps for when there is no network: the files of one version, the offline pages, and the last pages
// seen. `/sw.js` (arena/web/lobby/offline.py) puts `VERSION`, `LANGUAGE`, `SAID`, `FILES`, `PAGES` and `RETURNS` in front.
const HELD = `arena-files-${VERSION}-${LANGUAGE}`;
const SEEN = `arena-pages-${VERSION}-${LANGUAGE}`;
const OFFLINE = "/offline/";
const MOST_SEEN = 30;
const PATIENCE_MS = 8000;
const STORED = "X-Stored-At";
const FILE = `/static/${VERSION}/`;
// Who reads here may be somebody else after these.
const CHANGES_ACCOUNT = /^\/(login|logout|signup|settings|admin|back)\/|\/(claim|back)\//;
// Puzzles: an answer is sent to the page that asks.
const ASKING = /^\/(puzzles|mistakes)\//;
// What lets a form be sent, and a guest back to their seat: a copy has neither.
const SECRETS = /(csrfmiddlewaretoken" value="|"X-CSRFToken": ")[^"]*|(\/back\/)[\w:.=-]+/g;
// Counts changes of account: what was asked for before one is not kept after it.
let era = 0;

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(hold());
});

addEventListener("activate", (event) => event.waitUntil(begin()));

addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== location.origin) return;
  if (request.method !== "GET") {
    if (CHANGES_ACCOUNT.test(url.pathname)) event.respondWith(forgetting(request));
    else if (request.mode !== "navigate") return;
    else if (url.pathname === "/play/") event.respondWith(begun(request));
    else if (ASKING.test(url.pathname)) event.respondWith(sent(request));
  } else if (url.pathname.startsWith(FILE)) {
    event.respondWith(file(request));
  } else if (request.mode === "navigate" && !url.pathname.startsWith("/admin/")) {
    event.respondWith(page(event, request));
  }
});

// As nobody: the pages are the same for all who use this browser, in the language that was chosen.
const AS_NOBODY = { credentials: "omit", cache: "reload", headers: { "Accept-Language": LANGUAGE } };

async function hold() {
  const cache = await caches.open(HELD);
  await cache.addAll(FILES);
  await cache.addAll(PAGES.map((address) => new Request(address, AS_NOBODY)));
}

// Copies of another version name files that are no longer there.
async function begin() {
  const others = (await caches.keys()).filter((name) => name.startsWith("arena-") && ![HELD, SEEN].includes(name));
  await Promise.all(others.map((name) => caches.delete(name)));
  await clients.claim();
}

// The address says the version, so what lies here is never another one's. What the server led on to is not kept.
async function file(request) {
  const held = await caches.match(request, { cacheName: HELD });
  if (held) return held;
  const answer = await fetch(request);
  if (answer.status === 200 && !answer.redirected) {
    const cache = await caches.open(HELD);
    await cache.put(request, answer.clone()).catch(() => {}); // a full disk costs the copy only
  }
  return answer;
}

async function forgetting(request) {
  await forget();
  try {
    return await fetch(request);
  } finally {
    await forget();
  }
}

function forget() {
  era += 1;
  return caches.delete(SEEN);
}

// Who presses a column of a copy of the first page plays on the board that needs no network.
async function begun(request) {
  const form = request.clone();
  try {
    return await fetch(request);
  } catch {
    return Response.redirect(`${OFFLINE}?game=${(await form.formData()).get("variant")}`);
  }
}

// Who cannot send an answer has the page again, as it was seen, with the words that the arena does not answer.
async function sent(request) {
  try {
    return await fetch(request);
  } catch {
    return Response.redirect(request.url);
  }
}

// The network first; a copy where there is none, or where it says nothing for long.
async function page(event, request) {
  const now = era;
  const answered = fetch(request);
  const kept = answered.then((answer) => keep(request, answer.clone(), now)).catch(() => {});
  event.waitUntil(kept);
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
  try {
    return (await Promise.race([answered, late])) ?? (await copyOf(request)) ?? (await answered);
  } catch {
    return (await copyOf(request)) ?? (await offline(request)) ?? Response.error();
  }
}

async function keep(request, answer, asked) {
  const rule = answer.headers.get("Cache-Control") ?? "";
  const isPage = answer.headers.get("Content-Type")?.startsWith("text/html");
  if (answer.status !== 200 || answer.redirected || !isPage || /no-store|private/.test(rule)) return;
  const text = await answer.text();
  // A page of another version needs files that are not kept here.
  if (new URL(request.url).pathname === OFFLINE || !text.includes(FILE)) return;
  const headers = new Headers(answer.headers);
  headers.set(STORED, Date.now());
  for (const name of ["Content-Encoding", "Content-Length"]) headers.delete(name);
  const cache = await caches.open(SEEN);
  if (asked !== era) return;
  await cache.delete(request);
  await cache.put(request, new Response(text.replace(SECRETS, "$1$2"), { headers }));
  if (asked !== era) await caches.delete(SEEN);
  const all = await cache.keys();
  await Promise.all(all.slice(0, -MOST_SEEN).map((old) => cache.delete(old)));
}

// The page as it was seen, with the words that it is a copy on top.
async function copyOf(request) {
  const found = await caches.match(request, { cacheName: SEEN });
  if (!found) return undefined;
  const at = new Date(Number(found.headers.get(STORED)));
  const time = at.toLocaleString(LANGUAGE, { dateStyle: "medium", timeStyle: "short" });
  const words = SAID.copy.replace("{time}", `<time datetime="${at.toISOString()}">${time}</time>`);
  const bar = `<p id="copy" class="bar-top notice warn" role="status"><span>${words}</span> <a href="${OFFLINE}">${SAID.play}</a></p><script src="${RETURNS}" type="module"></script>`;
  const text = (await found.text()).replace("</header>", `</header>${bar}`);
  return new Response(text, { headers: found.headers });
}

async function offline(request) {
  const cache = await caches.open(HELD);
  const { pathname, search } = new URL(request.url);
  const asNobody = { ignoreVary: true }; // they were asked for with other headers than a browser's
  return (pathname === OFFLINE && (await cache.match(OFFLINE + search, asNobody))) || cache.match(OFFLINE, asNobody);
}
