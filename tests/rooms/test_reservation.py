from __future__ import annotations

import pytest

from arena.match.state import SeatSetup
from arena.models import Place
from arena.rooms.reservation import (
    FREE,
    TRANSITIONS,
    Reservation,
    SideEvent,
    SideState,
    is_back,
    is_open,
    may_sit,
    refusal_for,
    side_for,
    why_no_side,
)
from tests.kit.until import until

ADA = SeatSetup("Ada", player=1)
BOB = SeatSetup("Bob", player=2)
GRAVITY = SeatSetup("gravity", "bot", 7, "fiar", verified=True, holder="a" * 64)
STRANGER = SeatSetup("fiar (unverified)", "bot", protocol="fiar")
CLUB = SeatSetup("Club (built in)", "builtin", level="club")

ME, ANYONE, BUILTIN = Place(kind="me", player_id=1), Place(kind="anyone"), Place(kind="builtin", level="club")
BOT, COMMAND = Place(kind="bot", player_id=7), Place(kind="command", player_id=7)
SOCKET = Place(kind="socket", protocol="fiar", token_sha256="b" * 64)
CHANNEL = Place(kind="socket", protocol="droidcon", token_sha256="c" * 64)


@pytest.mark.parametrize(
    ("place", "who", "may"),
    [
        (None, STRANGER, True),
        (ANYONE, STRANGER, True),
        (ANYONE, ADA, True),
        (ME, ADA, True),
        (ME, BOB, False),
        (ME, GRAVITY._replace(player=1), False),
        (BUILTIN, CLUB, True),
        (BUILTIN, ADA, False),
        (BOT, GRAVITY, True),
        (BOT, GRAVITY._replace(verified=False), False),
        (BOT, GRAVITY._replace(player=8), False),
        (COMMAND, GRAVITY, True),
        (COMMAND, STRANGER, False),
        (SOCKET, STRANGER._replace(holder="b" * 64), True),
        (SOCKET, STRANGER._replace(holder="c" * 64), False),
        (SOCKET, STRANGER, False),
        (SOCKET, ADA, False),
        (CHANNEL, STRANGER._replace(protocol="droidcon"), True),
        (CHANNEL, STRANGER, False),
        (Place(kind="socket", protocol="fiar"), STRANGER, False),
        (Place(kind="socket", protocol="gone"), STRANGER, False),
    ],
)
def test_who_may_sit_where(place: Place | None, who: SeatSetup, may: bool) -> None:
    assert may_sit(place, who) is may
    assert (refusal_for(place, who) is None) is may


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (ME, "kept for who opened the room"),
        (BUILTIN, "kept for a built-in player"),
        (BOT, "kept for one registered bot"),
        (COMMAND, "kept for a bot that this server runs"),
        (SOCKET, "kept for a bot that speaks fiar and shows the token of this seat"),
    ],
)
def test_a_refusal_says_for_whom_the_seat_is_kept(place: Place, words: str) -> None:
    refusal = refusal_for(place, BOB)
    assert refusal is not None and refusal.code == "place_kept" and words in refusal.sentence


def test_a_side_that_is_kept_for_somebody_comes_first() -> None:
    assert side_for((ANYONE, ME), (None, None), ADA) == 1
    assert side_for((ANYONE, ME), (None, None), BOB) == 0
    assert side_for((ANYONE, ME), (object(), None), BOB) is None
    assert side_for(FREE, (None, None), STRANGER) == 0


def test_who_finds_no_side_is_told_why() -> None:
    assert why_no_side((ANYONE, ME), (object(), None), BOB).code == "place_kept"
    assert why_no_side((ANYONE, ME), (object(), object()), BOB).code == "room_is_full"


def test_what_is_anybodys() -> None:
    assert [is_open(place) for place in (None, ANYONE, ME, SOCKET)] == [True, True, False, False]


SHOWN = STRANGER._replace(holder="c" * 64)


@pytest.mark.parametrize(
    ("before", "bot", "back"),
    [
        (SHOWN, SHOWN, True),
        (SHOWN, SHOWN._replace(name="x"), True),
        (SHOWN, SHOWN._replace(holder="d" * 64), False),
        (SHOWN, SHOWN._replace(protocol="native"), False),
        (SHOWN, STRANGER, False),
        (STRANGER, STRANGER, False),
        (STRANGER, SHOWN, False),
        (GRAVITY, GRAVITY._replace(holder="new token"), True),
        (GRAVITY, GRAVITY._replace(verified=False), False),
        (GRAVITY, GRAVITY._replace(player=8), False),
        (GRAVITY, STRANGER._replace(name="gravity", holder=GRAVITY.holder), False),
        (SHOWN, GRAVITY._replace(holder=SHOWN.holder), False),
    ],
)
def test_who_is_known_again_by_what(before: SeatSetup, bot: SeatSetup, back: bool) -> None:
    assert is_back(before, bot) is back


# -- what becomes of a side --------------------------------------------------------------------------------------------


async def test_a_side_is_kept_offered_taken_away_and_taken_again_until_it_is_closed() -> None:
    side, seen = Reservation[str](), []
    for happens in (side.offer, lambda: side.take("a"), side.lose, lambda: side.take("b"), side.leave, side.close):
        seen.append(side.state.name)
        happens()
    assert seen == ["KEPT", "OFFERED", "TAKEN", "AWAY", "TAKEN", "KEPT"]
    assert side.state is SideState.CLOSED and side.occupant is None


async def test_who_does_not_come_back_is_given_up_once() -> None:
    side, given_up = Reservation[str](), list[str]()
    side.take("a")
    side.lose()
    side.give_up_after(0.01, lambda: given_up.append("a"))
    await until(lambda: bool(given_up))
    assert side.state is SideState.GIVEN_UP and side.occupant == "a"


async def test_who_is_back_is_not_given_up_and_nobody_is_while_our_side_goes_down() -> None:
    sides, given_up = [Reservation[str](), Reservation[str](), Reservation[str]()], list[str]()
    for side in sides:
        side.take("a")
        side.lose()
    for side, after in zip(sides, (0.01, 0.01, 0.02), strict=True):
        side.give_up_after(after, lambda: given_up.append("somebody"))
    sides[0].take("a, on another connection")
    sides[1].hold()
    await until(lambda: bool(given_up))
    states = [side.state for side in sides]
    assert states == [SideState.TAKEN, SideState.AWAY, SideState.GIVEN_UP] and len(given_up) == 1


def test_a_closed_side_stays_closed_and_every_other_one_can_be_closed() -> None:
    assert [event for (state, event), after in TRANSITIONS.items() if state is SideState.CLOSED is not after] == []
    assert all(TRANSITIONS[state, SideEvent.CLOSE] is SideState.CLOSED for state in SideState)


def test_every_state_is_reached_and_is_left_by_something_else_than_the_end() -> None:
    left = {state for state, event in TRANSITIONS if event is not SideEvent.CLOSE}
    assert set(TRANSITIONS.values()) == set(SideState) and left == set(SideState) - {SideState.CLOSED}
