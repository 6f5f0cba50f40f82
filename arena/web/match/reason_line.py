"""Why a match ended, under its headline."""

from __future__ import annotations

from django.utils.html import escape, strip_tags

# On the narrowest phone a line holds about fifty letters, and a rating may follow.
MOST_IN_A_LINE = 40


def reason_line(reason: str, notes: str) -> str:
    """The reason in one line, with the markup of the notes after it: a dot stands between them, and no full stop before
    it. Long text, such as a proof or both ratings, is cut if the line is short, and shown whole after a tap.
    """
    reason = reason.removesuffix(".") if notes else reason
    said = f'<span class="reason">{escape(reason)}</span>{notes}'
    if len(reason) <= MOST_IN_A_LINE and len(strip_tags(notes)) <= MOST_IN_A_LINE:
        return f"<p>{said}</p>"
    return f'<details class="uncut"><summary>{said}</summary><p class="card">{escape(reason)}{notes}</p></details>'
