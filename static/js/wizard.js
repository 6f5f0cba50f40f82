// How long ago something was heard, counted on here; everything else comes from the server.
function count() {
  for (const element of document.querySelectorAll("#heard [data-at]")) {
    const s = Math.max(0, Math.round((Date.now() - element.dataset.at) / 1000));
    element.textContent = `, ${s === 1 ? "1 second" : s < 120 ? `${s} seconds` : `${Math.floor(s / 60)} minutes`} ago`;
  }
}

setInterval(count, 1000);
