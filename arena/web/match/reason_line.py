"""Why a match ended, under its headline."""

from __future__ import annotations

from html import escape

from arena.web.match.result import FRIENDLY
from arena.web.tongue import gettext

# As many letters as a line holds on the narrowest phone.
MOST_IN_A_LINE = 46


def reason_line(reason: str, notes: tuple[str, ...]) -> str:
    """The reason in one line with the notes after it: a dot stands between them, and no full stop before it. Long text,
    such as a proof or both ratings, is cut if the line is short, and shown whole after a tap.
    """
    reason = reason.removesuffix(".") if notes else reason
    tail = "".join([_note(note) for note in notes])
    said = f'<span class="reason">{escape(reason)}</span>{tail}'
    if len(" · ".join([reason, *(note for note in notes if not _is_known(note))])) <= MOST_IN_A_LINE:
        return f"<p>{said}</p>"
    return f'<details class="uncut"><summary>{said}</summary><p class="card">{escape(reason)}{tail}</p></details>'


def _note(note: str) -> str:
    return f' <span class="note num{" friendly" if _is_known(note) else ""}">· {escape(note)}</span>'


def _is_known(note: str) -> bool:
    """Phones leave out that a match was friendly, which both players know."""
    return note == gettext(FRIENDLY)
