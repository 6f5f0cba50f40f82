"""The options of `serve`, some of which other commands have as well, without loading a server for that."""

from __future__ import annotations

import argparse

from arena.common.numbers import whole_number
from arena.match.clock import parse_clock
from arena.protocols import protocol, protocols
from games.named import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

PORT = 8000
# Exit statuses: what was asked for cannot be, and Ctrl-C or SIGTERM.
WRONG_USAGE, INTERRUPTED = 2, 130


def whole(least: int, most: int, what: str = "a whole number") -> Callable[[str], int]:
    """A reader of the numbers from `least` to `most`."""

    def read(text: str) -> int:
        found = whole_number(text, least, most)
        if found is None:
            raise argparse.ArgumentTypeError(f"{text!r}: expected {what} from {least} to {most}")
        return found

    return read


def port(text: str) -> int:
    found = whole_number(text, most=65535)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a port from 1 to 65535, or 0 for any free one")
    return found


def door(text: str) -> tuple[str, int]:
    slug, number = _of_protocol(text, "PROTOCOL=PORT, for example droidcon=4242")
    return slug, port(number)


def clock(text: str) -> tuple[str, str]:
    """Only `native` may have no clock, because it tells its bots so: a bot on a socket may never answer."""
    slug, time = _of_protocol(text, "PROTOCOL=CLOCK, for example droidcon=10s")
    try:
        kind = parse_clock(time).kind
    except ValueError as why:
        raise argparse.ArgumentTypeError(f"{text!r}: {why}") from None
    if kind == "none" and protocol(slug).clock != "none":
        raise argparse.ArgumentTypeError(
            f"{text!r}: a bot on a socket needs a clock, as it might never answer: try 10m"
        )
    return slug, time


def _of_protocol(text: str, expected: str) -> tuple[str, str]:
    slug, sign, value = text.partition("=")
    if slug not in protocols() or not sign:
        raise argparse.ArgumentTypeError(f"{text!r}: expected {expected}; protocols: {', '.join(protocols())}")
    return slug, value


def add_port(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=port, default=PORT, help=f"port of the pages ({PORT})")


def add_pairs(
    parser: argparse.ArgumentParser, name: str, read: Callable[[str], tuple[str, Any]], form: str, words: str
) -> None:
    """An option that may be given several times, each time for another protocol."""
    parser.add_argument(name, type=read, action="append", default=[], metavar=form, help=words)
