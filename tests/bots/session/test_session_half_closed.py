"""A bot ends its side behind what ends its match, as `printf … | nc -N` does: it still reads, and is told as others."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from arena.protocols.adapter import Adapter
from arena.protocols.droidcon.adapter import Droidcon
from arena.protocols.fiar.adapter import Fiar
from arena.protocols.gamestate.adapter import GameState
from arena.protocols.native.adapter import Native
from arena.protocols.nyu_nim.adapter import NyuNim
from arena.protocols.santorini_course.adapter import SantoriniCourse
from arena.protocols.santorini_json.adapter import SantoriniJson
from tests.bots.session.test_session import Opens, ended, opening
from tests.kit.clients import Wire
from tests.kit.refereeing import moves_of
from tests.kit.storage import GatedMemory
from tests.kit.until import until

THREE_EACH = "1 2 1 2 1 2"
CAN_CLIMB = "c3 b2 d4 e5 d4-e3+f3 e5-d4+e4 e3-e4+f3 b2-b3+c4 e4-f3+e4 d4-e3+e4"
HELLO = '{"type":"hello","name":"max"}\n{"type":"join","room":"x"}\n'


class Talk(NamedTuple):
    """A match that the bot may win at once. `says` is what it says until it is asked, each behind words that it hears;
    `won` is what a winner is told.
    """

    opening: str
    says: list[tuple[str, str]]
    question: str
    wins: str
    won: str
    goes_on: str


TALKS: dict[type[Adapter], Talk] = {
    Droidcon: Talk(THREE_EACH, [("", "NAME max\nJOIN x\n")], "YOUR_MOVE\n", "PUT 0", "YOU_WON\n", "PUT 4"),
    Fiar: Talk(THREE_EACH, [], "\n", "1", "", "5"),
    GameState: Talk(THREE_EACH, [], "REQUEST_MOVE\n", "0", "", "4"),
    Native: Talk(
        THREE_EACH,
        [("", HELLO)],
        '"left_ms":[null,null]}\n',
        '{"type":"move","ply":7,"move":"1"}',
        '"termination":"normal"',
        '{"type":"move","ply":7,"move":"5"}',
    ),
    NyuNim: Talk("", [], "3 2 0 0", "3 0", "0 0 0 1", "1 0"),
    SantoriniJson: Talk(
        CAN_CLIMB,
        [("", '"max"'), ('"]\n', '"OK"')],
        "]]]\n",
        '[["move",{"player":"max","id":2},["WEST","NORTH"]]]',
        '["over",{"winner":"max","loser":"bob","reason":"WON"}]\n'
        '["tournament_finished",[{"winner":"max","loser":"bob","reason":"WON"}]]\n',
        '[["move",{"player":"max","id":1},["PUT","NORTH"]],["build",["WEST","PUT"]]]',
    ),
    SantoriniCourse: Talk(
        CAN_CLIMB,
        [("", '"max"')],
        "]]\n",
        '["max2","WEST","NORTH"]',
        '[["max","bob"]]\n',
        '["max1","PUT","NORTH","WEST","PUT"]',
    ),
}


def plan(adapter: type[Adapter]) -> dict[str, Any]:
    """A room in whose match the bot can win at once."""
    variant = adapter.variants[0] if adapter.variants else "connect-four-7x6"
    settings = {"stones": 3} if adapter is NyuNim else {}
    return {"variant": variant, "opening": TALKS[adapter].opening, "settings": settings}


async def asked(bot: Wire, talk: Talk) -> None:
    """Say everything up to the question that can be answered with a win."""
    for behind, words in talk.says:
        while not bot.heard.decode().endswith(behind):
            assert await bot.some()
        await bot.send_bytes(words.encode())
    while not bot.heard.decode().endswith(talk.question):
        assert await bot.some()


@pytest.mark.parametrize("adapter", TALKS)
async def test_who_wins_is_told_all_that_others_are(adapter: type[Adapter], opened: Opens) -> None:
    talk = TALKS[adapter]
    seat, port = await opened(adapter, **plan(adapter))
    async with Wire.to(port) as bot:
        await asked(bot, talk)
        before = len(bot.heard)
        await bot.send_bytes(talk.wins.encode())
        bot.finish()
        await bot.hear()
    assert await ended(seat.live) == (0, "normal")
    assert talk.won in bot.heard[before:].decode()
    assert seat.lost_sessions == seat.sessions


@pytest.mark.parametrize("adapter", [SantoriniJson, SantoriniCourse])
async def test_who_has_yet_to_read_the_last_words_is_there_until_its_connection_is_closed(
    adapter: type[Adapter], opened: Opens
) -> None:
    """A server that stops closes the connections of those who are there."""
    talk = TALKS[adapter]
    seat, port = await opened(adapter, **plan(adapter))
    async with Wire.to(port) as bot:
        await asked(bot, talk)
        await bot.send_bytes(talk.wins.encode())
        bot.finish()
        await until(lambda: bool(seat.lost_sessions))
        assert seat.sessions[0].transport.is_closing


@pytest.mark.parametrize("adapter", TALKS)
async def test_so_it_is_while_its_move_waits_to_be_stored(adapter: type[Adapter]) -> None:
    talk, store = TALKS[adapter], GatedMemory()
    async with opening(store) as opened:
        seat, port = await opened(adapter, **plan(adapter))
        async with Wire.to(port) as bot:
            await asked(bot, talk)
            before = len(bot.heard)
            store.gate.shut()
            await bot.send_bytes(talk.wins.encode())
            bot.finish()
            await until(lambda: seat.sessions[0].connection.ended)
            store.gate.open()
            await bot.hear()
    assert (seat.live.state.winner, seat.live.state.termination) == (0, "normal")
    assert talk.won in bot.heard[before:].decode()


@pytest.mark.parametrize(
    ("adapter", "gives_up", "lost"),
    [
        (Native, '{"type":"resign"}', '"termination":"resign"'),
        (SantoriniJson, '"max"', '["tournament_finished",[{"winner":"bob","loser":"max","reason":"WON"}]]\n'),
        (SantoriniCourse, '"max"', '[["bob","max"]]\n'),
        (Droidcon, "PUT 9", "Error INVALID_COLUMN\nYOU_LOST\n"),
        (Native, "x" * 9000, '"termination":"bad_output"'),
    ],
)
async def test_who_loses_by_its_last_words_is_told_so(
    adapter: type[Adapter], gives_up: str, lost: str, opened: Opens
) -> None:
    seat, port = await opened(adapter, **plan(adapter))
    async with Wire.to(port) as bot:
        await asked(bot, TALKS[adapter])
        await bot.send_bytes(gives_up.encode())
        bot.finish()
        await bot.hear()
    assert (await ended(seat.live))[0] == 1
    assert lost in bot.heard.decode()


@pytest.mark.parametrize("adapter", [kind for kind in TALKS if kind is not NyuNim])
async def test_who_has_more_to_say_and_cannot_is_gone(adapter: type[Adapter], opened: Opens) -> None:
    talk = TALKS[adapter]
    seat, port = await opened(adapter, **plan(adapter))
    async with Wire.to(port) as bot:
        await asked(bot, talk)
        await bot.send_bytes(talk.goes_on.encode())
        bot.finish()
        await bot.hear()
        assert await ended(seat.live) == (1, "disconnect")
    assert len(moves_of(seat.live)) == len(talk.opening.split()) + 1
