"""An installed Arena: the wheel has everything, and `arena serve` in an empty environment serves and plays. And how a
command ends that nobody reads, or whom somebody stops.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from arena import paths
from arena.management.console import asks_for_help, needs_rows
from tests.kit.commands import environment
from tests.kit.deadline import DEADLINE_S
from tests.kit.server import seed_files

pytestmark = pytest.mark.service


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a shell in which a wheel made of this tree is installed, far from the tree."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    made = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(paths.ROOT)]
    subprocess.run([*pip, *made], check=True, timeout=DEADLINE_S)
    (wheel,) = folder.glob("arena-*.whl")
    subprocess.run([*pip, "install", "--no-deps", "--target", str(folder / "site"), str(wheel)], check=True)
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return kept | {"PYTHONPATH": str(folder / "site"), "XDG_DATA_HOME": str(folder / "data")}


def arena(installed: dict[str, str], *words: str) -> list[str]:
    return [str(Path(installed["PYTHONPATH"]) / "bin" / "arena"), *words]


def test_it_serves_pages_with_their_files_and_keeps_its_data_in_the_users_folder(installed: dict[str, str]) -> None:
    before = subprocess.run(arena(installed, "replay"), env=installed, cwd="/", timeout=DEADLINE_S, capture_output=True)
    assert b"no tables yet" in before.stderr and before.stderr.endswith(b": run arena migrate\n")
    file = Path(installed["XDG_DATA_HOME"]) / "arena" / "arena.sqlite3"
    left = file.stat().st_size  # what `serve` finds
    seed_files(file.parent)  # which are of its version only if the wheel has every file
    command = arena(installed, "serve", "--port", "0", "--no-doors", "--pages", "0")
    with subprocess.Popen(command, env=installed, cwd="/", stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        said = list[str]()
        for line in server.stdout:
            said.append(line)
            if line == "Ready\n":
                break
        (address,) = re.findall(r"^Pages +(http://\S+)$", "".join(said), re.MULTILINE)
        try:
            home = page(address)
            for place in {"/games/connect-four/", "/protocols/fiar/", *re.findall(r'"(/static/[^"#]+\.css)"', home)}:
                assert page(address.rstrip("/") + place), place
            (sample,) = set(re.findall(r'"(/samples/fiar_bot\.py)"', page(f"{address}protocols/fiar/")))
            assert "def " in page(address.rstrip("/") + sample)
        finally:
            server.terminate()
    assert file.stat().st_size > left > 0


def page(address: str) -> str:
    with urlopen(address, timeout=DEADLINE_S) as answer:
        return str(answer.read().decode())


def test_it_plays_without_a_server(installed: dict[str, str]) -> None:
    command = arena(installed, "match", "connect-four-7x6", "builtin:best", "builtin:random", "--seed", "1")
    played = subprocess.run(command, env=installed, cwd="/", capture_output=True, text=True, timeout=DEADLINE_S)
    assert played.returncode == 0, played.stderr
    assert "Finished match 1" in played.stdout and played.stderr == ""


@pytest.mark.cases(3)
@pytest.mark.parametrize("words", ["", "help", "--version", "help serve", "serve --help", "match --save -h"])
def test_help_needs_no_folder_that_can_be_written(words: str) -> None:
    command = [sys.executable, str(paths.ROOT / "manage.py"), *words.split()]
    known = {"PATH": os.environ["PATH"], "ARENA_DATA": "/proc"}
    ran = subprocess.run(command, env=known, capture_output=True, text=True, timeout=DEADLINE_S)
    assert (ran.returncode, ran.stderr) == (0, "") and ran.stdout
    assert words == "--version" or "usage: manage.py" in ran.stdout or "Type 'manage.py help" in ran.stdout


@pytest.mark.parametrize("words", ["serve", "check_bot --reenable me -- ./bot --help", "replay -- -h"])
def test_what_is_said_to_a_bot_asks_for_no_help(words: str) -> None:
    assert not asks_for_help(words.split())


@pytest.mark.parametrize("words", [("help",), ("match", "connect-four-7x6", "builtin:random", "builtin:random")])
def test_with_a_closed_output_it_runs_and_has_nothing_to_say(tmp_path: Path, words: tuple[str, ...]) -> None:
    """As after `arena serve >&-`, with which a shell starts what nobody listens to."""
    closed = ["sh", "-c", 'exec "$@" >&- <&-', "sh", sys.executable, str(paths.ROOT / "manage.py"), *words]
    ran = subprocess.run(closed, env=environment(tmp_path), stderr=subprocess.PIPE, timeout=DEADLINE_S)
    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_a_name_that_the_output_has_no_letters_for_costs_no_match(encoding: str, tmp_path: Path) -> None:
    """As on a terminal of another language, from before UTF-8: the first line about that bot ended the command."""
    (tmp_path / "Ёж.py").write_text("import sys\nfor line in sys.stdin: print(line.split()[1].index('.') % 7 + 1)\n")
    words = ("match", "connect-four-7x6", f"fiar:{sys.executable} Ёж.py", "builtin:random", "--clock", "1h")
    played = subprocess.run(
        [sys.executable, str(paths.ROOT / "manage.py"), *words],
        cwd=tmp_path,
        env=environment(tmp_path) | {"PYTHONIOENCODING": encoding},
        capture_output=True,
        timeout=DEADLINE_S,
    )
    name = "Ёж".encode(encoding, "backslashreplace").decode(encoding)
    assert f"Started match 1 of 1 ({name} vs Random (built in))" in played.stdout.decode(encoding)
    assert b"Traceback" not in played.stderr


@pytest.mark.parametrize("words", [("match", "connect-four-7x6", "builtin:random", "builtin:random"), ("runner", "-h")])
def test_a_folder_that_is_gone_is_said_in_a_line(tmp_path: Path, words: tuple[str, ...]) -> None:
    """As of a shell that stands in a folder which was made anew meanwhile."""
    (tmp_path / "gone").mkdir()
    gone = ["sh", "-c", 'rmdir ../gone && exec "$@"', "sh", sys.executable, str(paths.ROOT / "manage.py"), *words]
    ran = subprocess.run(
        gone, cwd=tmp_path / "gone", env=environment(tmp_path), capture_output=True, text=True, timeout=DEADLINE_S
    )
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (1, "", 1)
    assert ran.stderr.startswith("arena: the folder you are in is gone")


def test_a_full_disk_under_its_output_is_said_in_a_line(tmp_path: Path) -> None:
    command = [sys.executable, str(paths.ROOT / "manage.py"), "help"]
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(
            command, env=environment(tmp_path), stdout=full, stderr=subprocess.PIPE, timeout=DEADLINE_S
        )
    assert (ran.returncode, ran.stderr) == (1, b"arena: No space left on device\n")


async def test_ctrl_c_ends_it_without_a_traceback(tmp_path: Path) -> None:
    """It waits for what it is to read."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-u", str(paths.ROOT / "manage.py"), "verify", "none.jsonl", "-"),
        env=environment(tmp_path),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None and process.stderr is not None
    async with asyncio.timeout(DEADLINE_S):
        assert (await process.stdout.readline()).startswith(b"none.jsonl: WRONG")
        process.send_signal(signal.SIGINT)
        assert await process.stderr.read() == b""
        assert await process.wait() == 130


@pytest.mark.parametrize(
    "words", ["check_bot --protocol native --list", "check_bot --protocol native -- cat", "runner -h"]
)
def test_a_reader_that_has_gone_is_no_news(tmp_path: Path, words: str) -> None:
    read, write = os.pipe()
    os.close(read)
    with open(write, "wb") as gone:
        command = [sys.executable, str(paths.ROOT / "manage.py"), *words.split()]
        ran = subprocess.run(
            command, env=environment(tmp_path), stdout=gone, stderr=subprocess.PIPE, timeout=DEADLINE_S
        )
    assert (ran.returncode, ran.stderr) == (1, b"")


@pytest.mark.parametrize(
    ("words", "needs"),
    [
        ("check_bot --protocol fiar -- ./bot --record x", False),
        ("check_bot --record me --port 4999 -- ./bot", True),
        ("check_bot --reenable=me", True),
    ],
)
def test_a_check_reads_rows_only_for_a_registered_bot(words: str, needs: bool) -> None:
    assert needs_rows(words.split()) is needs
