"""The wizard's list: each thing that is heard in its own words, the last one marked as where it stands."""

from __future__ import annotations

import html
from datetime import UTC, datetime, timedelta

import pytest
from django.utils.html import strip_tags

from arena.bots.seats.hearing import Heard
from arena.web.bots.wizard_words import WORDS, WizardStep, steps


def heard(code: str, n: int = 1, /, **params: str) -> Heard:
    return Heard(code, params, datetime.now(UTC) - timedelta(seconds=2), n)


def said(code: str, other_free: bool = False, /, **params: str) -> str:
    """Title and sub line as they are read."""
    step = steps([heard(code, **params)], "arena.example.org", other_free)[0]
    return f"{step.title} / {html.unescape(strip_tags(step.words))}"


@pytest.mark.parametrize(
    ("code", "params", "words"),
    [
        ("open", {"port": "4300"}, "Room is open / Port 4300"),
        ("open", {"port": "4242", "join": "JOIN otter-1"}, "Room is open / Port 4242, channel otter-1"),
        (
            "still_waiting",
            {"port": "4300"},
            "Still waiting / Firewall? Try nc -v arena.example.org 4300 from the bot's machine.",
        ),
        ("connected", {"address": "192.0.2.17"}, "Connected / from 192.0.2.17, 2 seconds ago"),
        (
            "silent",
            {},
            "Connected, but silent / Your bot has sent nothing. Is its output flushed? "
            "In Python: print(..., flush=True).",
        ),
        ("first_line", {"line": "NAME gravity-9"}, "First line received / NAME gravity-9"),
        (
            "needs_join",
            {"answered": "SUCCESS", "join": "JOIN otter-1"},
            "Waiting for JOIN / We answered SUCCESS. Send JOIN otter-1.",
        ),
        (
            "typo",
            {"got": "JION x", "answered": "Error INVALID_COMMAND", "meant": "JOIN"},
            "We did not understand that / Got JION x, answered Error INVALID_COMMAND. Did you mean JOIN?",
        ),
        (
            "typo",
            {"got": "HELO", "answered": "Error INVALID_COMMAND", "meant": ""},
            "We did not understand that / Got HELO, answered Error INVALID_COMMAND.",
        ),
        ("no_line_end", {"bytes": "18"}, "No line end yet / We have 18 bytes but no \\n."),
        ("no_line_end", {"bytes": "1"}, "No line end yet / We have 1 byte but no \\n."),
        (
            "typo",
            {"got": "HELO", "answered": "Error INVALID_COMMAND", "meant": "", "known": "NAME, JOIN, PUT"},
            "We did not understand that / Got HELO, answered Error INVALID_COMMAND. Expected one of NAME, JOIN, PUT.",
        ),
        (
            "wrong",
            {"got": "JOIN otter-1", "answered": "Error NO_NAME_SET", "error": "NO_NAME_SET"},
            "That came at the wrong time / Got JOIN otter-1, answered Error NO_NAME_SET. "
            "Expected NAME and a name first, then JOIN.",
        ),
        (
            "wrong",
            {"got": "JOIN otter-1", "answered": "Error CHANNEL_IS_FULL", "error": "CHANNEL_IS_FULL"},
            "This seat is taken / Got JOIN otter-1, answered Error CHANNEL_IS_FULL. "
            "This seat is taken: close the other bot, or open another room.",
        ),
        (
            "elsewhere",
            {"join": "JOIN otter-1"},
            "Your bot has joined another room / A bot from your address named another channel. Send JOIN otter-1.",
        ),
        (
            "ready",
            {"name": "gravity-9"},
            "Ready to play / Joined as gravity-9. The match starts when both seats are ready.",
        ),
        (
            "stopped",
            {"exit": "exit code 1", "last_error": "ModuleNotFoundError: numpy"},
            "Your bot stopped / Exit code 1. Last error line: ModuleNotFoundError: numpy.",
        ),
        ("expired", {}, "This address has expired / Nothing connected in 15 minutes."),
        (
            "gone",
            {"why": "It went.", "got": "", "advice": "Look at its screen."},
            "Your bot has gone / It went. Look at its screen.",
        ),
        (
            "gone",
            {"why": "It went.", "got": "<b>", "advice": "Look at its screen."},
            "Your bot has gone / It went. Got <b>. Look at its screen.",
        ),
        (
            "web_client",
            {"why": "This is how HTTP begins.", "advice": "Open a plain socket."},
            "That is a web client / This is how HTTP begins. Open a plain socket.",
        ),
        ("refused", {"why": "A bot is here."}, "A connection was turned away / A bot is here."),
    ],
)
def test_each_thing_heard_has_its_words(code: str, params: dict[str, str], words: str) -> None:
    assert said(code, **params) == words


