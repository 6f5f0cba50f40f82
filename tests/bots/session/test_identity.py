from __future__ import annotations

import pytest

from arena.bots.session.identity import proven, showing, unproven
from arena.bots.session.tokens import Identity
from arena.common.names import LONGEST_NAME, cleaned
from arena.match.state import SeatSetup
from arena.rooms.reservation import bare


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("gravity-9", "gravity-9"),
        ("<b>ada</b>", "badab"),
        ("ada (unverified)", "ada unverified"),
        ("٤", "٤"),
        ("Żółw", "Żółw"),
    ]
    + [
        ("\udcff\udcfeka", "\ufffd\ufffdka"),
        ("a\u202eb\u200bc\x00", "abc"),
        ("🐢", "🐢"),
        ("<\udcff>", "\ufffd"),
        ("`'&", ""),
    ],
)
def test_a_name_keeps_what_a_name_may_have(name: str, kept: str) -> None:
    assert cleaned(name) == kept


def test_a_name_is_bounded() -> None:
    assert cleaned("a" * 500) == "a" * LONGEST_NAME


def test_a_name_that_nobody_has_proven_says_so_and_is_itself_on_the_wire() -> None:
    assert unproven("ada") == "ada (unverified)"
    assert bare(unproven("ada")) == bare("ada") == "ada"


@pytest.mark.parametrize("name", ["TEST", "test"])
def test_who_only_tests_poses_as_nobody(name: str) -> None:
    assert SeatSetup(unproven(name), "bot").is_test


def test_the_name_of_a_registered_bot_wins() -> None:
    seat = proven(SeatSetup("ada (unverified)", "bot", protocol="fiar"), Identity(7, "gravity-9", "fiar", 3, "f" * 64))
    assert seat == SeatSetup("gravity-9", "bot", 7, "fiar", verified=True, holder="f" * 64, owner=3)


ADA = SeatSetup("ada (unverified)", "bot", protocol="native")


def test_the_same_shown_again_is_the_same_and_nothing_of_it_can_be_read() -> None:
    shown = showing(ADA, "join", "192.0.2.7").holder
    assert shown == showing(ADA._replace(name="ADA (unverified)", holder="x"), "join", "192.0.2.7").holder
    assert len(shown) == 64 and "192.0.2.7" not in shown


@pytest.mark.parametrize(
    ("bot", "shown"),
    [
        (ADA._replace(name="bob (unverified)"), ("join", "192.0.2.7")),
        (ADA._replace(protocol="droidcon"), ("join", "192.0.2.7")),
        (ADA, ("join", "192.0.2.8")),
        (ADA, ("queue", "192.0.2.7")),
        (ADA, ("join",)),
    ],
)
def test_anything_else_is_somebody_else(bot: SeatSetup, shown: tuple[str, ...]) -> None:
    assert showing(bot, *shown).holder != showing(ADA, "join", "192.0.2.7").holder


def test_who_has_proven_who_it_is_shows_that() -> None:
    seat = ADA._replace(verified=True, player=7, holder="f" * 64)
    assert showing(seat, "join", "192.0.2.7") == seat
