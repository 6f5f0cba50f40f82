"""Strangers attack a real server from addresses of their own, while an honest match is played to its end by its rules.

What is asserted are counts: what was closed with which code and words, lines of the log, rooms. Times are measured by
`make bench ARGS=attacks`.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager

import pytest

from arena.protocols import protocols
from tests.attacks import honest, strangers
from tests.attacks.elsewhere import IPV4, IPV6, OTHER_IPV6, Elsewhere, NoNamespace
from tests.attacks.serving import DROIDCON, NATIVE, PAGES, PAGES_IPV4, Served

pytestmark = pytest.mark.service

# That accept readers of pages, and count them each by itself: the page worker, and the server while that is silent.
PROCESSES = 2


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Elsewhere]:
    with ExitStack() as stack:
        try:
            network = stack.enter_context(Elsewhere())
        except NoNamespace as why:
            pytest.skip(f"no network namespace: {why}")
        yield network


@pytest.fixture(scope="module")
def served(elsewhere: Elsewhere, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(elsewhere, tmp_path_factory.mktemp("attacked"), ARENA_LIMIT_PAGES="40,1") as server:
        yield server
    for line in server.log():
        assert line.isprintable() and re.match(r"\d{4}-\d\d-\d\d |    ", line), line


@contextmanager
def honest_match(elsewhere: Elsewhere) -> Iterator[None]:
    """Two bots play while the context lasts, and to the end of what they have begun."""
    over, played = threading.Event(), list[honest.Played]()
    playing = threading.Thread(target=lambda: played.append(honest.play_until(elsewhere, over.is_set)))
    playing.start()
    try:
        yield
    finally:
        over.set()
        playing.join()
    assert played and set(played[0].endings) == {"normal"}


def let_through(burst: int, each_s: float, began: float) -> int:
    """How many a limit lets through at most of what began then: so many at once, and one more in each time."""
    return burst + 1 + int((time.monotonic() - began) / each_s)


@pytest.mark.parametrize(
    ("attack", "words"),
    [
        (strangers.pings, "1008 too many pings: 10 at once and then 1 a second are taken"),
        (strangers.continuations, "1008 too many frames: 200 at once and then 50 a second are taken"),
    ],
)
def test_floods_of_frames_are_closed(
    elsewhere: Elsewhere, served: Served, attack: Callable[..., strangers.Result], words: str
) -> None:
    with honest_match(elsewhere):
        assert attack(elsewhere, 0).said == {words: 5}


def test_one_network_takes_neither_all_rooms_nor_a_door(elsewhere: Elsewhere, served: Served) -> None:
    with honest_match(elsewhere):
        began = time.monotonic()
        said = strangers.rooms(elsewhere).said
        assert 60 <= said["SUCCESS"] <= let_through(60, 5, began) and said.total() == 80
        with closing(elsewhere.connect(OTHER_IPV6, DROIDCON)) as other:
            other.sendall(b"NAME other\nJOIN free\n")
            with other.makefile("rb") as lines:
                assert [lines.readline(), lines.readline()] == [b"SUCCESS\n"] * 2


def test_connections_of_one_network_close_a_door_for_nobody_else(elsewhere: Elsewhere, served: Served) -> None:
    with honest_match(elsewhere), ExitStack() as stack:
        held = [stack.enter_context(closing(elsewhere.connect(IPV6.format(n), NATIVE))) for n in range(1, 21)]
        for client in held:
            client.sendall(b'{"type": "hello", "name": "x"}\n')
            assert b'"welcome"' in client.makefile("rb").readline()
        assert strangers.connections(elsewhere, number=30).said == {"too_many": 30}
        other = stack.enter_context(closing(elsewhere.connect(OTHER_IPV6, NATIVE)))
        other.sendall(b'{"type": "hello", "name": "x"}\n')
        assert b'"welcome"' in other.makefile("rb").readline()


def test_every_door_says_why_it_takes_no_more_from_one_address(elsewhere: Elsewhere, served: Served) -> None:
    """What may become a token is waited for, so that none of them takes a seat meanwhile."""
    for adapter in protocols().values():
        with ExitStack() as stack:
            for number in range(1, 21):
                held = stack.enter_context(closing(elsewhere.connect(IPV6.format(number), ("::1", adapter.port))))
                held.sendall(b"SEA")
            one_more = stack.enter_context(closing(elsewhere.connect(IPV6.format(21), ("::1", adapter.port))))
            said = one_more.makefile("rb").read()
        words = b"Your address has 20 connections here without a seat, and no more are taken."
        assert b"too_many" in said and words in said, (adapter.slug, said)


def test_requests_that_are_none_are_400_and_few_lines(elsewhere: Elsewhere, served: Served) -> None:
    """The server and its page worker count by themselves, and which of them answers can change meanwhile."""
    before, began = len(served.log()), time.monotonic()
    with honest_match(elsewhere):
        assert strangers.targets(elsewhere, number=78).said == {"400": 78}
    said = [line for line in served.log()[before:] if "198.51.100.31" in line]
    assert 30 <= len(said) <= 2 * let_through(30, 2, began) and max(map(len, said)) < 200


def test_readers_behind_one_address_have_a_budget_and_others_are_served(elsewhere: Elsewhere, served: Served) -> None:
    with honest_match(elsewhere):
        began = time.monotonic()
        said = strangers.readers(elsewhere, number=10, each=10).said
        assert 40 <= said["200"] <= PROCESSES * let_through(40, 1, began) and said["429"] == 100 - said["200"], said
        with closing(elsewhere.connect(IPV4.format(22), PAGES_IPV4)) as other:
            other.sendall(strangers.PAGE % b"/")
            assert other.recv(100).startswith(b"HTTP/1.1 200 ")


def test_no_name_and_no_address_forges_a_line_of_the_log(elsewhere: Elsewhere, served: Served) -> None:
    forged = b"/%0A2026-01-31%2012:00:00,123%20ERROR%20arena.serve:%20forged%1B[2K"
    with closing(elsewhere.connect(OTHER_IPV6, PAGES)) as client:
        client.sendall(strangers.PAGE % forged)
        assert client.recv(100).startswith(b"HTTP/1.1 404 ")
    with closing(elsewhere.connect(OTHER_IPV6, DROIDCON)) as client:
        client.sendall(b"NAME \x1b[2Kada\r2026-01-31 12:00:00,123 ERROR arena.serve: forged\x85\nJOIN forged\n")
        client.makefile("rb").readline()
    assert [line for line in served.log() if line.startswith("2026-01-31")] == []
    assert any(r"/\n2026-01-31 12:00:00,123 ERROR arena.serve: forged\x1b[2K" in line for line in served.log())
