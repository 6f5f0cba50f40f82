"""The card of a match that has just been played."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import pytest

from arena.bots.failure.failure import card_of, failures
from arena.bots.session.wire import Wire, join_match
from arena.core.hub import LiveMatch, Presence
from arena.host import Host
from arena.match.commands import Fault, Play, Resign
from arena.match.state import SeatSetup, Setup
from arena.play.line import RECENT_MESSAGES
from arena.play.spec import BuiltinSeat, CommandSeat
from arena.protocols.seat_line import turned_away
from tests.kit.deadline import DEADLINE_S
from tests.kit.live_matches import LocalMatches, Order
from tests.kit.until import until


async def played(folder: Path, code: str) -> LiveMatch:
    """A match of a fiar bot, on the first seat, against a built-in player."""
    (folder / "bot.py").write_text(code)
    seats = CommandSeat("fiar", (sys.executable, "bot.py")), BuiltinSeat("random")
    ended: list[LiveMatch] = []
    order = Order("connect-four-7x6", seats, clock="5s", cwd=folder)
    await LocalMatches(order, lambda round, live: None, lambda round, live: ended.append(live)).play()
    return ended[0]


async def test_the_card_has_the_wire_of_the_match(tmp_path: Path) -> None:
    card = card_of(await played(tmp_path, "import sys\nfor line in sys.stdin: print('hello there')"))
    assert card is not None
    assert card.code == "debug_output"
    facts = dict(card.facts)
    assert facts["received"] == "hello there"
    assert facts["asked"] == "@ .........................................."


async def test_a_match_without_a_failure_has_no_card(tmp_path: Path) -> None:
    code = "import sys\nfor line in sys.stdin: print(line.split()[1].index('.') + 1)"
    assert card_of(await played(tmp_path, code)) is None


# -- what is kept ------------------------------------------------------------------------------------------------------

SEATS = (SeatSetup("Ada"), SeatSetup("gravity-9", "bot", protocol="droidcon", on_illegal="lose"))


async def against_a_bot(host: Host, clock: str = "none") -> tuple[LiveMatch, Wire]:
    """Ada has moved, and the bot on seat 1 has been asked."""
    live = await host.referee.open(Setup("connect-four-7x6", SEATS, clock=clock))
    await host.referee.start(live)
    wire = join_match(Wire(), live, 1)
    await host.referee.play(live, 0, 1, "4")
    wire.sent(b"PUT 3\nYOUR_MOVE\n")
    return live, wire


async def test_the_log_of_a_match_says_why_its_bot_failed(host: Host) -> None:
    live, wire = await against_a_bot(host)
    wire.received(b"banana\n", 0.0)
    await host.wires.flush([live])
    assert wire.messages == [], "what was stored is still known"
    fault = Fault(
        1, "bad_output", "gravity-9 answered 'banana'; expected PUT", "banana", "PUT and a column from 0 to 6"
    )
    await host.referee.act(live, fault)
    await until(lambda: bool(failures(live.events)))
    (failure,) = failures(live.events)
    assert (failure.seat, failure.card.code) == (1, "debug_output")
    facts = dict(failure.card.facts)
    assert facts["received"] == "banana" and facts["expected"] == "PUT and a column from 0 to 6"
    assert facts["asked"] == "YOUR_MOVE" and facts["board"].startswith("7x6 ")
    async with asyncio.timeout(DEADLINE_S):
        assert failures(await host.ledger.read(live.id)) == [failure]


async def test_what_a_bot_says_behind_the_end_changes_nothing(host: Host) -> None:
    """What is judged came before it was asked for; the answer to the question comes while the end is being stored."""
    seats = (SeatSetup("Ada"), SeatSetup("gravity-9", "bot", protocol="gamestate", on_illegal="lose"))
    live = await host.referee.open(Setup("connect-four-7x6", seats))
    await host.referee.start(live)
    wire = join_match(Wire(), live, 1)
    await host.referee.play(live, 0, 1, "4")
    wire.received(b"9\n", time.monotonic())
    wire.sent(b"REQUEST_MOVE\n")
    await host.referee.act(live, Play(1, 2, "9"))
    wire.received(b"3\n", time.monotonic())
    card = card_of(live)
    assert card is not None and card.code == "before_asked"


async def test_what_is_judged_has_been_said_whatever_the_two_clocks_say(host: Host) -> None:
    """On a busy machine the wire's beginning may be off: between reading one clock and the other others had a turn."""
    seats = (SeatSetup("Ada"), SeatSetup("gravity-9", "bot", protocol="gamestate", on_illegal="lose"))
    live = await host.referee.open(Setup("connect-four-7x6", seats))
    await host.referee.start(live)
    wire = join_match(Wire(), live, 1)
    wire.zero -= 1
    await host.referee.play(live, 0, 1, "4")
    wire.sent(b"REQUEST_MOVE\n")
    wire.received(b"9\n", time.monotonic())
    await host.referee.act(live, Play(1, 2, "9"))
    card = card_of(live)
    assert card is not None and card.code == "counts_from_1"


