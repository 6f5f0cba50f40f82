"""The life of a real server process: how it starts, what it says when it cannot, and how it ends."""

from __future__ import annotations

import json
import os
import resource
import socket
import urllib.request
from contextlib import ExitStack, closing
from typing import Any

import pytest
from twisted.internet.error import ConnectionDone
from twisted.python.failure import Failure
from websockets.exceptions import ConnectionClosed

from arena.server import server
from tests.kit.deadline import DEADLINE_S
from tests.kit.sockets import connect_blocking as connect
from tests.server.asgi_probe import HANDSHAKE, Probe


async def never(scope: Any, receive: Any, send: Any) -> None:
    """Nobody asks."""


def get(probe: Probe, path: str) -> bytes:
    with urllib.request.urlopen(probe.http(path), timeout=DEADLINE_S) as response:
        body: bytes = response.read()
    return body


def test_a_signal_closes_every_browser_with_1012_and_the_process_ends_well() -> None:
    with Probe() as probe, ExitStack() as stack:
        browsers = [stack.enter_context(connect(probe.ws("/echo"))) for _ in range(5)]
        stream = stack.enter_context(urllib.request.urlopen(probe.http("/stream"), timeout=DEADLINE_S))
        stream.readline()
        code, lines = probe.terminate()
        for browser in browsers:
            with pytest.raises(ConnectionClosed) as closed:
                browser.recv()
            assert closed.value.rcvd
            assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1012, "the server restarts")
    assert code == 0
    told = [line for line in lines if line.split()[0] in ("stopping", "stopped", "disconnect", "stream")]
    assert sorted(told[2:]) == ["disconnect 1012"] * 5 + ["stream ended"]
    assert told[:2] == ["stopping", "stopped"]


def test_who_shares_the_port_may_accept_until_it_is_told_of_the_end() -> None:
    """As a page worker that is still starting, and would log a traceback at a socket that was shut down."""
    ends = server.ArenaServer(never, "127.0.0.1", 0)
    host, port = ends.start()
    with closing(socket.socket(fileno=os.dup(ends.listener.fileno()))) as shared:
        over = Failure(ConnectionDone())  # type: ignore[no-untyped-call]
        ends.listener.connectionLost(over)  # as at the end of `stop_listening`
        with closing(socket.create_connection((host, port))):
            shared.accept()[0].close()


@pytest.mark.long
def test_applications_and_browsers_that_do_not_listen_cannot_hold_the_end_up() -> None:
    with Probe(limits={"drain_seconds": 0.2}) as probe, ExitStack() as stack:
        deaf, waiting, idle = (
            stack.enter_context(closing(socket.create_connection((probe.host, probe.port)))) for _ in range(3)
        )
        deaf.sendall(HANDSHAKE % b"/sleeper")
        assert deaf.recv(1000).startswith(b"HTTP/1.1 101")
        waiting.sendall(HANDSHAKE % b"/silent")
        idle.sendall(b"GET /silent HTTP/1.1\r\nHost: arena\r\n\r\n")
        assert get(probe, "/") == b"hello"
        code, lines = probe.terminate()
    assert code == 0
    assert not any("Traceback" in line for line in lines)


def test_a_taken_port_is_one_line_and_exit_1() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        code, lines = Probe(port=port).rest()
    assert code == 1
    assert lines == [f"Cannot listen on 127.0.0.1:{port}: Address already in use. Free it or choose another port."]


def test_a_host_that_is_not_ours_is_one_line_and_exit_1() -> None:
    code, lines = Probe(host="192.0.2.1", port=8000).rest()
    assert code == 1
    words = "192.0.2.1 is no address of this machine. Choose another with --host ADDRESS."
    assert lines == [f"Cannot listen on 192.0.2.1:8000: {words}"]


def test_a_start_that_fails_is_one_line_and_exit_1_after_the_stop() -> None:
    code, lines = Probe(start="fail").rest()
    assert code == 1
    assert lines[1:] == ["starting", "there is no such arena", "stopping", "stopped"]


def test_a_signal_during_the_start_ends_it() -> None:
    probe = Probe(start="wait")
    probe.wait_for("starting")
    code, lines = probe.terminate()
    assert (code, lines[1:]) == (0, ["starting", "stopping", "stopped"])


def test_who_comes_before_the_end_of_the_start_is_not_answered() -> None:
    probe = Probe(start="wait")
    host, port = probe.wait_for("listening").split()[1:]
    probe.wait_for("starting")
    with closing(socket.create_connection((host, int(port)), timeout=DEADLINE_S)) as early:
        early.sendall(b"GET / HTTP/1.1\r\nHost: arena\r\n\r\n")
        code, _ = probe.terminate()
        with pytest.raises(ConnectionResetError):
            early.recv(1000)
    assert code == 0


@pytest.mark.parametrize(("trouble", "told"), [("wait", "did not come to rest"), ("fail", "could not be stopped")])
def test_a_stop_that_does_not_succeed_is_told_and_exit_1(trouble: str, told: str) -> None:
    with Probe(stop=trouble, limits={"stop_seconds": 0.2}) as probe:
        code, lines = probe.terminate()
    assert code == 1
    assert any(told in line for line in lines)


def test_a_task_that_waits_in_its_end_is_cancelled_once_more() -> None:
    """Else a process that it waits for would not be killed."""
    with Probe(stop="lasts") as probe:
        code, lines = probe.terminate()
    assert code == 0 and lines[-1] == "waits no more"


def test_a_blocked_loop_is_ended_with_a_dump_of_where_it_stood() -> None:
    with Probe(stop="block", limits={"exit_seconds": 0.5}) as probe:
        code, lines = probe.terminate()
    assert code == 1
    assert any("in _block" in line for line in lines)


def test_a_second_signal_ends_the_process_at_once() -> None:
    with Probe(stop="wait", limits={"stop_seconds": 3600, "exit_seconds": 3600}) as probe:
        probe.process.terminate()
        probe.wait_for("stopping")
        code, _ = probe.terminate()
    assert code == -15


def test_child_processes_run_on_the_loop_and_every_file_may_be_opened() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    try:
        probe = Probe()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    with probe:
        assert get(probe, "/child") == b"from a child\n0"
        assert json.loads(get(probe, "/files")) == [hard, hard]


def test_a_package_older_than_our_guards_need_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    server.refuse_old_versions()
    monkeypatch.setitem(server.OLDEST, "daphne", "99.1")
    with pytest.raises(RuntimeError, match=r"daphne 4\.\S+ is too old: 99\.1 or newer"):
        server.refuse_old_versions()
