"""Bots that fail in twelve ways, in five protocols: `python3 faulty_bot.py PROTOCOL FAULT`. They speak on stdio.

A protocol is a generator of its questions, each with a good answer; a fault is what the bot does in place of giving it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from typing import Any

Place = tuple[int, int]

COLUMNS = 7


def say(text: str) -> None:
    os.write(1, text.encode())


def gamestate() -> Iterator[str]:
    board = ""
    for line in sys.stdin:
        if line.startswith("GAMESTATE"):
            board = line.split()[1]
        elif line.startswith("REQUEST_MOVE"):
            yield str(board[:8].index("-"))


def fiar() -> Iterator[str]:
    for line in sys.stdin:
        yield str(line.split()[1][:COLUMNS].index(".") + 1)


def nyu_nim() -> Iterator[str]:
    while data := os.read(0, 100):
        if data.endswith(b"1"):
            return
        yield "1 0"


def droidcon() -> Iterator[str]:
    say("NAME faulty\nJOIN room\n")
    heights = [0] * COLUMNS
    for line in sys.stdin:
        word, *column = line.split()
        if word == "NEW_GAME":
            heights = [0] * COLUMNS
        elif word == "PUT":
            heights[int(column[0])] += 1
        elif word == "YOUR_MOVE":
            free = next(column for column in range(COLUMNS) if heights[column] < 6)
            heights[free] += 1
            yield f"PUT {free}"


def santorini() -> Iterator[str]:
    say('["join","faulty"]')
    for line in sys.stdin:
        kind, said = (*json.loads(line), None)[:2] if line.startswith("[") else ("OK", None)
        if kind in ("new_game", "over", "tournament_finished"):
            say('"OK"\n')
        elif kind == "place":
            taken = {(worker["x"], worker["y"]) for worker in said}
            yield json.dumps(["place", *next((x, 0) for x in range(6) if (x, 0) not in taken)])
        elif kind == "turn":
            yield json.dumps(next(turns(said)))


def turns(board: list[list[int | str]]) -> Iterator[list[Any]]:
    """Every legal turn of the workers called faulty."""
    cells = {(x, y): str(cell) for y, row in enumerate(board) for x, cell in enumerate(row)}
    height = {place: int(cell[0]) for place, cell in cells.items()}
    free = {place for place, cell in cells.items() if len(cell) == 1 and height[place] < 4}
    for place, cell in cells.items():
        if not is_mine(cell):
            continue
        for step, target in around(place):
            if target in free and height[target] <= height[place] + 1:
                move = ["move", {"player": "faulty", "id": int(cell[-1])}, step]
                sites = free | {place}
                yield from (
                    [[move]]
                    if height[target] == 3
                    else ([move, ["build", build]] for build, site in around(target) if site in sites)
                )


def is_mine(cell: str) -> bool:
    return cell[1:-1] == "faulty"


def around(place: Place) -> Iterator[tuple[list[str], Place]]:
    for east, name_x in ((-1, "WEST"), (0, "PUT"), (1, "EAST")):
        for south, name_y in ((-1, "NORTH"), (0, "PUT"), (1, "SOUTH")):
            if east or south:
                yield [name_x, name_y], (place[0] + east, place[1] + south)


# What is said too early, and behind which line: at once where there is none.
EARLY = {
    "gamestate": ("", "3\n"),
    "fiar": ("", "3\n"),
    "nyu-nim": ("", "1 0"),
    "droidcon": ("NEW_GAME", "PUT 3\n"),
    "santorini-json": ('["new_game"', '"OK"\n["place", 0, 0]\n'),
}
# The questions, what ends an answer, and an answer that is out of range.
PROTOCOLS = {
    "gamestate": (gamestate, "\n", "9"),
    "fiar": (fiar, "\n", "9"),
    "nyu-nim": (nyu_nim, "", "9 0"),
    "droidcon": (droidcon, "\n", "PUT 100"),
    "santorini-json": (santorini, "\n", '["place", 9, 9]'),
}


def good(questions: Iterator[str], end: str, wrong: str) -> None:
    """No fault: for the other side."""
    for answer in questions:
        say(answer + end)


def slow(questions: Iterator[str], end: str, wrong: str) -> None:
    """Good, and leaves the other side time to speak too early."""
    for answer in questions:
        time.sleep(1)
        say(answer + end)


def late(questions: Iterator[str], end: str, wrong: str) -> None:
    say(next(questions) + end)
    for _ in questions:
        time.sleep(600)


def silent(questions: Iterator[str], end: str, wrong: str) -> None:
    say(next(questions) + end)
    for _ in questions:
        pass


def half_line(questions: Iterator[str], end: str, wrong: str) -> None:
    say(next(questions) + end)
    for answer in questions:
        say(answer if end and not answer.startswith("[") else answer[:-1])


def crlf(questions: Iterator[str], end: str, wrong: str) -> None:
    for answer in questions:
        say(answer + "\r\n")


def two_moves(questions: Iterator[str], end: str, wrong: str) -> None:
    for answer in questions:
        say((answer + (end or " ")) * 2)


def before_asked(questions: Iterator[str], end: str, wrong: str) -> None:
    """Says its first answer too early, and from then on believes that it has answered."""
    trigger, text = EARLY[sys.argv[1]]
    if not trigger:
        say(text)
    elif trigger == "NEW_GAME":
        say("NAME faulty\nJOIN room\n")
    for line in sys.stdin:
        if trigger and line.startswith(trigger):
            say(text)


def out_of_range(questions: Iterator[str], end: str, wrong: str) -> None:
    for _ in questions:
        say(wrong + end)


def huge_line(questions: Iterator[str], end: str, wrong: str) -> None:
    for _ in questions:
        say('"' + "4" * 1_000_000)


def binary(questions: Iterator[str], end: str, wrong: str) -> None:
    say(next(questions) + end)
    for _ in questions:
        os.write(1, bytes(range(256)) + end.encode())


def closes(questions: Iterator[str], end: str, wrong: str) -> None:
    for _ in questions:
        os.close(1)
        time.sleep(600)


def floods_stderr(questions: Iterator[str], end: str, wrong: str) -> None:
    for _ in questions:
        while True:
            os.write(2, b"thinking about the next move\n" * 1_000)


def forks(questions: Iterator[str], end: str, wrong: str) -> None:
    for _ in questions:
        for _ in range(3):
            if os.fork() == 0:
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                time.sleep(600)
        os._exit(0)


FAULTS = {
    fault.__name__: fault
    for fault in (
        good,
        slow,
        late,
        silent,
        half_line,
        crlf,
        two_moves,
        before_asked,
        out_of_range,
        huge_line,
        binary,
        closes,
        floods_stderr,
        forks,
    )
}

if __name__ == "__main__":
    questions, end, wrong = PROTOCOLS[sys.argv[1]]
    FAULTS[sys.argv[2]](questions(), end, wrong)
