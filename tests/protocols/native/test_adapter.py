"""What transcripts cannot say about `native`: every variant, deadlines, and anything in any order."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given

import games
from arena.match.endings import UNCOUNTED
from arena.protocols.adapter import NO_RESULT, BotFault, BotMove, Deadline, Ended, Moved, Ready, Seated, Started, Turn
from arena.protocols.json_values import VALUE_CAP
from arena.protocols.native.adapter import PING_S, Native
from tests.protocols.fuzzing import Step, run, steps

WORDS = [
    b'{"type":"hello","name":"a"}\n',
    b'{"type":"join","room":"x"}\n',
    b'{"type":"queue","variant":"expanding-nim"}\n',
    b'{"type":"move","ply":1,"move":"4"}\n',
    b'{"type":"move","ply":1,"move":"9"}\n',
    b'{"type":"resign"}\n',
    b'{"type":"pong"}\n',
    b'{"type":',
    b"PUT 3\n",
    b"\n",
    b"\r\n",
]


def hello(seat: int = 0) -> Native:
    bot = Native()
    bot.receive_data(b'{"type":"hello","name":"gravity"}\n')
    bot.send(Seated(seat, "gravity", "heron", "none", "k3v9"))
    bot.events_received()
    bot.data_to_send()
    return bot


def read(bot: Native) -> list[dict[str, Any]]:
    return [json.loads(line) for line in bot.data_to_send().splitlines()]


def test_it_has_the_facts_of_the_text() -> None:
    assert (Native.port, Native.rounds, Native.ready_s, Native.clock) == (4205, None, 10.0, "none")
    assert (Native.joins, Native.resumes, Native.on_illegal) == (True, True, "refuse")
    assert (Native.variants, Native.fault_ends_series) == ((), False)


def test_it_is_ready_once_when_it_has_said_hello() -> None:
    bot = Native()
    assert bot.events_received() == []
    bot.receive_data(b'{"type":"hello","name":"a"}\n' * 2)
    assert bot.events_received().count(Ready()) == 1


@pytest.mark.parametrize("variant", games.variants(), ids=lambda variant: variant.slug)
def test_every_variant_is_played_on_the_messages_alone(variant: games.Variant) -> None:
    """A bot that knows no rules: it plays one of the legal moves of its turn, and follows the positions."""
    rng = random.Random(7)
    bots = hello(0), hello(1)
    position = variant.start()
    for bot in bots:
        bot.send(Started(position, variant=variant.slug, settings=variant.complete({})))
        start = read(bot)[1]
        assert games.variant(start["variant"]).start(**start["settings"]) == position
    while (seat := position.to_move) is not None:
        bots[seat].send(Turn(position, 4000, 5000))
        (turn,) = read(bots[seat])
        assert variant.parse(turn["position"]).legal_moves() == tuple(turn["legal"])
        move = rng.choice(turn["legal"])
        bots[seat].receive_data(json.dumps({"type": "move", "ply": turn["ply"], "move": move}).encode() + b"\n")
        assert bots[seat].events_received() == [BotMove(move)]
        position = position.play(move)
        for bot in bots:
            bot.send(Moved(seat, move, position, (4000, 5000)))
            assert [(moved["ply"], moved["position"]) for moved in read(bot)] == [(position.ply, str(position))]
    outcome = position.outcome()
    assert outcome is not None
    bots[0].send(Ended(outcome.winner, "normal", outcome.reason, position))
    assert read(bots[0])[0]["result"] == {0: "1-0", 1: "0-1", None: "1/2-1/2"}[outcome.winner]


def test_what_counts_for_nobody_is_what_the_match_says() -> None:
    assert NO_RESULT == UNCOUNTED


def test_it_asks_whether_the_bot_is_there_again_and_again() -> None:
    bot = Native()
    first = bot.deadline
    assert isinstance(first, Deadline)
    assert (first.name, first.seconds) == ("ping", PING_S)
    bot.tick("ping")
    assert bot.data_to_send() == b'{"type":"ping"}\n'
    assert bot.deadline is not None
    assert bot.deadline is not first


def test_a_fault_silences_this_match_only() -> None:
    bot = hello()
    bot.receive_data(b"x" * (VALUE_CAP + 1))
    (fault,) = bot.events_received()
    assert isinstance(fault, BotFault)
    assert fault.expected == "a line of 8192 bytes at most"
    bot.receive_data(b'{"type":"resign"}\n')
    assert bot.events_received() == []
    position = games.variant("expanding-nim").start()
    bot.send(Started(position))
    bot.send(Turn(position))
    bot.receive_data(b'{"type":"move","ply":1,"move":"1"}\n')
    assert bot.events_received() == [BotMove("1")]


@given(script=steps(WORDS))
def test_anything_in_any_order_is_survived_and_segmentation_changes_nothing(script: list[Step]) -> None:
    whole, cut = Native(), Native()
    assert run(whole, script, False, lambda: bounded(whole)) == run(cut, script, True, lambda: bounded(cut))


def bounded(bot: Native) -> None:
    assert len(bot._buffer._partial) <= VALUE_CAP
