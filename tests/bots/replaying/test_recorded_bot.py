"""A bot of which only its wire is left."""

from __future__ import annotations

from arena.bots.replaying.recorded_bot import RecordedBot
from arena.match.black_box import Spoken
from arena.protocols.adapter import BotMove, Moved, Seated, Started, Turn
from games import variant

START = variant("connect-four-7x6").start()


def a_bot(*messages: Spoken) -> tuple[RecordedBot, list[object]]:
    meant: list[object] = []
    return RecordedBot("droidcon", "ada", "LAB", messages, meant.append), meant


def said(way: str, data: bytes, t: float, ply: int = 0) -> Spoken:
    return Spoken(t, way, data, ply)


def test_its_token_is_not_the_adapters_and_its_handshake_is_answered_as_then() -> None:
    bot, _ = a_bot(
        said("in", "SEAT …\nNAME ada\n".encode(), -2), said("out", b"SUCCESS\n", -2), said("in", b"JOIN lab\n", -1),
        said("out", b"SUCCESS\nNEW_GAME\nYOUR_MOVE\n", 0),
    )  # fmt: skip
    bot.sit(0, 0.0, Seated(0, "ada", "bert", "none"))
    bot.hold(Started(START))
    bot.ask(Turn(START))
    bot.tell()
    assert bot.ready and bot.differs is None


def test_a_token_that_came_in_pieces_is_masked_in_pieces_and_not_the_adapters_either() -> None:
    pieces = [said("in", piece, -2) for piece in (b"S", b"EAT ", *["…".encode()] * 30, b"\nNAME ada\nJOIN lab\n")]
    bot, meant = a_bot(*pieces, said("out", b"SUCCESS\nSUCCESS\nNEW_GAME\n", -1))
    bot.sit(1, 0.0, Seated(1, "ada", "bert", "none"))
    bot.tell(Started(START))
    assert bot.ready and bot.differs is None and not meant


def test_who_sat_there_from_an_earlier_match_needs_no_handshake() -> None:
    bot, meant = a_bot(said("out", b"NEW_GAME\nYOUR_MOVE\n", 0), said("in", b"PUT 3\n", 1, 1))
    bot.sit(0, 0.0, Seated(0, "ada", "bert", "none"))
    bot.hold(Started(START))
    bot.ask(Turn(START))
    bot.tell()
    assert bot.goes_on(2.0) and meant == [BotMove("4")] and bot.differs is None


def test_what_came_before_it_was_told_of_a_move_is_heard_before() -> None:
    after = START.play("4")
    bot, meant = a_bot(said("out", b"NEW_GAME\n", 0), said("in", b"PUT 3\n", 1, 0), said("out", b"Error NOT\n", 2))
    bot.sit(1, 0.0, Seated(1, "ada", "bert", "none"))
    bot.tell(Started(START))
    bot.said_before(1)
    assert [type(event).__name__ for event in meant] == ["BotFault"]
    bot.tell(Moved(0, "4", after))
    assert not bot.defect
