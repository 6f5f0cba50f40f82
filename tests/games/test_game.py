"""The contract: settings are checked before a match starts, and messages say what was received."""

from __future__ import annotations

from typing import Any

import pytest

import games
from games import Setting

STONES = Setting("stones", int, default=100, low=1, high=1000, label="Stones")
RESETS = Setting("resets", int, default=4, low=0, high=9, label="Resets", unlimited=True)


@pytest.mark.parametrize(("text", "value"), [("1", 1), ("1000", 1000), ("100", 100)])
def test_a_setting_is_read_from_its_text(text: str, value: int) -> None:
    assert STONES.read(text) == value


@pytest.mark.parametrize(
    "text", ["", "0", "1001", "-5", "3.5", " 3", "+3", "03", "1_0", "٣", "many", "unlimited", "9" * 5000]
)
def test_a_text_that_is_no_value_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="stones=.*: expected int from 1 to 1000$") as refusal:
        STONES.read(text)
    assert len(str(refusal.value)) < 100


def test_unlimited_is_a_value_where_the_setting_allows_it() -> None:
    assert RESETS.read("unlimited") is None
    assert RESETS.check(None) is None
    with pytest.raises(ValueError, match="resets=10: expected int from 0 to 9 or unlimited"):
        RESETS.check(10)
    with pytest.raises(ValueError, match="stones=None"):
        STONES.check(None)


@pytest.mark.parametrize("value", [True, 3.0, "3", [3]])
def test_a_value_of_another_type_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="expected int"):
        STONES.check(value)


def test_a_bound_may_be_missing() -> None:
    assert Setting("name", str, default="x").check("anything") == "anything"
    with pytest.raises(ValueError, match="name=3: expected str$"):
        Setting("name", str, default="x").check(3)


def test_settings_are_completed_with_their_defaults() -> None:
    nim = games.variant("expanding-nim")
    assert nim.complete({}) == {"stones": 100, "resets": 4}
    assert nim.complete({"resets": None}) == {"stones": 100, "resets": None}


def test_an_unknown_setting_is_refused_and_the_known_ones_are_named() -> None:
    with pytest.raises(ValueError, match="expanding-nim has no setting 'heaps'; it has stones, resets"):
        games.variant("expanding-nim").start(heaps=3)
    with pytest.raises(ValueError, match="santorini-5x5 has no setting 'gods'; it has none"):
        games.variant("santorini-5x5").start(gods=True)


def test_a_position_shows_itself_by_its_text() -> None:
    assert repr(games.variant("connect-four-7x6").start()) == f"<ConnectFourPosition 7x6 {'.' * 42}>"
