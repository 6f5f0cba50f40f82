"""The one shape of all transports."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

from arena.transports import Transport, process, stdio, tcp
from tests.kit.recorder import Recorder


def members(shape: type) -> set[str]:
    return {name for name in vars(shape) if not name.startswith("_")}


def test_tcp_and_child_processes_have_the_same_shape() -> None:
    does = {"write", "close", "abort", "pause_reading", "resume_reading"}
    assert members(Transport) == {"peer", "is_closing", "is_unread", *does}
    assert members(Transport) <= members(tcp.TcpTransport)
    assert members(Transport) <= members(process.ChildTransport) | {"peer", "is_closing"}


async def test_a_session_can_drive_either(tmp_path: Path) -> None:
    """The type checker agrees that both are a `Transport`; here one is driven as nothing more."""
    child: Transport = await stdio.spawn([sys.executable, "-c", "print(input())"], Recorder, cwd=tmp_path)
    assert child.peer.startswith(sys.executable)
    assert not child.is_closing
    child.close()
    assert child.is_closing
    assert isinstance(child, process.ChildTransport)
    assert isinstance(child._receiver, Recorder)
    await child._receiver.until_lost()


def test_transports_know_nothing_of_games_and_protocols() -> None:
    for module in (tcp, stdio):
        source = inspect.getsource(module)
        assert "arena.protocols" not in source
        assert "import games" not in source and "from games" not in source
