"""A program is asked for over HTTP from a real server, and what is not the program that was meant is not taken."""

from __future__ import annotations

import ssl
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from arena.bots.process import fetching
from arena.bots.process.fetching import NotFetched, fetched
from arena.bots.process.packing import sha256_of
from arena.work.slot import LACKS
from tests.kit.deadline import DEADLINE_S

PROGRAM = b"what a bot consists of"
SHOWN = "7.1.secret"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.headers["Authorization"] != f"Run {SHOWN}":
            self.send_error(403, "not your run")
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(PROGRAM)

    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/work/programs/x"
        server.shutdown()


def test_it_is_given_to_who_shows_the_run(address: str) -> None:
    assert fetched(address, sha256_of(PROGRAM), SHOWN) == PROGRAM


def test_another_program_is_not_taken(address: str) -> None:
    said = rf"gave a program with the SHA-256 {sha256_of(PROGRAM)}, expected {'0' * 64}"
    with pytest.raises(NotFetched, match=said) as raised:
        fetched(address, "0" * 64, SHOWN)
    assert isinstance(raised.value.__cause__, OSError) and raised.value.__cause__.errno in LACKS, "others may get it"


def test_what_the_host_refuses_is_said_in_its_words(address: str) -> None:
    with pytest.raises(NotFetched, match="answers 403: "):
        fetched(address, sha256_of(PROGRAM), "7.1.another")


def test_a_host_that_is_not_there_is_said(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "PAUSE_S", 0)
    with pytest.raises(NotFetched, match="cannot be asked for the program: .*refused"):
        fetched("http://127.0.0.1:9/work/programs/x", "0" * 64, SHOWN)


def test_over_https_the_certificate_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of the operator's own is known by SSL_CERT_FILE; without it nothing is asked."""
    monkeypatch.setattr(fetching, "PAUSE_S", 0)
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    names = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
    files = ("-keyout", str(key), "-out", str(certificate))
    made = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "1",
    ]
    subprocess.run([*made, *files, *names], check=True, capture_output=True, timeout=DEADLINE_S)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        address = f"https://localhost:{server.server_port}/work/programs/x"
        with pytest.raises(NotFetched, match="certificate verify failed"):
            fetched(address, sha256_of(PROGRAM), SHOWN)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert fetched(address, sha256_of(PROGRAM), SHOWN) == PROGRAM
        with pytest.raises(NotFetched, match="certificate verify failed.*not valid for|mismatch"):
            fetched(address.replace("localhost", "127.0.0.1"), sha256_of(PROGRAM), SHOWN)
        server.shutdown()


@pytest.mark.parametrize("address", ["http://arena.example.org/work/programs/x", "ftp://127.0.0.1/x", "nowhere"])
def test_nothing_is_asked_without_encryption_elsewhere(address: str) -> None:
    with pytest.raises(NotFetched, match="expected an address with https"):
        fetched(address, "0" * 64, SHOWN)


def test_it_ends_at_the_most_that_a_program_may_be(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "MOST_PACKED", 5)
    with pytest.raises(NotFetched, match="gives more than 5 bytes"):
        fetched(address, sha256_of(PROGRAM), SHOWN)
