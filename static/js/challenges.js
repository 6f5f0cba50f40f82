// What concerns this person on whatever page they are: challenges and their answers, over a socket of their own. While
// they play, only the mark on their name says so.
const region = document.getElementById("challenges");
let tries = 0;
let refused = 0;

// From where the keys go on when what they were at is gone.
const goOn = () => document.querySelector("main").focus({ preventScroll: true });

// A card that is here already stays as it is: what has the focus in it keeps it, and nobody is read it again.
function show(html) {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const card of body.querySelectorAll("[data-at]")) if (card.dataset.at.split(" ").includes(location.pathname)) card.remove();
  const held = region.contains(document.activeElement);
  Idiomorph.morph(region, body.innerHTML, { morphStyle: "innerHTML" });
  if (held && !region.contains(document.activeElement)) goOn();
  document.documentElement.toggleAttribute("data-asked", region.querySelector(".received"));
}

function connect() {
  const socket = new WebSocket(`${location.origin.replace("http", "ws")}/ws/me/?language=${document.documentElement.lang}`);
  socket.onopen = () => (tries = 0);
  // The other messages are heartbeats.
  socket.onmessage = ({ data }) => data.includes('id="hb"') || show(data);
  // Nobody is known by the cookie. Once: that of a login may be on its way.
  socket.onclose = ({ code }) => code === 4404 && refused++ || setTimeout(connect, Math.min(60000, 1000 * 2 ** tries++) * (0.5 + Math.random()));
}

// What needs no other page is answered in place; a refusal is read on a page of its own.
async function answered(event) {
  const button = event.submitter;
  if (!button || !("stay" in button.dataset)) return;
  event.preventDefault();
  const sent = { method: "POST", body: new FormData(event.target), headers: { "HX-Request": "true" } };
  goOn();
  button.disabled = true; // once: a second answer would be refused
  const done = await fetch(button.formAction, sent).then((answer) => answer.ok, () => false);
  if (!done) [event.target.action] = [button.formAction], event.target.submit();
}

if (region) {
  document.getElementById("answer").addEventListener("submit", answered);
  show(region.innerHTML);
  if (document.readyState === "complete") connect();
  else addEventListener("load", () => setTimeout(connect, 300));
}
