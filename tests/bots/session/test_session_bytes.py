"""Hostile bytes as the answer to the first question, in every protocol on a real socket: what they cost.

Most are `bad_output`. Who is forgiven ends its side behind them and has lost by that, which is `disconnect`.
"""

from __future__ import annotations

import asyncio

import pytest

from arena.core.hub import LiveMatch
from arena.play.spec import BuiltinSeat, SocketSeat
from arena.protocols import protocol, protocols
from tests.kit.clients import Wire
from tests.kit.deadline import DEADLINE_S
from tests.kit.live_matches import LocalMatches, Order
from tests.kit.ports import free_port
from tests.kit.samples import listening

pytestmark = pytest.mark.service

GREETINGS = {
    "droidcon": b"NAME zoo\nJOIN a\n",
    "santorini-json": b'["join","zoo"]',
    "santorini-course": b'"zoo"',
    "native": b'{"type":"hello","name":"zoo"}\n',
}
QUESTIONS = {
    "gamestate": b"REQUEST_MOVE\n",
    "fiar": b"@ " + b"." * 42 + b"\n",
    "nyu-nim": b"100 2 0 0",
    "droidcon": b"YOUR_MOVE\n",
    "santorini-json": b'["place",[]]',
    "santorini-course": b"[]\n",
    "native": b'"type":"turn"',
}
BYTES = {
    "an endless line": b"x" * 1_000_000,
    "an endless number": b"4" * 1_000_000,
    "nul": b"\x00\n",
    "not utf-8": b"\xff\xfe\x80\n",
    "an arabic digit": "٤\n".encode(),
    "a full-width digit": "４\n".encode(),
    "a superscript": "²\n".encode(),
    "an underscore": b"4_0\n",
    "a no-break space": b"\xa04\n",
    "a vertical tab": b"4\x0b\n",
    "a unicode line end": "4\u2028\n".encode(),
    "deep nesting": b"[" * 2000 + b"\n",
    "nan": b'["place",NaN,0]\n',
    "infinity": b'["place",1e999,Infinity]\n',
    "5000 digits": b'["place",' + b"9" * 5000 + b",0]\n",
    "a fraction": b'["place",1.0,0]\n',
    "true": b'["place",true,0]\n',
    "a key twice": b'{"type":"move","type":"move","ply":1,"move":"4"}\n',
    "a lone surrogate": b'"\\ud800"\n',
    "nul in a text": b'{"type":"move","ply":1,"move":"4\\u0000"}\n',
    "a mebibyte of lists": b"[]," * 350_000,
    "blank lines": b"\n" * 150,
    "more blank lines than anybody needs": b"\n" * 5_000,
}
# What is too long or too much is forgiven nowhere.
_TOO_MUCH = {name for name, data in BYTES.items() if len(data) > 4_000}
# Two protocols answer what they do not understand with an error, and others take white space round an answer: `fiar`
# whatever C calls so, as its original did.
FORGIVEN = {
    "droidcon": BYTES.keys() - _TOO_MUCH - {"deep nesting"},
    "native": BYTES.keys() - _TOO_MUCH | {"5000 digits"},
    "fiar": {"a vertical tab"},
    "nyu-nim": {"blank lines"},
    "santorini-json": {"blank lines"},
    "santorini-course": {"blank lines"},
}


# Many matches begin at once, and a port that was free is given again until somebody listens there.
_given: set[int] = set()


async def answered(slug: str, data: bytes) -> str:
    """How the match ends when this is the first answer, and nothing more comes."""
    lives = list[LiveMatch]()
    while (port := free_port()) in _given:
        pass
    _given.add(port)
    variant = (protocol(slug).variants or ("expanding-nim",))[0]
    order = Order(variant, (SocketSeat(slug, port), BuiltinSeat("random")), clock="60s")
    playing = asyncio.create_task(
        LocalMatches(order, lambda round, live: None, lambda round, live: lives.append(live)).play()
    )
    await listening(port)
    async with Wire.to(port) as bot, asyncio.timeout(DEADLINE_S):
        await bot.send_bytes(GREETINGS.get(slug, b""))
        heard = b""
        while QUESTIONS[slug] not in heard:
            heard += (said := await bot.some())
            assert said, f"the connection ended after {heard!r}"
            if b"new_game" in said:
                await bot.send_bytes(b'"OK"')
        try:
            await bot.send_bytes(data)
            bot.finish()
        except OSError:
            pass  # it was cut off while it was talking
        while await bot.some():
            pass
        await playing
    return str(lives[0].state.termination)


@pytest.mark.parametrize("slug", protocols())
async def test_each_costs_what_the_protocol_says(slug: str) -> None:
    found = await asyncio.gather(*(answered(slug, data) for data in BYTES.values()))
    forgiven = FORGIVEN.get(slug, set())
    expected = ["disconnect" if name in forgiven else "bad_output" for name in BYTES]
    assert dict(zip(BYTES, found, strict=True)) == dict(zip(BYTES, expected, strict=True))
