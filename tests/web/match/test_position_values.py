"""What is proved of a position is asked as a text; what is no position is refused with the reason."""

from __future__ import annotations

import html
import json
from typing import Any

import pytest

import games
from arena.web.limits import Limit
from arena.web.match import position_values
from tests.kit.browsing import Person, far_away, text


async def asked(variant: str, position: str, who: Person | None = None) -> Any:
    return await (who or Person()).get(f"/analysis/{variant}/values/?position={position.replace('+', '%2B')}")


async def test_all_columns_of_the_first_position_are_proved_by_the_book() -> None:
    start = games.variant("connect-four-7x6").start()
    found = json.loads(text(await asked("connect-four-7x6", str(start))))
    assert found == {"values": [-40, -42, 0, 41, 0, -42, -40]}


@pytest.mark.parametrize(
    ("variant", "position", "why"),
    [
        ("connect-four-7x6", "x" * 4096, "Received 4096 characters"),
        ("connect-four-7x6", "7x6 nonsense", "no position of connect-four-7x6"),
        ("connect-four-7x6", "", "no position of connect-four-7x6"),
        ("expanding-nim", "100 4/4 31 b7 c0 s1 2/4 p500", "no match gets there"),
    ],
)
async def test_what_is_no_position_is_refused(variant: str, position: str, why: str) -> None:
    answer = await asked(variant, position)
    assert answer.status_code == 422 and why in html.unescape(text(answer))


async def test_a_game_without_a_solver_says_so() -> None:
    answer = await asked("go-19x19", "any")
    assert answer.status_code == 404 and "no solver" in text(answer)


async def test_one_address_asks_so_often_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(position_values, "VALUES", Limit("positions to prove", 3, 0.001))
    somebody, start = far_away(), str(games.variant("expanding-nim").start(stones=4, resets=0))
    codes = [(await asked("expanding-nim", start, somebody)).status_code for _ in range(4)]
    assert codes == [200, 200, 200, 429]


async def test_while_another_position_is_proved_the_asker_is_told_to_do_it_alone() -> None:
    position_values._ONE.acquire()
    try:
        answer = await asked("expanding-nim", str(games.variant("expanding-nim").start(stones=4, resets=0)))
    finally:
        position_values._ONE.release()
    assert answer.status_code == 503 and "being proved" in text(answer)
