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

// The same for three seconds, unless something else is said there.
export function brief(words) {
  const place = byId("status").querySelector(".said");
  if (!place) return;
  const before = place.innerHTML;
  line(words);
  tell("say", words);
  setTimeout(() => {
    if (place.isConnected && place.textContent === words) place.innerHTML = before;
    document.dispatchEvent(new Event("arena:said"));
  }, 3000);
}
