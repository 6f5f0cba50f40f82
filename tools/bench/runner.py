"""The cost of one game of `manage.py runner fiar`, against that of the same game without a referee.

The plain loop does what the original runner did, and no more: it imports `subprocess`, starts both programs with pipes,
writes the board to the side to move, reads a column, looks for four in a row and ends both. It has no terminal for a
bot that does not flush, no clock and no sandbox, and waits forever for a bot that hangs. Both are whole commands,
started in turns from the same interpreter; the ratios are those of wall time, and of the processor time of the command
with its bots. The median is shown. Before that, the bench shows how soon `match` begins, and listens.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tests.kit.ports import free_port
from tools.bench.figures import Figure, repeated

ROOT = Path(__file__).parents[2]
BOT = ROOT / "arena" / "protocols" / "fiar" / "bot.py"
GOAL = 1.0
BEGINS_S = 0.25

PLAIN = """
import sys
from subprocess import DEVNULL, PIPE, Popen

board = [["."] * 7 for _ in range(6)]
players = [
    Popen(command.split(), stdin=PIPE, stdout=PIPE, stderr=DEVNULL, universal_newlines=True)
    for command in sys.argv[1:]
]


def wins(sign):
    for row in range(6):
        for column in range(7):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + step * down, column + step * right) for step in range(4)]
                if all(0 <= r < 6 and 0 <= c < 7 and board[r][c] == sign for r, c in cells):
                    return True
    return False


turn, winner = 0, None
while winner is None and "." in board[0]:
    sign, player = "@O"[turn], players[turn]
    player.stdin.write(sign + " " + "".join("".join(row) for row in board) + "\\n")
    player.stdin.flush()
    column = int(player.stdout.readline()) - 1
    free = [row for row in range(6) if board[row][column] == "."]
    if free:
        board[free[-1]][column] = sign
        winner = sign if wins(sign) else None
        turn = 1 - turn
print("Draw." if winner is None else "Player %s wins." % winner)
for player in players:
    player.kill()
    player.wait()
"""


class Cost(NamedTuple):
    """The cost of one command in seconds."""

    wall: float
    processor: float


def run(games: int = 25) -> Iterator[Figure]:
    bot = f"{sys.executable} {BOT}"
    plain = [sys.executable, "-c", PLAIN, bot, bot]
    ours = [sys.executable, str(ROOT / "manage.py"), "runner", "fiar", bot, bot]
    for command in (plain, ours):  # from now on everything is compiled and in memory
        _cost(command)
    yield from _match(bot, max(1, games // 5))
    costs = [(_cost(plain), _cost(ours)) for _ in range(games)]
    for name, kind in (("by the clock", 0), ("processor time", 1)):
        theirs, mine = (median(cost[kind] for cost in side) for side in zip(*costs, strict=True))
        ratio = median(ours[kind] / plain[kind] for plain, ours in costs)
        goal = GOAL if kind == 0 else None
        detail = f"{1000 * mine:.1f} and {1000 * theirs:.1f} ms"
        yield Figure(f"a game of runner, {name} / plain loop", ratio, goal, detail, at_most=True)


def _match(bot: str, times: int) -> Iterator[Figure]:
    """Seconds from the command to its first word: until a match of two children begins, or a port listens."""
    match = [sys.executable, str(ROOT / "manage.py"), "match", "connect-four-7x6"]
    begins = [_until_first_line([*match, f"fiar:{bot}", f"fiar:{bot}"], "stdout") for _ in range(times + 1)][1:]
    yield repeated("match of two programs begins, seconds", begins, BEGINS_S, "from the command", at_most=True)
    seat = f"tcp:fiar:{free_port()}"
    listens = [_until_first_line([*match, seat, "builtin:random", "--wait", "0.1"], "stderr") for _ in range(times)]
    yield repeated("match tcp: listens, seconds", listens, BEGINS_S, "from the command", at_most=True)


def _until_first_line(command: list[str], stream: str) -> float:
    begin = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        lines = getattr(process, stream)
        said, after = lines.readline(), time.perf_counter() - begin
        assert said.startswith(("Started match", "waiting for")), said
        process.communicate()
    return after


def _cost(command: list[str]) -> Cost:
    begin = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None, "asked for"
        said = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert (process.returncode, said) == (0, b"Player @ wins.\n"), said
    return Cost(time.perf_counter() - begin, used.ru_utime + used.ru_stime)
