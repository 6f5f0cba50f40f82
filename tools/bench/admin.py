"""A million moves: the cost of a page with that many stored, against a hundredth of them.

Two servers as people run them, each with its own data folder, are asked for the same pages in turns: every page of the
administration that a superuser can reach, with one filter of each kind, and some pages for everybody. Three of them are
also compared with a view of one line (`bare_view.py`), on the server with few moves.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import unescape
from http.cookiejar import CookieJar
from pathlib import Path
from statistics import median
from typing import NamedTuple, Protocol
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

from tests.kit.ports import free_port
from tests.kit.server import ROOT, Server, environment, migrate
from tests.kit.until import blocked_until
from tools.bench import million
from tools.bench.figures import Figure

GOAL_LIST, GOAL_PAGE = 1.5, 1.3
BARE = (sys.executable, "-m", "daphne", "--bind", "127.0.0.1", "--verbosity", "0", "tools.bench.bare_view:application")
# For lists: beside the list without a query, each filter and the page of one row.
ASKED = {
    # Both servers have these: a search that finds only one row would lead to another page.
    "search of all, a name": "/admin/search/?q=Ada",
    "search of all, part of a name": "/admin/search/?q=erson",
    "match, number": "/admin/arena/match/?q=b00000007",
    "search of all, a number": "/admin/search/?q=b00000007",
    "match, name": "/admin/arena/match/?q=Ad",
    "match, part of a name": "/admin/arena/match/?q=da",
    "player, part of a name": "/admin/arena/player/?q=erson",
    "audit, part of a name": "/admin/arena/audit/?q=cut",
    "chat, part of a line": "/admin/arena/chatline/?q=nobody",
}
PAGES = {"home": "/", "match": "/m/b00000007/", "replay": "/m/b00000007/?ply=9"}
AGAINST_BARE = {"home": ("/", 4), "match": ("/m/b00000007/", 8), "admin, match": ("/admin/arena/match/", 20)}
PASSWORD = "seven-blue-otters"


class Asked(Protocol):
    """A server, as far as its pages are asked for."""

    @property
    def address(self) -> str: ...
    @property
    def pid(self) -> int: ...


class Bare(NamedTuple):
    """The server of a bare view."""

    address: str
    pid: int


def run(moves: int = 1_000_000, few: int = 10_000, rounds: int = 15, most: int = 1000) -> Iterator[Figure]:
    """`most`: at most this many pages of the administration."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        yield from asyncio.run(_measured(Path(folder), (few, moves), rounds, most))


async def _measured(folder: Path, sizes: tuple[int, int], rounds: int, most: int) -> list[Figure]:
    servers = [Server(folder / str(size)) for size in sizes]
    await asyncio.to_thread(_begin, folder / "empty")
    try:
        for server, size in zip(servers, sizes, strict=True):
            await asyncio.to_thread(_fill, folder / "empty", server.data, size)
            await server.start()
        people = [await asyncio.to_thread(_staff, server) for server in servers]
        figures = []
        for name, goal, paths in await asyncio.to_thread(_pages, servers, people, most):
            await asyncio.to_thread(_same, servers, people, paths)
            few, many = await asyncio.to_thread(_times, servers, people, paths, rounds)
            detail = f"{few:.1f} ms of a processor with {sizes[0]:,} moves, {many:.1f} with {sizes[1]:,}"
            figures.append(Figure(name, many / few, goal, detail, at_most=True))
        with _bare() as bare:
            figures += await asyncio.to_thread(_against, bare, servers[0], people[0], rounds)
        return figures
    finally:
        for server in servers:
            if server.port:
                await server.stop()


def _pages(
    servers: Sequence[Server], people: Sequence[OpenerDirector], most: int
) -> Iterator[tuple[str, float, list[str]]]:
    """Each page with its goal and its address on each server: the number of the newest row differs between them."""
    found = [_of_admin(server, person) for server, person in zip(servers, people, strict=True)]
    for name in list(found[0])[:most]:
        if all(name in pages for pages in found):
            yield f"admin, {name}", GOAL_LIST, [pages[name] for pages in found]
    for name, path in PAGES.items():
        yield name, GOAL_PAGE, [path] * len(servers)


def _of_admin(server: Server, person: OpenerDirector) -> dict[str, str]:
    """The pages that the sidebar leads to: every list, its filters, and the page of its first row."""
    found = {"control room": "/admin/", "machines and work": "/admin/machines/", **ASKED}
    for path in dict.fromkeys(re.findall(r'href="(/admin/\w+/\w+/)"', _page(server, person, "/admin/"))):
        table = path.split("/")[-2]
        found[table] = path
        listed = _page(server, person, path)
        links = [unescape(link) for link in re.findall(r'<a href="(\?[^"]+)"', listed)]
        # The last of each kind: the first choices are "all".
        filters = {
            re.split(r"__|=", link[1:])[0]: link for link in links if not link.startswith(("?p=", "?o=", "?all"))
        }
        found |= {f"{table}, {name}": path + link for name, link in filters.items()}
        if rows := re.search(rf'href="({path}[^"]+/change/)', listed):
            found[f"a row of {table}"] = rows[1]
    return found


