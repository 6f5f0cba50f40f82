"""What both shells of an adapter do alike. What a bot of each does with it: test_line.py, tests/bots/session."""

from __future__ import annotations

from arena.play.flood import COSTS_OF_A_LINE, LINES
from arena.play.loop import Loop
from arena.play.pump import Pump
from arena.protocols import protocol
from arena.protocols.adapter import BotMove, FromBot, Turn
from games import variant


class Ear:
    """Hears everything, and breaks at the move 8."""

    def __init__(self) -> None:
        self.meant: list[FromBot] = []
        self.told: list[str] = []

    def heard(self, event: FromBot) -> None:
        self.meant.append(event)
        if isinstance(event, BotMove) and event.text == "8":
            raise ZeroDivisionError

    def flooded(self) -> None:
        self.told.append("flooded")

    def broke(self) -> None:
        self.told.append("broke")

    def lost(self, reason: str) -> None:
        self.told.append(reason)


class Shell(Pump):
    """A pump whose transport is a list."""

    def __init__(self, slug: str = "fiar") -> None:
        self.ear, self.done = Ear(), list[str]()
        super().__init__(Loop(), protocol(slug)(), self.ear)

    def write(self, data: bytes) -> None:
        self.done.append(data.decode())

    def close(self) -> None:
        self.done.append("close")

    @property
    def is_closing(self) -> bool:
        return "close" in self.done

    @property
    def is_unread(self) -> bool:
        return False

    def drop(self) -> None:
        self.done.append("drop")

    def complain(self) -> None:
        self.done.append("complain")


def asked() -> Shell:
    shell = Shell()
    shell.step(shell.adapter.send, Turn(variant("connect-four-7x6").start(), None, None))
    shell.done.clear()
    shell.ear.meant.clear()
    return shell


def test_what_is_said_goes_out_in_one_write() -> None:
    shell = Shell()
    shell.step(shell.adapter.send, Turn(variant("connect-four-7x6").start(), None, None))
    assert shell.done == ["@ " + 42 * "." + "\n"]


def test_a_flood_drops_the_connection_and_nothing_of_it_is_heard() -> None:
    shell = asked()
    assert not shell.admits(b"4\n" * 10 * int(LINES.at_once), shell.stamp)
    assert (shell.done, shell.ear.told, shell.ear.meant) == (["drop"], ["flooded"], [])


def test_a_defect_of_ours_drops_this_connection() -> None:
    shell = asked()
    shell.step(shell.adapter.receive_data, b"8\n")
    assert [getattr(event, "text", "") for event in shell.ear.meant] == ["8"]
    assert (shell.done, shell.ear.told) == (["complain", "drop"], ["broke"])


def test_a_lost_connection_is_told_once() -> None:
    shell = asked()
    shell.connection_lost("gone")
    assert shell.ear.told == ["gone"]


def test_an_answer_to_each_request_costs_nothing_of_what_a_bot_may_say_unasked() -> None:
    shell = Shell()
    for _ in range(10 * int(LINES.at_once)):
        shell.asked()
        assert shell.admits(b"4", shell.stamp) and shell.admits(b"\r\n", shell.stamp)
    assert shell.admits(b"4\n" * int(LINES.at_once), shell.stamp)
    assert not shell.admits(b"4\n", shell.stamp) and shell.ear.told == ["flooded"] and shell.done == ["drop"]


def test_an_answer_may_have_several_lines_where_the_protocol_has_values() -> None:
    shell = Shell("santorini-json")
    for _ in range(100):
        shell.asked()
        assert shell.admits(b"[\r\n" * shell.adapter.answer_lines, shell.stamp)
    assert shell.adapter.answer_lines > 1


def test_requests_without_an_answer_save_nothing_up() -> None:
    shell = Shell()
    for _ in range(10):
        shell.asked()
    assert not shell.admits(b"4\n" * int(LINES.at_once + COSTS_OF_A_LINE + 1), shell.stamp)
