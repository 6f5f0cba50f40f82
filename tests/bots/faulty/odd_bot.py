"""Programs of other machines and other times: `python3 odd_bot.py PROTOCOL ODDITY`. They speak on stdio.

They end before they begin, greet, write in other encodings, keep their output to themselves, or speak another protocol.
What they would answer is what the good bot of `faulty_bot` answers.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.bots.faulty import faulty_bot

Say = Callable[[str], None]


def native() -> Iterator[str]:
    faulty_bot.say('{"type":"hello","name":"faulty","version":1}\n')
    for line in sys.stdin:
        said = json.loads(line)
        if said["type"] == "turn":
            yield json.dumps({"type": "move", "ply": said["ply"], "move": said["legal"][0]})


def santorini_course() -> Iterator[str]:
    faulty_bot.say('"faulty"\n')
    for line in sys.stdin:
        said = json.loads(line)
        if isinstance(said, str) or (said and said[0] == "playing-as"):
            continue
        if len(said) == 6 and len(said[0]) == 6:
            move, *build = next(faulty_bot.turns(said))
            ways = [way for part in build for way in part[1]]
            yield json.dumps([f"faulty{move[1]['id']}", *move[2], *ways])
        elif all(len(worker) == 3 and isinstance(worker[1], int) for worker in said):
            taken = {(x, y) for _, x, y in said}
            yield json.dumps(next([x, 0] for x in range(6) if (x, 0) not in taken))


PROTOCOLS: dict[str, tuple[Callable[[], Iterator[str]], str]] = {
    **{slug: (questions, end) for slug, (questions, end, _) in faulty_bot.PROTOCOLS.items()},
    "native": (native, "\n"),
    "santorini-course": (santorini_course, "\n"),
}
# What a client of another protocol says when it is connected, and waits.
OTHERS = {"droidcon": '{"type":"hello","name":"max","version":1}\n', "native": "NAME max\nJOIN room\n"}


def play(slug: str, said: Callable[[str], bytes]) -> None:
    """Answer everything well, written as `said` has it."""

    def say(text: str) -> None:
        data = said(text)
        while data:
            data = data[os.write(1, data) :]

    faulty_bot.say = say
    questions, end = PROTOCOLS[slug]
    for answer in questions():
        say(answer + end)


def crashes_at_once(slug: str) -> None:
    raise RuntimeError("the table of openings is missing")


def crashes_when_asked(slug: str) -> None:
    questions, _ = PROTOCOLS[slug]
    for _ in questions():
        raise RuntimeError("no move found")


def ends_at_once(slug: str) -> None:
    """Successfully, as its exit code says."""


def ends_when_asked(slug: str) -> None:
    questions, _ = PROTOCOLS[slug]
    next(questions())


def greets(slug: str) -> None:
    os.write(1, b"Welcome to SuperBot 1.0\n")
    play(slug, str.encode)


def prompts(slug: str) -> None:
    """As `input("Your move: ")` does."""
    play(slug, lambda text: b"Your move: " + text.encode())


def utf_16(slug: str) -> None:
    """As PowerShell writes: a mark first."""
    first = [b"\xff\xfe"]
    play(slug, lambda text: (first.pop() if first else b"") + text.encode("utf-16-le"))


def utf_16_unmarked(slug: str) -> None:
    play(slug, lambda text: text.encode("utf-16-le"))


def marks_utf_8(slug: str) -> None:
    first = [b"\xef\xbb\xbf"]
    play(slug, lambda text: (first.pop() if first else b"") + text.encode())


def crlf(slug: str) -> None:
    play(slug, lambda text: text.replace("\n", "\r\n").encode())


def keeps_all(slug: str) -> None:
    """What it says stays in its own buffer."""
    play(slug, lambda text: b"")


def keeps_answers(slug: str) -> None:
    """It logs in, and then its answers stay in its buffer."""
    questions, _ = PROTOCOLS[slug]
    for _ in questions():
        pass


def closes_input(slug: str) -> None:
    """Before its first answer, so that it is closed when the next request comes."""
    questions, end = PROTOCOLS[slug]
    answer = next(questions())
    os.close(0)
    faulty_bot.say(answer + end)
    time.sleep(600)


def never_reads(slug: str) -> None:
    """Its first request may be on its way by then, and is never read."""
    time.sleep(0.5)
    os.close(0)
    time.sleep(600)


def sleeps(slug: str) -> None:
    time.sleep(600)


def speaks_another(slug: str) -> None:
    os.write(1, OTHERS.get(slug, "NAME max\nJOIN room\n").encode())
    for _ in sys.stdin:
        pass


def speaks_http(slug: str) -> None:
    os.write(1, b"GET / HTTP/1.1\r\nHost: arena\r\n\r\n")
    for _ in sys.stdin:
        pass


def prints_dots(slug: str) -> None:
    """A log line for each question, where only the answer belongs."""
    play(slug, lambda text: b"thinking...\n" + text.encode())


ODDITIES = {
    oddity.__name__: oddity
    for oddity in (
        crashes_at_once,
        crashes_when_asked,
        ends_at_once,
        ends_when_asked,
        greets,
        prompts,
        utf_16,
        utf_16_unmarked,
        marks_utf_8,
        crlf,
        keeps_all,
        keeps_answers,
        closes_input,
        never_reads,
        sleeps,
        speaks_another,
        speaks_http,
        prints_dots,
    )
}

if __name__ == "__main__":
    ODDITIES[sys.argv[2]](sys.argv[1])
