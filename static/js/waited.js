// How long the player who opened a room has waited there: what the server said last, counted on.
const text = (s) => new Date(s * 1000).toISOString().slice(s < 600 ? 15 : s < 3600 ? 14 : s < 36000 ? 12 : 11, 19);
let said, since;

setInterval(() => {
  const shown = document.querySelector("[data-waited]");
  if (!shown) return;
  if (said !== shown.dataset.waited) [said, since] = [shown.dataset.waited, performance.now() - 1000 * shown.dataset.waited];
  shown.textContent = text(Math.floor((performance.now() - since) / 1000));
}, 1000);
