"""What the doctor hears from a server that runs, from one that is ill, and from something that is no server of ours."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from arena.management import findings
from arena.management.findings import Asked, Finding, Severity
from arena.management.monitored import PATHS, answers, is_arena
from tests.kit.ports import free_port


@contextmanager
def listening(*said: bytes) -> Iterator[int]:
    """Each connection is told the next of these."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            for words in said:
                connection, _ = server.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(words)

        telling = threading.Thread(target=serve, daemon=True)
        telling.start()
        yield server.getsockname()[1]


def test_a_server_that_answers_and_one_that_is_ill() -> None:
    ok, ill = (b"HTTP/1.0 %b\r\n\r\n%b\n" % said for said in ((b"200 OK", b"ready"), (b"503 No", b"the disk is full")))
    with listening(ok, ill, b"SSH-2.0-OpenSSH_9.2\r\n") as port:
        said = list(answers(port))
    assert [(answer.path, answer.status) for answer in said] == list(zip(PATHS, (200, 503, 0), strict=True))
    assert [answer.words for answer in said[:2]] == ["ready", "the disk is full"]
    with listening(ok, ill, b"HTTP/1.0 400 No\r\n\r\n") as port:
        found = list(findings.monitoring(Asked({"pages": port})))
    assert found == [
        Finding("monitoring", Severity.OK, "/healthz answers 200"),
        Finding("monitoring", Severity.WRONG, "/readyz answers 503", "the disk is full"),
        Finding(
            "monitoring",
            Severity.WRONG,
            "/metrics answers 400",
            f"look at what listens on port {port}; --port names the one of the pages",
        ),
    ]


def test_nobody_is_asked_where_nobody_serves() -> None:
    (found,) = findings.monitoring(Asked({"pages": free_port()}))
    assert found.state == Severity.OK


def test_a_server_of_ours_names_itself_however_it_is() -> None:
    with listening(b"HTTP/1.0 503 No\r\nServer: arena\r\n\r\n", b"HTTP/1.0 200 OK\r\n\r\n", b"SSH-2.0\r\n") as port:
        assert [is_arena(port) for _ in range(3)] == [True, False, False]
    assert not is_arena(port), "nobody is there any more"
