"""A message gets to who takes it, and nobody who misbehaves gets more than a few seconds and a few bytes."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest

from arena.work.webhooks import posting
from arena.work.webhooks.address import read
from arena.work.webhooks.posting import LONGEST_HEAD, NotPosted, Poster
from tests.kit.deadline import DEADLINE_S
from tests.work.webhooks.receiver import HERE, Receiver, receiving, trusting


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine makes no receiver too slow."""
    monkeypatch.setattr(posting, "DEADLINE_S", DEADLINE_S)


@pytest.fixture
async def poster() -> AsyncIterator[Poster]:
    made = trusting()
    yield made
    made.close()


async def posted(poster: Poster, receiver: Receiver, body: bytes = b"{}") -> int:
    return await poster.post(read(receiver.url), {"webhook-id": "msg_1"}, body)


async def refused(poster: Poster, url: str) -> str:
    with pytest.raises(NotPosted) as why:
        await poster.post(read(url), {}, b"{}")
    return str(why.value)


async def test_a_message_comes_whole(poster: Poster) -> None:
    async with receiving() as receiver:
        assert await posted(poster, receiver, "{\u00fc}".encode()) == 204
        (came,) = receiver.received
    assert came.line == "POST /hook?a=b HTTP/1.1" and came.body == "{\u00fc}".encode()
    assert came.headers["host"] == f"127.0.0.1:{receiver.port}" and came.headers["webhook-id"] == "msg_1"


@pytest.mark.parametrize("status", [200, 301, 307, 404, 410, 500])
async def test_every_status_is_told_and_no_redirect_followed(poster: Poster, status: int) -> None:
    async with receiving() as other, receiving() as receiver:
        receiver.answer = f"HTTP/1.1 {status} So\r\nLocation: {other.url}\r\n\r\n".encode()
        assert await posted(poster, receiver) == status
        assert other.received == []


async def test_an_answer_without_end_costs_nothing(poster: Poster) -> None:
    async with receiving(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 10_000_000) as receiver:
        assert await posted(poster, receiver) == 200
        receiver.answer = b"HTTP/1.1 200 OK\r\nA: " + b"x" * 10_000_000
        assert f"longer than {LONGEST_HEAD // 1024} KiB" in await refused(poster, receiver.url)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (b"", "without an answer"),
        (b"HTTP/1.1 20", "without an answer"),
        (b"SSH-2.0-OpenSSH\r\n\r\n", "does not answer in HTTP/1.1"),
        (b"HTTP/1.1 2000 OK\r\n\r\n", "does not answer in HTTP/1.1"),
        (b"HTTP/1.1 \xd9\xa2\xd9\xa0\xd9\xa0 OK\r\n\r\n", "does not answer in HTTP/1.1"),
        (b"HTTP/1.1 103 Early Hints\r\n\r\n" * 9, "informational answers"),
    ],
)
async def test_what_is_no_answer_is_said(poster: Poster, answer: bytes, says: str) -> None:
    async with receiving(answer) as receiver:
        assert says in await refused(poster, receiver.url)


async def test_an_informational_answer_is_not_the_last_one(poster: Poster) -> None:
    async with receiving(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 Accepted\r\n\r\n") as receiver:
        assert await posted(poster, receiver) == 202


@pytest.mark.long
async def test_a_receiver_that_hangs_is_left_when_its_time_is_over(
    poster: Poster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posting, "DEADLINE_S", 0.5)
    async with receiving(None) as receiver:
        assert await refused(poster, receiver.url) == "It did not answer within 0.5 s."


@pytest.mark.long
async def test_a_receiver_that_never_speaks_tls_is_left_too(poster: Poster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "DEADLINE_S", 0.5)
    async with receiving(tls=False) as receiver:
        assert await refused(poster, receiver.url) == "It did not answer within 0.5 s."


async def test_nobody_listens_there(poster: Poster) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        assert "refused" in await refused(poster, f"https://127.0.0.1:{taken.getsockname()[1]}/")


async def test_a_certificate_that_nobody_vouches_for_is_not_trusted() -> None:
    stranger = Poster(HERE)
    async with receiving() as receiver:
        assert "Its certificate does not hold: self" in await refused(stranger, receiver.url)
        assert receiver.received == []
    stranger.close()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0x7f.1", "0.0.0.0"])
async def test_no_private_network_is_asked(host: str) -> None:
    careful = trusting(allowed=False)
    async with receiving() as receiver:
        receiver_url = receiver.url.replace("127.0.0.1", host)
        if host == "0x7f.1":  # no name that anybody can register, but what the system would look up
            to = read(receiver.url)._replace(host=host)
            with pytest.raises(NotPosted, match="not a public address"):
                await careful.post(to, {}, b"")
        else:
            assert "not a public address" in await refused(careful, receiver_url)
        assert receiver.most == 0, "nothing has connected"
    careful.close()


async def test_a_name_is_looked_up_once_and_what_was_checked_is_connected_to(
    poster: Poster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that leads elsewhere the second time leads nowhere else."""
    looked_up: list[str] = []

    def found(host: str, port: int, **more: Any) -> list[tuple[Any, ...]]:
        looked_up.append(host)
        addresses = ["10.0.0.1", "127.0.0.1"] if len(looked_up) == 1 else ["10.0.0.1"]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", found)
    async with receiving() as receiver:
        to = read(f"https://rebinds.example:{receiver.port}/")
        with pytest.raises(NotPosted, match="certificate does not hold: [Hh]ostname mismatch"):
            await poster.post(to, {}, b"{}")
        assert receiver.received == []
    assert looked_up == ["rebinds.example"]


async def test_a_name_that_nobody_has_is_said(poster: Poster, monkeypatch: pytest.MonkeyPatch) -> None:
    def found(*asked: Any, **more: Any) -> list[Any]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", found)
    assert "was not found" in await refused(poster, "https://nobody.invalid/")


@pytest.mark.long
async def test_a_name_that_is_looked_up_for_ever_holds_nobody_up(
    poster: Poster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posting, "DEADLINE_S", 0.5)
    free = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *asked, **more: free.wait() and [])
    try:
        assert "within 0.5 s" in await refused(poster, "https://hangs.example/")
        assert await asyncio.sleep(0, "the loop goes on") == "the loop goes on"
    finally:
        free.set()


async def test_who_the_system_trusts_is_read_in_a_thread() -> None:
    usual = Poster(HERE)
    assert isinstance(await usual._tls(), ssl.SSLContext) and await usual._tls() is await usual._tls()
    usual.close()
