"""Programs of bots that can be sent to other machines, stored by the hash of their files. A bot whose `program` is ""
runs from its folder in ARENA_BOTS, on this machine only.
"""

from __future__ import annotations

import os
from pathlib import Path

from django.conf import settings

from arena import paths
from arena.bots.process.guests import KEPT_IN
from arena.bots.process.launch import PATH, Unreachable, check_folder, check_program
from arena.bots.process.packing import (
    BEGUN_SUFFIX,
    NotPacked,
    forget_unused,
    must_be_folder,
    pack,
    sha256_of,
    unpack,
    used,
    write_out_one,
)
from arena.models import Audit, Bot, Work
from arena.transports.programs import missing_interpreter


def folder_of(bot: Bot) -> Path:
    """The folder with this bot's files: it is started there and sees no other folder of ours."""
    folder = programs() / bot.player.slug / bot.program if bot.program else settings.ARENA_BOTS / bot.player.slug
    return Path(folder)


def why_not_called(bot: Bot, slug: str) -> str:
    """Why this bot cannot have a name with this slug, "" if it can: the folder with its files is called so."""
    home = programs() / bot.player.slug if bot.program else settings.ARENA_BOTS / bot.player.slug
    if bot.command is None or not home.is_dir() or home.with_name(slug).is_dir():
        return ""
    return f"This server runs it from its folder {home.name}, and would look for {slug}: copy the folder first."


def programs() -> Path:
    """The folder of programs: each has its files in `<slug>/<hash>/`, and its pack beside that."""
    return Path(settings.ARENA_DATA, KEPT_IN)


def packed_of(slug: str, sha256: str) -> Path:
    """The packed program."""
    return programs() / slug / f"{sha256}.tar"


def why_no_files(bot: Bot) -> str:
    """Which files of a bot that this machine is to run, or to send, it cannot reach, and why; "" if it has all."""
    try:
        check_folder(folder_of(bot))
    except Unreachable as why:
        return f"{why.strerror}: {why.filename}"
    packed = packed_of(bot.player.slug, bot.program)
    return "" if not bot.program or packed.is_file() else f"no such file: {packed}"


def has_program(bot: Bot, sha256: str) -> bool:
    """Whether this machine has this program of the bot, which may have another one by now."""
    return not why_no_files(Bot(player=bot.player, program=sha256))


def why_stays(bot: Bot) -> str:
    """Why only this machine can run it, in words; "" for a bot that can be sent, or connects by itself."""
    words = bot.command
    if words is None:
        return ""
    if not bot.program:
        return f"its files are not packed: {paths.PROGRAM} program add"
    if outside := next((word for word in words if word.startswith("/") or ".." in word.split("/")), ""):
        return f"its command names {outside}, outside of its folder"
    return ""


def why_not_here(bot: Bot) -> str:
    """What this machine lacks to run it, in words; "" for nothing. Another machine may have it."""
    return _why_not_started(bot.command[0], folder_of(bot)) if bot.command else ""


def lacks(bot: Bot) -> str:
    """Why its files or its program cannot be found or run, in words; "" if they can, or if it connects by itself."""
    if bot.command is None:
        return ""
    why = _why_nowhere if plays_at_workers(bot) else _why_not_started
    return why_no_files(bot) or why(bot.command[0], folder_of(bot))


def travels(bot: Bot) -> bool:
    """Whether a worker can run it."""
    return bool(bot.enabled and bot.command is not None and bot.program and not why_stays(bot))


def plays_at_workers(bot: Bot) -> bool:
    """Whether workers may fetch it, one of which may have what this machine lacks."""
    return travels(bot) and bool(settings.ARENA_WORKER_URL)


def add(bot: Bot, folder: Path, actor: str) -> str:
    """Keep these files as the bot's program; return their hash. The last one stays a day more. Raises NotPacked."""
    packed = pack(folder)
    if bot.command and (why := _why_nowhere(bot.command[0], folder)):
        raise NotPacked(why)
    sha256 = sha256_of(packed)
    kept = packed_of(bot.player.slug, sha256)
    unpack(packed, programs() / bot.player.slug / sha256)
    for place in (programs(), kept.parent):
        place.chmod(place.stat().st_mode | 0o111)  # bots may run as other users
    if not kept.exists():
        _write(kept, packed)
    _change(bot, sha256, actor)
    forget_unused(kept.parent, {sha256, *_wanted()})
    return sha256


def _why_nowhere(command: str, folder: Path) -> str:
    """Why no machine could start this program of the folder, whatever is installed there."""
    if "/" not in command and (folder / command).is_file():
        return f"the command {command} is only looked for on PATH: the one in the folder is ./{command}"
    if "/" not in command or command.startswith("/"):
        return ""
    missing = missing_interpreter(str(folder / command), str(folder), PATH)
    return _why_not_started(command, folder) if not missing or " " in missing else ""


def _why_not_started(command: str, folder: Path) -> str:
    try:
        check_program(command, folder)
    except OSError as why:
        return f"{command}: {why.strerror}"
    return ""


def remove(bot: Bot, actor: str) -> None:
    """Run the bot from its folder in ARENA_BOTS again. Raises NotPacked if it has none there."""
    must_be_folder(Path(settings.ARENA_BOTS, bot.player.slug))
    _change(bot, "", actor)


def _change(bot: Bot, sha256: str, actor: str) -> None:
    before, bot.program = bot.program, sha256
    slug = bot.player.slug
    used(*(place for each in (before, sha256) if each for place in (packed_of(slug, each), programs() / slug / each)))
    bot.save(update_fields=["program"])
    if before != sha256:
        Audit.objects.note(actor, "program of a bot", bot.player, before=before, after=sha256)


def _wanted() -> set[str]:
    """The programs that open work names."""
    still = Work.objects.filter(state__in=(Work.State.WAITING, Work.State.OUT), spec__has_key="spec")
    found = still.values_list("spec__spec__seats", flat=True)
    return {seat["program"] for seats in found for seat in seats or () if seat.get("program")}


def _write(path: Path, data: bytes) -> None:
    """Write the file completely or not at all."""
    making = path.with_suffix(f".{os.getpid()}{BEGUN_SUFFIX}")
    try:
        making.write_bytes(data)
        making.chmod(0o444)
        write_out_one(making)
        making.rename(path)
        write_out_one(path.parent)
    except OSError as why:
        making.unlink(missing_ok=True)
        raise NotPacked(f"{path}: {why.strerror}") from None
