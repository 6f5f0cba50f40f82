"""Notices above any page: a passing sentence, and the bar that stays while nothing can be stored."""

from __future__ import annotations

from datetime import UTC, datetime

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from arena import figures
from arena.core.storage_watch import trouble
from arena.web.words import spoken

# As a message of a websocket it is morphed, so that it is read aloud when it changes.
_BAR = '<p id="storage" class="bar-top notice{}" role="status" hx-swap-oob="morph"{}>{}</p>'


def notice(sentence: str) -> str:
    """A sentence in answer to something that no part of the page answers."""
    return f'<div id="toast" role="status" hx-swap-oob="morph">{escape(sentence)}</div>'


def closing_words(now: datetime) -> str:
    """The announcement of a planned restart, "" if there is none."""
    numbers = figures.present()
    if numbers is None or numbers.closes is None:
        return ""
    if numbers.closes <= now:
        return _("The arena restarts soon. Running matches are played to the end; new ones can begin afterwards.")
    words = _("The arena restarts at {time} UTC. Running matches are played to the end; no new ones begin after that.")
    return words.format(time=f"{numbers.closes:%H:%M}")


def storage_bar(staff: bool = False) -> SafeString:
    """The bar over every page while nothing can be stored, which tells staff what to do, or while the server is to
    stop; hidden while all is well.
    """
    found = trouble()
    if found is None:
        closing = closing_words(datetime.now(UTC))
        return mark_safe(_BAR.format(" warn" if closing else "", "" if closing else " hidden", escape(closing)))
    waits = _("While a match waits for it, no clock runs.")
    goes_on = _("Nothing can be played until this is fixed.") if found.final else waits
    words = [f"<b>{escape(spoken(found.words))}</b>", goes_on, escape(found.todo) if staff else ""]
    return mark_safe(_BAR.format(" error", "", " ".join(words).strip()))
