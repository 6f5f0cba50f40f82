"""Who is started here, and how it sits down."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from arena.bots.builtin.builtin import Builtin
from arena.bots.process.child import ChildBot
from arena.host import Host
from arena.models import Entry
from arena.tournaments.players import is_local, seat


@pytest.mark.parametrize(("kind", "local"), [("builtin", True), ("command", True), ("bot", False), ("person", False)])
def test_those_we_start_ourselves_play_whenever_we_like(kind: str, local: bool) -> None:
    assert is_local(Entry(kind=kind)) is local


async def test_a_built_in_player_has_the_name_of_its_entry(host: Host) -> None:
    player = seat(Entry(name="Club 2", seed=3, kind="builtin", level="club"), host.referee, host.thinkers, "1 2 3")
    assert isinstance(player, Builtin)
    assert (player.setup.name, player.setup.kind, player.setup.level) == ("Club 2", "builtin", "club")


async def test_a_command_is_a_process_of_ours(host: Host, tmp_path: Path) -> None:
    words = [sys.executable, "bot.py"]
    entry = Entry(name="gravity", seed=1, kind="command", protocol="fiar", command=words, cwd=str(tmp_path))
    player = seat(entry, host.referee, host.thinkers, "")
    assert isinstance(player, ChildBot)
    assert (player.setup.name, player.setup.protocol, player.ready) == ("gravity", "fiar", True)