def _page(server: Asked, person: OpenerDirector, path: str) -> str:
    with person.open(server.address + path, timeout=600) as answer:
        return str(answer.read().decode())


def _same(servers: Sequence[Server], people: Sequence[OpenerDirector], paths: Sequence[str]) -> None:
    """A search that finds one row leads to the page of that row: the pages compared must be the same."""
    ends = set[str]()
    for server, person, path in zip(servers, people, paths, strict=True):
        with person.open(server.address + path, timeout=600) as answer:
            ends.add(re.sub(r"\d+", "0", answer.geturl().removeprefix(server.address)))
    assert len(ends) == 1, f"two pages are compared: {' and '.join(sorted(ends))}"


def _against(bare: Bare, server: Server, person: OpenerDirector, rounds: int) -> list[Figure]:
    """`person` asks for what only staff may see; somebody without an account asks for the rest."""
    figures = []
    for name, (path, goal) in AGAINST_BARE.items():
        asks = person if path.startswith("/admin/") else build_opener()
        one, whole = _times((bare, server), (build_opener(), asks), ("/", path), rounds)
        detail = f"{one:.2f} and {whole:.2f} ms of a processor, load {os.getloadavg()[0]:.1f}"
        figures.append(Figure(f"{name} / a bare view", whole / one, goal, detail, at_most=True))
    return figures


def _times(
    servers: Sequence[Asked], people: Sequence[OpenerDirector], paths: Sequence[str], rounds: int
) -> tuple[float, float]:
    """Milliseconds of processor time for a page on both servers: the median of this many requests, in turns."""
    taken: tuple[list[float], list[float]] = ([], [])
    first = 2 if rounds > 1 else 0  # the first ones fill the caches
    for turn in range(rounds + first):
        for server, person, path, times in zip(servers, people, paths, taken, strict=True):
            begin = _used(server)
            _page(server, person, path)
            if turn >= first:
                times.append((_used(server) - begin) / 1e6)
    return median(taken[0]), median(taken[1])


def _used(server: Asked) -> int:
    """Nanoseconds of processor time that the server has used: a clock would count what others do on the machine."""
    return time.clock_gettime_ns(
        ~server.pid << 3 | 2
    )  # the number that clock_getcpuclockid(3) makes; it includes threads that have ended


def _staff(server: Server) -> OpenerDirector:
    """A client that is logged in there as a superuser."""
    person = build_opener(HTTPCookieProcessor(CookieJar()))
    address = f"{server.address}/admin/login/?next=/admin/"
    with person.open(address, timeout=600) as answer:
        token = re.search(r'csrfmiddlewaretoken" value="([^"]+)"', answer.read().decode())
    assert token is not None, "the form has its token"
    form = {"csrfmiddlewaretoken": token[1], "username": "root", "password": PASSWORD}
    with person.open(address, urlencode(form).encode(), timeout=600) as answer:
        assert answer.geturl().endswith("/admin/"), "a superuser may log in"
    return person


@contextmanager
def _bare() -> Iterator[Bare]:
    port = free_port()
    with subprocess.Popen([*BARE, "--port", str(port)], cwd=ROOT) as process:
        bare = Bare(f"http://127.0.0.1:{port}", process.pid)
        try:
            blocked_until(lambda: _answers(bare), "the bare view")
            yield bare
        finally:
            process.terminate()


def _answers(bare: Bare) -> bool:
    try:
        return bool(_page(bare, build_opener(), "/"))
    except URLError:
        return False


# -- what is stored ----------------------------------------------------------------------------------------------------


def _begin(data: Path) -> None:
    """Make all tables, and a superuser."""
    migrate(data)
    known = {"DJANGO_SUPERUSER_PASSWORD": PASSWORD, **environment(data)}
    command = [sys.executable, "manage.py", "createsuperuser", "--noinput", "--username", "root", "--email", "r@b.de"]
    subprocess.run(command, cwd=ROOT, env=known, check=True, timeout=600, stdout=subprocess.DEVNULL)


def _fill(empty: Path, data: Path, moves: int) -> None:
    shutil.copytree(empty, data, symlinks=True)
    (database,) = data.glob("*.sqlite3")
    with sqlite3.connect(database) as stored:
        million.fill(stored, moves // million.PLIES)
    stored.close()
