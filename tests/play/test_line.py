"""What is kept of a line, and what is done with too much. Matches over lines are played in test_driver.py."""

from __future__ import annotations

from arena.play.line import MOST_BYTES, OVERHEAD, RECENT_MESSAGES, Line
from arena.play.loop import Loop
from arena.protocols import protocol
from arena.protocols.adapter import FromBot, Turn
from games import variant


class Bot:
    """A line, and all that it told: it is its own transport."""

    peer, is_closing, is_unread = "bot", False, False

    def __init__(self, keep: bool = False) -> None:
        self.line = Line(Loop(), protocol("fiar")(), self, keep)
        self.line.connect(self)
        self.meant: list[FromBot] = []
        self.told: list[str] = []

    def heard(self, event: FromBot) -> None:
        self.meant.append(event)

    def wrote(self, data: bytes) -> None:
        self.told.append("wrote")

    def flooded(self) -> None:
        self.told.append("flooded")

    def broke(self) -> None:
        self.told.append("broke")

    def lost(self, reason: str) -> None:
        self.told.append(reason)

    def write(self, data: bytes) -> None:
        self.told.append(data.decode())

    def close(self) -> None:
        self.told.append("close")

    def abort(self) -> None:
        self.told.append("abort")

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


def test_a_question_goes_out_in_one_write_and_the_answer_is_heard() -> None:
    bot = Bot()
    bot.line.say(Turn(variant("connect-four-7x6").start(), None, None))
    assert bot.told == ["wrote", "@ " + 42 * "." + "\n"]
    bot.meant.clear()
    bot.line.data_received(b"4\n", bot.line.stamp)
    assert [getattr(event, "text", "") for event in bot.meant] == ["4"]


def test_a_flood_ends_the_connection() -> None:
    bot = Bot()
    bot.line.data_received(b"\n" * 1000, bot.line.stamp)
    assert bot.told == ["flooded", "abort"]


def test_the_wire_of_a_match_is_bounded_and_begins_anew_with_the_next() -> None:
    bot = Bot(keep=True)
    bot.line.ply = 3
    bot.line.complained(b"oh")
    for _ in range(100):
        bot.line.complained(b"x" * (MOST_BYTES // 50))
    wire = bot.line.take_wire(0.0)
    assert wire[0][1:] == ("err", b"oh", 3)
    assert sum(len(message.data) for message in wire) <= MOST_BYTES
    assert len(bot.line.passed) == RECENT_MESSAGES
    bot.line.complained(b"again")
    for _ in range(100):
        bot.line.complained(b"\n" * 1000)
    wire = bot.line.take_wire(0.0)
    assert wire[0].data == b"again" and sum(message.data.count(b"\n") for message in wire) <= MOST_BYTES / OVERHEAD


def test_nothing_is_kept_that_nobody_asks_for() -> None:
    bot = Bot()
    bot.line.complained(b"oh")
    assert bot.line.take_wire(0.0) == [] and list(bot.line.passed) == [("err", b"oh")]
