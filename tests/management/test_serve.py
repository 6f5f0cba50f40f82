"""`manage.py serve` as people run it."""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import signal
import socket
import sqlite3
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener, urlopen

import pytest
from django.conf import LazySettings
from websockets.exceptions import ConnectionClosed

from arena.management.arguments import clock
from arena.management.commands.serve import Command, address_of_pages
from arena.protocols import protocols
from arena.web.host_names import own_address
from tests.kit.clients import Droidcon, Wire, filling
from tests.kit.commands import ROOT, environment, finished, manage, start
from tests.kit.deadline import DEADLINE_S
from tests.kit.ports import free_port
from tests.kit.server import migrate
from tests.kit.sockets import connect

pytestmark = pytest.mark.service

Process = asyncio.subprocess.Process
ANY_DOORS = [word for slug in protocols() for word in ("--door", f"{slug}=0")]
Serves = Callable[..., Awaitable[tuple[Process, list[str]]]]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with tables and nothing else."""
    migrate(tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture
async def serving(data: Path) -> AsyncIterator[Serves]:
    """Starts `serve` and reads what it prints up to `Ready`, or to its end."""
    started: list[Process] = []

    async def serve(*arguments: str) -> tuple[Process, list[str]]:
        process = await start(data, "serve", "--port", "0", *arguments)
        started.append(process)
        assert process.stdout is not None
        lines: list[str] = []
        async with asyncio.timeout(DEADLINE_S):
            while line := (await process.stdout.readline()).decode():
                lines.append(line.rstrip("\n"))
                if lines[-1] == "Ready":
                    break
        return process, lines

    yield serve
    for process in started:
        if process.returncode is None:
            process.kill()
        await process.communicate()


def page_port(lines: list[str]) -> int:
    found = re.fullmatch(r"Pages {6}http://127\.0\.0\.1:(\d+)/", lines[0])
    assert found, lines
    return int(found[1])


def door_port(lines: list[str], slug: str) -> int:
    [port] = [int(line.rpartition(":")[2]) for line in lines if line.startswith(f"Bots       {slug} on 127.0.0.1:")]
    return port


async def test_it_prints_its_addresses_and_then_that_it_is_ready(serving: Serves) -> None:
    _, lines = await serving(*ANY_DOORS)
    assert page_port(lines) and lines[-1] == "Ready"
    assert {line.split()[1] for line in lines if line.startswith("Bots ")} == set(protocols())
    async with Droidcon.to(door_port(lines, "droidcon")) as bot:
        await bot.enter("ada", "a")


async def test_the_address_that_it_prints_can_be_visited_where_it_listens_on_all(serving: Serves) -> None:
    _, lines = await serving("--no-doors", "--host", "0.0.0.0")
    pages = lines[0].removeprefix("Pages      ")
    assert await asyncio.to_thread(lambda: urlopen(pages, timeout=DEADLINE_S).status) == 200
    [code] = [line for line in lines if line.startswith("Admin")]
    assert code.endswith(f" at {pages}admin/claim/")


@pytest.mark.parametrize(
    ("host", "allowed", "origins", "address"),
    [
        ("127.0.0.1", ["localhost", "127.0.0.1"], [], "http://127.0.0.1:8000/"),
        ("::", ["*"], [], "http://localhost:8000/"),
        ("::1", ["[::1]"], [], "http://[::1]:8000/"),
        ("0.0.0.0", ["your-machine"], [], "http://your-machine:8000/"),
        ("127.0.0.1", [], [], "http://127.0.0.1:8000/"),
        ("127.0.0.1", [".example.org"], ["https://arena.example.org"], "https://arena.example.org/"),
    ],
)
def test_it_prints_an_address_whose_name_is_let_in(
    settings: LazySettings, host: str, allowed: list[str], origins: list[str], address: str
) -> None:
    settings.ALLOWED_HOSTS, settings.CSRF_TRUSTED_ORIGINS = allowed, origins
    assert address_of_pages(host, 8000) == address


async def test_a_classroom_opens_its_pages_by_address_or_by_the_name_of_the_machine(serving: Serves) -> None:
    process, lines = await serving("--no-doors", "--host", "0.0.0.0")
    port = int(lines[0].rpartition(":")[2].strip("/"))
    for name in ("192.168.1.20", "[fd00::7]", socket.gethostname(), f"{socket.gethostname()}.local"):
        assert (await asyncio.to_thread(asked_as, name, port))[0] == 200, name
        here = f"{name}:{port}"
        async with connect(f"ws://{here}/ws/lobby/", host="127.0.0.1", port=port, origin=f"http://{here}"):
            pass
    code, page = await asyncio.to_thread(asked_as, "games.example.org", port)
    assert code == 400
    assert "This server is not called games.example.org." in page and "ALLOWED_HOSTS=games.example.org in .env" in page
    process.terminate()
    _, errors = await process.communicate()
    assert b"'games.example.org" in errors and b"Traceback" not in errors and b"ERROR" not in errors


@pytest.mark.parametrize("pages", ["0", "1"])
async def test_a_page_of_another_machine_says_that_bots_from_there_are_refused(serving: Serves, pages: str) -> None:
    _, lines = await serving(*ANY_DOORS, "--host", "0.0.0.0", "--pages", pages)
    port = int(lines[0].rpartition(":")[2].strip("/"))
    for path in ("protocols/", "protocols/droidcon/"):
        _, page = await asyncio.to_thread(asked_as, "192.168.1.20", port, path)
        assert "start Arena with <span>--bots-host 0.0.0.0.</span>" in page
        _, page = await asyncio.to_thread(asked_as, "localhost", port, path)
        assert "--bots-host" not in page


async def test_a_link_for_a_friend_leads_others_to_this_machine(serving: Serves) -> None:
    """Though the player has opened the page at `localhost`."""
    _, lines = await serving("--no-doors", "--host", "0.0.0.0")
    port = int(lines[0].rpartition(":")[2].strip("/"))
    others = next((line.removeprefix("Others     ") for line in lines if line.startswith("Others")), "")
    assert others == (f"http://{own_address()}:{port}/" if own_address() else "")
    page = await asyncio.to_thread(invited, port)
    assert f'data-copy="{others or f"http://localhost:{port}/"}r/' in page
    assert ("Only this machine can open this link." in page) is not bool(others)


def invited(port: int) -> str:
    """The page with the link, of somebody who has opened a room for a friend."""
    here, person = f"http://localhost:{port}", build_opener(HTTPCookieProcessor())
    with person.open(f"{here}/", timeout=DEADLINE_S) as home:
        token = re.findall('name="csrfmiddlewaretoken" value="(.+?)"', home.read().decode())[0]
    form = urlencode({"variant": "connect-four-7x6", "csrfmiddlewaretoken": token}).encode()
    with person.open(Request(f"{here}/r/friend/", form, {"Origin": here}), timeout=DEADLINE_S) as room:
        return str(room.read().decode())


def asked_as(name: str, port: int, path: str = "") -> tuple[int, str]:
    """What this page answers to who calls the server this."""
    asked = Request(f"http://127.0.0.1:{port}/{path}", headers={"Host": f"{name}:{port}"})
    try:
        with urlopen(asked, timeout=DEADLINE_S) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as refused:
        with refused:
            return refused.code, refused.read().decode()


@pytest.mark.parametrize("output", ["gone", "full"])
async def test_an_output_that_takes_nothing_costs_it_nothing(output: str, data: Path) -> None:
    """As of `serve | tee log` whose tee has ended, or of a log on a full disk: it did not start, nor could a front take
    over.
    """
    read, gone = os.pipe()
    os.close(read)
    with open(gone, "wb") as closed, open("/dev/full", "wb") as full:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, str(ROOT / "manage.py"), "serve", "--port", "0", "--no-doors"),
            env=environment(data),
            stdout=closed if output == "gone" else full,
            stderr=asyncio.subprocess.PIPE,
        )
    assert process.stderr is not None
    try:
        async with asyncio.timeout(DEADLINE_S):
            while "standard output takes nothing more" not in (line := (await process.stderr.readline()).decode()):
                assert line, "it has ended"
            process.send_signal(signal.SIGTERM)
            assert b"Traceback" not in await process.stderr.read()
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()


async def test_without_doors_there_are_none(serving: Serves) -> None:
    _, lines = await serving("--no-doors")
    assert not any(line.startswith("Bots ") for line in lines)


async def test_told_to_stop_it_says_goodbye_to_everyone_and_ends_well(serving: Serves) -> None:
    """Within ten seconds, or on a machine so busy that a start takes longer, before another one would have started."""
    began = time.monotonic()
    process, lines = await serving("--door", "droidcon=0", "--door", "fiar=0", *ANY_DOORS)
    most = max(10, time.monotonic() - began)
    port = page_port(lines)
    origin = f"http://127.0.0.1:{port}"
    async with (
        connect(f"ws://127.0.0.1:{port}/ws/lobby/", origin=origin) as browser,
        Droidcon.to(door_port(lines, "droidcon")) as one,
        Droidcon.to(door_port(lines, "droidcon")) as two,
    ):
        await one.enter("ada", "a")
        await two.enter("bob", "a")
        await one.until("YOUR_MOVE")
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert await one.rest() == []
        await two.rest()
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                await browser.recv()
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 1012
    code, _, err = await finished(process)
    assert (code, time.monotonic() - began < most) == (0, True), err
    assert "Traceback" not in err


async def test_a_match_outlives_the_stop(serving: Serves, data: Path) -> None:
    process, lines = await serving(*ANY_DOORS)
    async with Wire.to(door_port(lines, "fiar")) as one, Wire.to(door_port(lines, "fiar")) as two:
        asked = [asyncio.ensure_future(wire.line()) for wire in (one, two)]
        await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED, timeout=DEADLINE_S)
        process.terminate()
        await asyncio.gather(*asked)
    code, _, err = await finished(process)
    assert code == 0, err
    _, lines = await serving(*ANY_DOORS)
    async with Wire.to(door_port(lines, "fiar")) as one, Wire.to(door_port(lines, "fiar")) as two:
        await asyncio.gather(*(filling(wire) for wire in (one, two)))
    with closing(sqlite3.connect(data / "arena.sqlite3")) as database:
        assert database.execute("SELECT termination, plies FROM arena_match").fetchall() == [("normal", 7)]


@pytest.mark.parametrize("what", ["page", "door"])
async def test_a_taken_port_is_one_line_and_exit_1(what: str, data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        mine = ["--port", port, *ANY_DOORS] if what == "page" else ["--port", "0", *ANY_DOORS, "--door", f"fiar={port}"]
        code, out, err = await finished(await start(data, "serve", *mine))
    assert (code, out) == (1, "")
    assert err.count("\n") == 1 and f"Cannot listen on 127.0.0.1:{port}" in err and "Address already in use." in err


async def test_a_second_server_on_the_same_data_is_one_line_and_exit_1(serving: Serves, data: Path) -> None:
    process, _ = await serving("--no-doors")
    code, out, err = await finished(await start(data, "serve", "--port", "0", "--no-doors"))
    assert (code, out) == (1, "")
    assert err == (
        f"CommandError: another server (process {process.pid}) already uses the data in {data}: "
        "stop it, or set ARENA_DATA elsewhere\n"
    )


def test_a_folder_that_cannot_be_written_is_one_line() -> None:
    run = manage(Path("/proc"), "serve", "--port", "0", "--no-doors")
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.startswith("arena: ARENA_DATA=/proc: cannot write there") and run.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--port", "web"], "'web': expected a port from 1 to 65535"),
        (["--port", "65536"], "'65536': expected a port from 1 to 65535"),
        (["--door", "chess=4000"], "'chess=4000': expected PROTOCOL=PORT, for example droidcon=4242; protocols: "),
        (["--door", "fiar"], "'fiar': expected PROTOCOL=PORT"),
    ],
)
def test_wrong_usage_says_what_was_expected(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        Command().run_from_argv(["manage.py", "serve", *arguments])
    assert end.value.code == 2 and says in capsys.readouterr().err


def test_wrong_usage_ends_the_process_with_2(tmp_path: Path) -> None:
    run = manage(tmp_path, "serve", "--port", "web")
    assert run.returncode == 2 and "'web': expected a port from 1 to 65535" in run.stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("fiar", "'fiar': expected PROTOCOL=CLOCK, for example droidcon=10s; protocols: "),
        ("chess=10s", "'chess=10s': expected PROTOCOL=CLOCK"),
        ("droidcon=soon", "'droidcon=soon': clock 'soon': expected 5s .a move., 2m .total., 1m.1s"),
        ("droidcon=0s", "expected more than nothing and at most 7 days"),
        ("droidcon=none", "'droidcon=none': a bot on a socket needs a clock, as it might never answer: try 10m"),
    ],
)
def test_a_clock_that_cannot_be_says_what_was_expected(text: str, says: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=says):
        clock(text)


async def test_a_clock_may_be_chosen_for_the_rooms_that_bots_open(serving: Serves) -> None:
    _, lines = await serving(*ANY_DOORS, "--clock", "droidcon=10s", "--clock", "fiar=2m+1s")
    async with Droidcon.to(door_port(lines, "droidcon")) as bot:
        await bot.enter("ada", "a")
        page = await asyncio.to_thread(urlopen, f"http://127.0.0.1:{page_port(lines)}/r/a/", timeout=DEADLINE_S)
        with page:
            assert "10 s a move" in page.read().decode()


async def test_a_door_may_stand_where_old_bots_look_for_it(serving: Serves) -> None:
    port = free_port()
    _, lines = await serving(*ANY_DOORS, "--door", f"droidcon={port}")
    assert door_port(lines, "droidcon") == port
