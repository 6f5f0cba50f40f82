"""`manage.py check_bot`: does a bot speak its protocol? Named steps, each ok or with the reason of the failure and its
wire.

Nothing of Django is loaded unless a bot is to leave quarantine. `manage.py` calls `main`, and so does the command of
that name.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import games
from arena import paths
from arena.bots.conformance import steps_of
from arena.bots.conformance.check import Check, StepResult
from arena.bots.conformance.command import Command as BotCommand
from arena.management.arguments import INTERRUPTED, WRONG_USAGE, port
from arena.match.clock import parse_clock
from arena.play.seat_texts import parse_seat
from arena.play.spec import CommandSeat
from arena.play.start import keeper
from arena.protocols import protocol, slugs
from arena.protocols.adapter import Adapter
from arena.protocols.steps import Step

if TYPE_CHECKING:
    from arena.models import Bot

REENABLE = "--reenable"
# One answer gets this part of a clock for the whole match.
PART_OF_TOTAL = 12
WIRE_LINES = 40
NAME_WIDTH = 24
INDENT = "      "


class Summary(NamedTuple):
    """How many steps passed, failed, and were not tried."""

    passed: int
    failed: int
    not_tried: int


class CannotCheck(Exception):
    """The message says why, for people; `status` is the exit status."""

    def __init__(self, why: str, status: int = WRONG_USAGE) -> None:
        super().__init__(why)
        self.status = status


def main(words: list[str]) -> int:
    """Check the bot that the words name. Returns the exit status: 0 if every step was passed."""
    try:
        return _main(make_parser().parse_args(words))
    except CannotCheck as why:
        print(f"check_bot: {why}", file=sys.stderr)
        return why.status
    except KeyboardInterrupt:
        return INTERRUPTED


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"{paths.PROGRAM} check_bot",
        usage=f"{paths.PROGRAM} check_bot --protocol P [options] -- COMMAND",
        description="Check whether a bot speaks its protocol: the steps that it passes, and why it fails others.",
        allow_abbrev=False,
    )
    parser.add_argument("--protocol", metavar="P", help=", ".join(slugs()))
    parser.add_argument("--variant", metavar="V", help="default: the first that the protocol plays")
    parser.add_argument("--timeout", type=float, metavar="S", help="seconds for one answer; default: the protocol's")
    parser.add_argument("--startup", type=float, metavar="S", help="more seconds for the first answer of a process")
    parser.add_argument("--port", type=port, metavar="N", help="where the bot connects; {port} in COMMAND: any free")
    parser.add_argument("--no-pty", action="store_true", help="give the bot a pipe for its output, not a terminal")
    parser.add_argument("--step", action="append", default=[], metavar="NAME", help="only this step; may be repeated")
    parser.add_argument(REENABLE, metavar="BOT", help="its protocol and variant; if all is passed it may play again")
    parser.add_argument("--list", action="store_true", help="print the steps and do nothing")
    parser.add_argument("--json", action="store_true", help="one line of JSON per step")
    parser.add_argument("words", nargs="*", metavar="COMMAND", help="the bot: a program and its arguments")
    return parser


def _main(options: argparse.Namespace) -> int:
    bot = _registered(options) if options.reenable else None
    if options.protocol is None:
        raise CannotCheck(f"name the protocol with --protocol, or a bot with {REENABLE}")
    steps = _steps(options.protocol, options.step)
    if options.list:
        _print_steps(steps)
        return 0
    try:
        summary = _run(_check(options), steps, _print_json if options.json else _print_text)
    except BrokenPipeError:  # the reader of what is printed has gone
        raise
    except OSError as why:
        raise CannotCheck(str(why), 1) from None
    finally:
        keeper.close()
    print(json.dumps(summary._asdict()) if options.json else _in_words(summary))
    if bot is not None and not summary.failed:
        _reenter(bot)
    return 1 if summary.failed else 0


def _registered(options: argparse.Namespace) -> Bot:
    """The bot that should play again; its protocol and variant are put into the options."""
    from arena.models import Bot

    slug = options.reenable
    bot = Bot.objects.select_related("player").filter(player__slug=slug).first()
    if bot is None:
        raise CannotCheck(f"{REENABLE} {slug}: there is no bot at /bots/{slug}/")
    if bot.enabled:
        raise CannotCheck(f"{REENABLE} {slug}: {bot.player.name} is not disabled")
    if options.step or options.list or options.protocol or options.variant:
        raise CannotCheck(
            "all steps are checked, for its own protocol and variant: leave out --step, --list, --protocol, --variant"
        )
    options.protocol, options.variant = bot.protocol, bot.variant
    return bot


def _reenter(bot: Bot) -> None:
    import asyncio

    from arena.bots.failure import quarantine

    asyncio.run(quarantine.reenter(bot, "check_bot"))
    print(f"{bot.player.name} may play again", file=sys.stderr)


def _check(options: argparse.Namespace) -> Check:
    adapter, words = protocol(options.protocol), options.words
    try:
        variant = games.variant(options.variant or _first_variant(adapter))
        seat = parse_seat(f"{adapter.slug}:{shlex.join(words)}", variant.slug, os.getcwd())
        _check_times(options)
    except (KeyError, ValueError) as why:
        raise CannotCheck(str(why.args[0])) from None
    assert isinstance(seat, CommandSeat), "a protocol and a command are a command seat"
    timeout, startup = options.timeout, options.startup
    command = BotCommand(
        adapter,
        seat.argv,
        Path.cwd(),
        _seconds_an_answer(adapter) if timeout is None else timeout,
        adapter.ready_s if startup is None else startup,
        _port(options.port, words),
        not options.no_pty,
    )
    return Check(command, variant)


def _first_variant(adapter: type[Adapter]) -> str:
    return (adapter.variants or games.slugs())[0]


def _check_times(options: argparse.Namespace) -> None:
    for name in ("timeout", "startup"):
        seconds = getattr(options, name)
        if seconds is not None and not 0 < seconds <= 600:
            raise ValueError(f"--{name} {seconds:g}: expected seconds, more than 0 and at most 600")


def _seconds_an_answer(adapter: type[Adapter]) -> float:
    clock = parse_clock(adapter.clock)
    seconds = clock.base_ms / 1000
    return {"move": seconds, "total": seconds / PART_OF_TOTAL, "none": 5.0}[clock.kind]


def _port(named: int | None, words: list[str]) -> int | None:
    if named is not None:
        return named
    return 0 if any("{port}" in word for word in words) else None


def _steps(slug: str, names: list[str]) -> tuple[Step, ...]:
    """All steps of the protocol, or those named. Wrong names end the command."""
    try:
        protocol(slug)
        steps = steps_of(slug)
    except KeyError as why:
        raise CannotCheck(str(why.args[0])) from None
    unknown = set(names) - {step.name for step in steps}
    if unknown:
        known = ", ".join(step.name for step in steps)
        raise CannotCheck(f"--step {min(unknown)}: expected one of {known}")
    return tuple(step for step in steps if not names or step.name in names)


def _run(check: Check, steps: tuple[Step, ...], show: Callable[[StepResult], None]) -> Summary:
    passed = failed = 0
    for result in check.run(steps):
        show(result)
        passed, failed = passed + (result.card is None), failed + (result.card is not None)
    return Summary(passed, failed, len(steps) - passed - failed)


def _in_words(summary: Summary) -> str:
    passed, failed, not_tried = summary
    others = f"; {not_tried} were not tried, as they would fail too" if not_tried else ""
    return f"{passed} of {passed + failed + not_tried} steps passed{others}"


def _print_steps(steps: tuple[Step, ...]) -> None:
    for step in steps:
        print(f"{step.name:{NAME_WIDTH}} {step.sentence}")


def _print_text(result: StepResult) -> None:
    step, note = result.step, f" ({result.note})" if result.note else ""
    print(f"{'ok  ' if result.card is None else 'FAIL'}  {step.name:{NAME_WIDTH}} {step.sentence}{note}", flush=True)
    if result.card is None:
        return
    for line in result.card.lines():
        print(textwrap.indent(line, INDENT))
    print(f"{INDENT}wire (> from the bot, < to the bot):")
    for line in _last_lines(result.wire):
        print(f"{INDENT}  {line}")


def _print_json(result: StepResult) -> None:
    card = result.card
    data = {
        "step": result.step.name,
        "ok": card is None,
        "note": result.note,
        "seconds": round(result.seconds, 3),
        "card": None if card is None else card.to_data(),
        "wire": list(result.wire),
    }
    print(json.dumps(data), flush=True)


def _last_lines(wire: tuple[str, ...]) -> tuple[str, ...]:
    left_out = len(wire) - WIRE_LINES
    return wire if left_out <= 0 else (f"({left_out} lines before)", *wire[left_out:])
