"""The player of an entry: built-in players and commands are started here, everyone else comes to a room."""

from __future__ import annotations

import random
from collections.abc import Collection
from pathlib import Path

from arena.bots.builtin.builtin import Builtin
from arena.bots.builtin.thinkers import Thinkers
from arena.bots.process import starting
from arena.bots.process.child import ChildBot
from arena.bots.process.programs import travels
from arena.core.referee import Referee
from arena.models import Bot, Entry
from arena.protocols import protocol
from arena.rooms.plan import Occupant

LOCAL = frozenset({Entry.Kind.BUILTIN, Entry.Kind.COMMAND})


def is_local(entry: Entry) -> bool:
    """Whether it can play at any time, and several matches at once."""
    return entry.kind in LOCAL


def plays_anywhere(entry: Entry) -> bool:
    """Whether any fitting machine can run it: built-in players, commands, and our bots whose files may travel."""
    return is_local(entry) or (entry.player is not None and entry.kind == Entry.Kind.BOT and travels(entry.player.bot))


def is_here(entry: Entry, here: Collection[int]) -> bool:
    """Whether it could play now: our players always, a bot that is enabled if connected (`here`), people never for
    certain.
    """
    if entry.kind != Entry.Kind.BOT or entry.player is None:
        return True
    bot = entry.player.bot
    return bot.enabled and (bot.pk in here or bot.command is not None)


def run_here(entry: Entry) -> Bot | None:
    """The bot of this entry if this server runs it."""
    bot = entry.player.bot if entry.kind == Entry.Kind.BOT and entry.player is not None else None
    return bot if bot is not None and bot.enabled and bot.command is not None else None


def cannot_start(entry: Entry) -> bool:
    """Whether it is a bot that this server runs and, as far as is known, cannot start: it waits, and does not lose."""
    bot = run_here(entry)
    return bot is not None and bool(starting.lacks(bot))


def is_untried(entry: Entry) -> bool:
    """Whether it is a bot of which nobody knows yet whether this server can start it."""
    bot = run_here(entry)
    return bot is not None and not starting.is_tried(bot)


def dice(entry: Entry, seed: str) -> int:
    """The seed of this built-in player's dice in a match whose seed is `seed`."""
    return random.Random(f"{seed} {entry.seed}").getrandbits(32)


def seat(entry: Entry, referee: Referee, thinkers: Thinkers, seed: str) -> Occupant:
    """A player for one match. `seed` makes a built-in one repeatable."""
    if entry.kind == Entry.Kind.BUILTIN:
        player = Builtin(referee, thinkers, entry.level, dice(entry, seed))
        player.setup = player.setup._replace(name=entry.name)
        return player
    assert entry.kind == Entry.Kind.COMMAND and entry.command, "bots and people come to a room"
    return ChildBot(referee, protocol(entry.protocol), entry.command, entry.name, Path(entry.cwd))
