// The chat beside a match: frames say the number of the newest line, and the page asks for the lines when it shows them.
const main = document.querySelector("main[data-match]");
const parts = document.getElementById("parts");
const shown = () => parts.dataset.tab === "chat" && document.getElementById("chat-lines");
const newest = () => Number(document.getElementById("chat-newest")?.dataset.newest ?? 0);
let asked = newest();

// `follows`: the newest line is to be seen.
function ask(follows) {
  asked = newest();
  for (const link of document.querySelectorAll("[data-to=chat]")) delete link.dataset.news;
  htmx.ajax("GET", `/m/${main.dataset.match}/chat/`, { source: main, swap: "none" }).then(() => follows && down()).catch(() => {});
}

const lines = () => document.getElementById("chat-lines");

function readsEarlier() {
  const { scrollTop, clientHeight, scrollHeight } = lines() ?? {};
  return scrollTop + clientHeight < scrollHeight - 40;
}

function down() {
  if (lines()) lines().scrollTop = lines().scrollHeight;
}

// The menu of the last line would open below the edge of the list.
function opened({ target }) {
  if (target.open && target.matches(".chat-line details")) target.querySelector(".menu-list").scrollIntoView({ block: "nearest" });
}

function heard() {
  if (newest() <= asked) return;
  if (shown()) return ask(!readsEarlier());
  for (const link of document.querySelectorAll("[data-to=chat]")) link.dataset.news = "";
}

if (main && document.querySelector("[data-part=chat]")) {
  document.addEventListener("htmx:wsAfterMessage", heard);
  document.addEventListener("toggle", opened, true);
  document.addEventListener("arena:part", ({ detail }) => detail === "chat" && ask(true));
  // What was refused stays in the field. It is `successful` as well: its words are put on the page.
  document.addEventListener("htmx:afterRequest", ({ target, detail }) => {
    if (target.id !== "chat-form" || detail.xhr.status !== 200) return;
    target.reset();
    down();
  });
  down();
}
