// What a match page says: to screen readers, and for a moment in the line under the board.
const byId = (id) => document.getElementById(id);

// The old text goes first, so that the same sentence is another one for a screen reader.
export function tell(id, words) {
  byId(id).replaceChildren();
  byId(id).append(words);
}

// The line under the board says this, until the next picture of it comes.
export function line(words) {
  const place = byId("status").querySelector(".said");
  if (place && place.textContent !== words) place.textContent = words;
}

let moment = {};

// The same for three seconds, unless something else is said there. What it stands for comes again after the last of several.
export function brief(words) {
  const place = byId("status").querySelector(".said");
  if (!place) return;
  clearTimeout(moment.timer);
  const before = place.textContent === moment.words ? moment.before : place.innerHTML;
  line(words);
  tell("say", words);
  const timer = setTimeout(() => {
    if (place.isConnected && place.textContent === words) place.innerHTML = before;
    moment = {};
    document.dispatchEvent(new Event("arena:said"));
  }, 3000);
  moment = { words, before, timer };
}
