"""What can be chosen for a side."""

from __future__ import annotations

import pytest

from arena.bots.seats.choices import SideChoice, why_not
from tests.bots.placing import ANYONE, FIAR, ME, RANDOM

pytestmark = pytest.mark.usefixtures("seated_soon")


@pytest.mark.parametrize(
    ("choice", "variant", "clock", "words"),
    [
        (ME, "santorini-6x6", "none", ""),
        (ANYONE, "santorini-6x6", "none", ""),
        (RANDOM, "santorini-6x6", "none", ""),
        (FIAR, "connect-four-7x6", "5s", ""),
        (SideChoice("socket", protocol="native"), "santorini-5x5", "none", ""),
        (SideChoice("builtin", level="x"), "santorini-6x6", "none", "Received the level 'x'"),
        (FIAR, "connect-four-8x8", "5s", "fiar plays connect-four-7x6 only."),
        (FIAR, "connect-four-7x6", "none", "needs a clock"),
        (SideChoice("socket", protocol="x"), "connect-four-7x6", "5s", "Received the protocol 'x'"),
        (SideChoice("bot"), "connect-four-7x6", "5s", "Choose a bot."),
        (SideChoice("king"), "connect-four-7x6", "5s", "Received 'king'"),
    ],
)
def test_what_can_be_chosen(choice: SideChoice, variant: str, clock: str, words: str) -> None:
    said = why_not(variant, clock, choice)
    assert words in said if words else said == ""
