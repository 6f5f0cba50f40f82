// The chat beside a match: frames say the number of the newest line, and the page asks for the lines when it shows them.
const parts = document.getElementById("parts");
const lines = document.getElementById("chat-lines");
const links = () => document.querySelectorAll("[data-to=chat]");
const newest = () => Number(document.getElementById("chat-newest").dataset.newest);
let asked = newest();
let coming = Promise.resolve();

// One after the other: htmx says of a request that waits for another that it is over.
function ask() {
  asked = newest();
  return (coming = coming.then(() => htmx.ajax("GET", lines.action, { source: parts, swap: "none" })).catch(() => {}));
}

// `follows`: the newest line is to be seen.
async function show(follows) {
  for (const link of links()) delete link.dataset.news;
  await ask();
  if (follows) down();
}

function readsEarlier() {
  const { scrollTop, clientHeight, scrollHeight } = lines;
  return scrollTop + clientHeight < scrollHeight - 40;
}

function down() {
  lines.scrollTop = lines.scrollHeight;
}

// The menu of the last line would open below the edge of the list.
function opened({ target }) {
  if (target.open && target.matches(".chat-line details")) target.querySelector(".menu-list").scrollIntoView({ block: "nearest" });
}

async function heard() {
  const known = asked;
  if (newest() <= known) return;
  if (parts.dataset.tab === "chat") return show(!readsEarlier());
  // The number does not say whose line it is: who has muted somebody looks at it first.
  if (lines.matches("[data-mutes]")) {
    await ask();
    if (!(lines.lastElementChild?.id.slice(2) > known)) return;
  }
  for (const link of links()) link.dataset.news = "";
}

if (lines) {
  document.addEventListener("htmx:wsAfterMessage", heard);
  document.addEventListener("toggle", opened, true);
  document.addEventListener("arena:part", ({ detail }) => detail === "chat" && show(true));
  // What was refused stays in the field. It is `successful` as well: its words are put on the page.
  document.addEventListener("htmx:afterRequest", ({ target, detail }) => {
    if (target.id !== "chat-form" || detail.xhr.status !== 200) return;
    target.reset();
    down();
  });
  down();
}