async def test_a_bot_that_is_gone_when_its_time_ends_has_lost_its_connection(host: Host) -> None:
    live, _ = await against_a_bot(host, clock="move:0.3s")
    host.referee.signal(live, 1, Presence(False, None))
    await until(lambda: bool(failures(live.events)))
    assert live.state.termination == "timeout"
    card = failures(live.events)[0].card
    assert card.code == "connection_lost" and "it did not come back in time" in card.sentence


async def test_a_bot_whose_connection_we_ended_reads_why(host: Host) -> None:
    live, wire = await against_a_bot(host, clock="move:0.3s")
    wire.sent(turned_away("token_replaced", "The token of this bot was replaced: come back with the new one."))
    host.referee.signal(live, 1, Presence(False, None))
    await until(lambda: bool(failures(live.events)))
    card = failures(live.events)[0].card
    assert card.code == "sent_away" and card.sentence.endswith("was replaced: come back with the new one.")


async def test_a_long_talk_is_known_from_its_end() -> None:
    wire = Wire()
    for n in range(RECENT_MESSAGES * 3):
        wire.received(b"%d\n" % n, 0.0)
        if n % 7 == 0:
            wire.take()
    said = [data for _, data in wire.last_messages()]
    assert said[-1] == b"%d\n" % (RECENT_MESSAGES * 3 - 1) and RECENT_MESSAGES <= len(said) <= RECENT_MESSAGES + 7
    wire.received(b"x" * 100_000, 0.0)
    wire.take()
    assert wire.last_messages() == []


async def test_a_token_does_not_come_into_a_card() -> None:
    wire = Wire()
    wire.received(b"SEAT arn_abcdefghijklmnopqrstuvwxyz\n", 0.0)
    assert wire.last_messages() == [("in", "SEAT arn_…\n".encode())]


@pytest.mark.parametrize("takes_at", [0, 12, 40])
async def test_nor_does_one_that_came_in_pieces_even_if_its_beginning_is_forgotten(takes_at: int) -> None:
    wire = Wire()
    for n, byte in enumerate(b"SEAT arn_abcdefghijklmnopqrstuvwxyz\n" + b"3\n" * (RECENT_MESSAGES // 3)):
        wire.received(bytes([byte]), 0.0)
        if n >= takes_at:
            wire.take()
    said = b"".join(data for _, data in wire.last_messages())
    assert said.endswith(b"3\n3\n") and not set(said) & set(b"abcdefghijklmnopqsuvwxyz")


async def test_who_resigns_or_plays_by_the_rules_has_not_failed(host: Host) -> None:
    live, _ = await against_a_bot(host)
    await host.referee.act(live, Resign(1))
    other, _ = await against_a_bot(host)
    await host.referee.act(other, Play(1, 2, "9"))
    await until(lambda: bool(failures(other.events)))
    assert failures(live.events) == []
    assert failures(other.events)[0].card.code == "no_such_column"


async def test_a_card_is_read_as_it_was_written(tmp_path: Path) -> None:
    card = card_of(await played(tmp_path, "print('hello')"))
    assert card is not None and type(card).from_data(card.to_data()) == card