def test_another_protocol_is_named_and_offered() -> None:
    (step,) = steps([heard("other_protocol", sent="3", other="Board on a line", slugs="fiar gamestate")], "h", True)
    assert step.title == "That looks like another protocol" and step.switch == ("fiar", "gamestate")
    words = html.unescape(strip_tags(step.words))
    assert words == "Your bot sent 3. Protocol “Board on a line” answers like that. Switch?"  # noqa: RUF001


def test_who_is_ready_and_alone_gets_medium_unless_somebody_else_is_chosen() -> None:
    assert said("ready", True) == "Ready to play / Built-in Club takes the other seat in 5 s."
    (alone,), (met,) = (steps([heard("ready")], "h", other_free) for other_free in (True, False))
    assert (alone.action, met.action) == ("other", "")


def test_what_a_stopped_bot_said_is_on_the_wire() -> None:
    assert steps([heard("stopped", exit="exit code 1")], "h", True)[0].action == "wire"


def test_an_expired_address_can_be_opened_again() -> None:
    assert steps([heard("expired")], "h", True)[0].action == "again"


def test_until_somebody_connects_the_list_says_what_it_waits_for() -> None:
    told = steps([heard("open", port="4242", join="JOIN otter-1", until="14:32")], "h", True)
    assert [step.title for step in told] == ["Room is open", "Waiting for your bot …"]
    assert told[1].words == "Nothing has connected to port 4242 yet. Free until 14:32 UTC."
    more = steps([heard("open", port="4242"), heard("connected", 2, address="192.0.2.17")], "h", True)
    assert [step.title for step in more] == ["Room is open", "Connected"]


def test_what_is_done_is_ticked_and_the_last_is_where_it_stands() -> None:
    assert states("open", "connected", "first_line") == ["done", "done", "now"]
    assert states("connected", "typo") == ["done", "bad"]
    assert states("typo", "first_line") == ["past", "now"]
    assert states("connected", "ready") == ["done", "done"]


def states(*codes: str) -> list[str]:
    return [step.state for step in steps([heard(code, n) for n, code in enumerate(codes)], "h", True)]


def test_what_a_bot_sent_is_escaped() -> None:
    for code, params in (
        ("first_line", {"line": "<script>"}),
        ("typo", {"got": "<b>", "answered": "<i>", "meant": "<u>"}),
        ("stopped", {"exit": "<b>", "last_error": "<script>"}),
        ("other_protocol", {"sent": "<script>", "other": "<b>"}),
        ("something_new", {"x": "<script>"}),
    ):
        (step,) = steps([heard(code, **params)], "h", True)
        assert "<script>" not in step.words and "<b>" not in step.words and "<u>" not in step.words


def test_no_line_has_the_id_of_another() -> None:
    told: list[WizardStep] = steps([heard("typo", n) for n in range(1, 5)], "h", True)
    assert len({step.key for step in told}) == 4


def test_there_are_words_for_everything_that_is_heard() -> None:
    assert len(WORDS) == 17
