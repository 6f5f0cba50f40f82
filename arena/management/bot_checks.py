"""`manage.py check_bot`: does a bot speak its protocol? Named steps, each ok or with the reason of the failure and its
wire. Django is loaded only for registered bots.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import shlex
import sys
import textwrap
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

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
from arena.transports.addresses import LOCAL, shown

if TYPE_CHECKING:
    from arena.bots.process.launch import Launch
    from arena.models import Bot

RECORD, REENABLE = "--record", "--reenable"
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
    parser.add_argument(RECORD, metavar="BOT", help="check a registered bot, and store that it has passed")
    parser.add_argument(REENABLE, metavar="BOT", help="the same for a disabled one, which may then play again")
    parser.add_argument(
        "--bots-host", default=LOCAL, metavar="HOST", help="where a bot without COMMAND comes (%(default)s)"
    )
    parser.add_argument("--list", action="store_true", help="print the steps and do nothing")
    parser.add_argument("--json", action="store_true", help="one line of JSON per step")
    parser.add_argument("words", nargs="*", metavar="COMMAND", help="the bot: a program and its arguments")
    return parser


def _main(options: argparse.Namespace) -> int:
    bot = _registered(options) if options.reenable or options.record else None
    if options.protocol is None:
        raise CannotCheck(f"name the protocol with --protocol, or a bot with {RECORD} or {REENABLE}")
    steps = _steps(options.protocol, options.step)
    if options.list:
        for step in steps:
            print(f"{step.name:{NAME_WIDTH}} {step.sentence}")
        return 0
    check = _check(options, bot)
    seen = _seen_of(bot, options) if bot is not None else {}
    try:
        summary = _run(check, steps, _print_json if options.json else _print_text)
    except BrokenPipeError:  # the reader of what is printed has gone
        raise
    except OSError as why:
        taken = (
            f"port {options.port} is in use, as a bot's own is while the server runs; with its token any port will do"
        )
        raise CannotCheck(taken if why.errno == errno.EADDRINUSE else str(why), 1) from None
    finally:
        keeper.close()
    print(json.dumps(summary._asdict()) if options.json else _in_words(summary))
    if bot is not None and not summary.failed:
        _passed(bot, options, check, seen, summary.passed)
    return 1 if summary.failed else 0


def _registered(options: argparse.Namespace) -> Bot:
    """The bot that is checked; its protocol and variant are put into the options."""
    from arena.models import Bot

    if options.reenable and options.record:
        raise CannotCheck(f"leave out {RECORD} or {REENABLE}")
    slug, said = options.reenable or options.record, REENABLE if options.reenable else RECORD
    bot = Bot.objects.select_related("player").filter(player__slug=slug).first()
    if bot is None:
        raise CannotCheck(f"{said} {slug}: there is no bot at /bots/{slug}/")
    if options.reenable and bot.enabled:
        raise CannotCheck(f"{REENABLE} {slug}: {bot.player.name} is not disabled")
    if options.step or options.list or options.protocol or options.variant:
        raise CannotCheck(
            "all steps are checked, for its own protocol and variant: leave out --step, --list, --protocol, --variant"
        )
    if options.record and bot.command is not None and options.words:
        raise CannotCheck(f"{RECORD} {slug}: this server runs {bot.player.name}: leave out COMMAND, it has its own")
    if options.record and bot.command is None and (why := _shows_nothing(bot, options)):
        raise CannotCheck(f"{RECORD} {slug}: {why}")
    options.protocol, options.variant = bot.protocol, bot.variant
    return bot


def _shows_nothing(bot: Bot, options: argparse.Namespace) -> str:
    """Why nobody could tell that what connects is this bot; "" if its token or its port says so."""
    if _port(options.port, options.words) is None:
        return f"{bot.player.name} connects by itself: name a port for that with --port"
    if bot.token_sha256 is None and options.port != bot.port:
        return f"{bot.player.name} has no token: give it one, or its own port and --port with that"
    return ""


def _seen_of(bot: Bot, options: argparse.Namespace) -> dict[str, Any]:
    from arena.bots.conformance import passes
    from arena.bots.process.packing import NotPacked, sha256_of_folder
    from arena.bots.process.programs import folder_of

    seen = passes.seen_of(bot)
    if options.record and seen.get("files") == "":
        try:
            sha256_of_folder(folder_of(bot))
        except NotPacked as why:
            raise CannotCheck(f"a pass counts for the files that were checked, and {why}", 1) from None
    return seen


def _passed(bot: Bot, options: argparse.Namespace, check: Check, seen: dict[str, Any], steps: int) -> None:
    """Store that all is passed, if it was this bot that has passed it, and let it play again if that is asked for."""
    from arena.bots.conformance import passes

    is_proven = _is_proven(bot, options, check)
    if is_proven and passes.store(bot, seen, steps, "check_bot"):
        print(f"stored: {bot.player.name} has passed", file=sys.stderr)
    elif options.record:
        why = "has changed meanwhile" if is_proven else "has not shown its token whenever it played"
        raise CannotCheck(f"{bot.player.name} {why}: nothing was stored", 1)
    if options.reenable:
        _reenter(bot)


def _is_proven(bot: Bot, options: argparse.Namespace, check: Check) -> bool:
    from arena.bots.session.tokens import sha256_of

    if bot.command is not None:
        return not options.words  # its own
    shown = {sha256_of(token) for token in check.command.tokens}
    return shown == {bot.token_sha256} or (bot.port is not None and options.port == bot.port)


def _reenter(bot: Bot) -> None:
    import asyncio

    from arena.bots.failure import quarantine

    asyncio.run(quarantine.reenter(bot, "check_bot"))
    print(f"{bot.player.name} may play again", file=sys.stderr)


def _check(options: argparse.Namespace, bot: Bot | None) -> Check:
    adapter = protocol(options.protocol)
    try:
        variant = games.variant(options.variant or (adapter.variants or games.slugs())[0])
        argv, folder = _program(options, bot, variant.slug)
        _check_times(options)
    except (KeyError, ValueError) as why:
        raise CannotCheck(str(why.args[0])) from None
    timeout, startup = options.timeout, options.startup
    command = BotCommand(
        adapter,
        argv,
        folder,
        _seconds_an_answer(adapter) if timeout is None else timeout,
        adapter.ready_s if startup is None else startup,
        _port(options.port, options.words),
        not options.no_pty,
        LOCAL if argv else options.bots_host,
        _sandbox(options, bot),
    )
    return Check(command, variant)


def _program(options: argparse.Namespace, bot: Bot | None, variant: str) -> tuple[Sequence[str], Path]:
    """What is started, and where; nothing for a registered bot that comes by itself. Raises ValueError."""
    if bot is not None and not options.words:
        if bot.command is not None:
            return _own_program(bot, bot.command)
        if options.port is not None:
            where = shown(options.bots_host, options.port)
            print(f"waiting for {bot.player.name} on {where}", file=sys.stderr, flush=True)
            return (), Path.cwd()
    seat = parse_seat(f"{options.protocol}:{shlex.join(options.words)}", variant, os.getcwd())
    assert isinstance(seat, CommandSeat), "a protocol and a command are a command seat"
    return seat.argv, Path.cwd()


def _own_program(bot: Bot, command: list[str]) -> tuple[Sequence[str], Path]:
    from arena.bots.process import programs

    if why := programs.lacks(bot):
        raise CannotCheck(why, 1)
    return command, programs.folder_of(bot)


def _sandbox(options: argparse.Namespace, bot: Bot | None) -> Callable[[Sequence[str]], Launch] | None:
    """The sandbox of a program that this server runs, as in its matches; what was typed here has none."""
    if bot is None or bot.command is None or options.words:
        return None
    from django.conf import settings

    from arena.bots.process.programs import folder_of
    from arena.bots.process.sandbox import NotSandboxed, Sandbox, demand

    try:
        box = Sandbox(demand(settings.ARENA_SANDBOX_MIN))
    except NotSandboxed as why:
        raise CannotCheck(str(why), 1) from None
    return partial(box.wrap, bot_folder=folder_of(bot))


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
