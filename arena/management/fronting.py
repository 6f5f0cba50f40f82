"""How the processes of one arena share its pages: implements the interfaces of `arena.cluster`."""

from __future__ import annotations

from arena.cluster.bus import Bus
from arena.cluster.roles import Fronting
from arena.routing import stays
from arena.web import elsewhere
from arena.web.following.mirror import FrontMirror
from arena.web.following.publisher import Publisher


def follower(bus: Bus) -> FrontMirror:
    """Keeps this process's copy of its host from now on, for all its pages."""
    mirror = FrontMirror(bus)
    elsewhere.keep(mirror)
    return mirror


FRONTING = Fronting(stays, follower, Publisher)
