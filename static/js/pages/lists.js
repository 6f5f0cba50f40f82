// The lists of the administration: on a phone each row is a card, and each cell begins with the name of its column.

for (const table of document.querySelectorAll("#changelist .results table")) {
  const names = [...table.tHead.rows[0].cells].map((cell) => cell.querySelector(".text")?.textContent.trim());
  for (const row of table.tBodies[0].rows) {
    [...row.cells].forEach((cell, number) => {
      if (cell.matches("td:not(.action-checkbox)") && names[number]) cell.dataset.of = names[number];
    });
  }
}
