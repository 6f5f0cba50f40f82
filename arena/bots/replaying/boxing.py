"""Makes the black box of a stored match: its log, both original wires, and the versions that played."""

from __future__ import annotations

import platform

from arena import paths
from arena.bots.session.wire_store import stored_messages
from arena.core.log_store import DatabaseStore
from arena.match import black_box
from arena.match.black_box import Spoken
from arena.models import Match


def black_box_of(match: str) -> str:
    """The text of the file, "" if there is none yet. Raises ValueError for a wire not stored in its original form."""
    row = Match.objects.select_related("room").filter(pk=match).first()
    events = DatabaseStore().read(match) if row is not None else ()
    if row is None or not events:
        return ""
    wires = [[Spoken(*message) for message in stored_messages(match, seat)] for seat in (0, 1)]
    room = row.room.shown_code if row.room is not None else ""
    versions = {"arena": paths.version() or "checkout", "python": platform.python_version(), "rules": str(row.rules)}
    return "".join(black_box.lines(match, events, room, versions, wires))
