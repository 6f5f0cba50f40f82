"""Whose connection is kept for the next pairing of its event, and who is told that it is over."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from arena.bots.session import staying
from arena.bots.session.finding import Connected
from arena.bots.session.session import Session
from arena.bots.session.session_state import SessionEvent
from arena.match.state import SeatSetup
from arena.protocols import protocol
from arena.protocols.adapter import Bye


class Connection:
    """Hears what is said."""

    def __init__(self, slug: str) -> None:
        self.adapter = protocol(slug)()
        self.said: list[object] = []

    def say(self, event: object) -> None:
        self.said.append(event)


def a_session(slug: str, *, keeps: bool = True, verified: bool = True, ready: bool = True) -> Any:
    """What of a session matters here."""
    session: Any = Connected()
    session.connection, session.live = Connection(slug), object()
    session.setup = SeatSetup("bot", "bot", 1, slug, verified=verified)
    session.room = SimpleNamespace(keeps=lambda who: keeps, over=True)
    if ready:
        session.happens(SessionEvent.READY)
    return session


def kept(**how: Any) -> bool:
    return staying.keep(cast(Session, a_session(how.pop("slug", "native"), **how)))


def test_only_proven_bots_of_protocols_that_go_on_stay_and_only_while_they_are_needed() -> None:
    assert kept() and kept(slug="santorini-json")
    assert not kept(slug="fiar") and not kept(keeps=False) and not kept(verified=False) and not kept(ready=False)


def test_who_stayed_is_told_once_that_it_is_over_and_nobody_else_is() -> None:
    stayed, other = a_session("native"), a_session("native")
    assert staying.keep(stayed)
    staying.end([stayed, stayed, other, object()])
    assert (stayed.connection.said, other.connection.said) == ([Bye(of_event=True)], [])


def test_who_plays_again_already_is_told_nothing() -> None:
    session = a_session("native")
    staying.keep(session)
    session.room.over = False
    staying.end([session])
    assert session.connection.said == []
