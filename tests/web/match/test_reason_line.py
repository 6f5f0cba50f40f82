"""The reason under the headline: a short one as it is, a long one whole behind a tap."""

from __future__ import annotations

from arena.web.match.ending_card import reason_line
from tests.web.markup import words


def test_only_a_long_reason_has_something_to_open() -> None:
    for note in ("Series lost 1 to 3.", "Friendly, ratings unchanged"):
        short = reason_line("Mira K resigned.", (note,))
        assert "<details" not in short and words(short) == f"Mira K resigned · {note}"
    cut = reason_line("Four in a row, from column 1 to 4.", ("Series lost 1 to 3.",))
    assert cut.startswith("<details"), "neither is long, but a phone does not hold both"
    assert reason_line("Bob resigned.", ()) == '<p><span class="reason">Bob resigned.</span></p>'
    proof = "Ada <b> wins by force, proved for 8 moves: 4 4 5 3 3 2 6 6."
    long = reason_line(proof, ())
    assert long.startswith("<details") and words(long) == f"{proof} {proof}"
    both = reason_line("The board is full.", ("Mira K: 1503 → 1501 (−2)", "Nora: 1424 → 1429 (+5)"))
    assert both.startswith("<details") and words(both).count("Nora: 1424 → 1429 (+5)") == 2
