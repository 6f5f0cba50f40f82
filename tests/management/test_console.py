"""An installed Arena: the wheel has everything, and `arena serve` in an empty environment serves and plays."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from arena import paths
from tests.kit.deadline import DEADLINE_S

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
    data = Path(installed["XDG_DATA_HOME"]) / "arena"
    data.mkdir(parents=True)
    (data / "arena.sqlite3").touch()  # as a command leaves it that has looked for the tables
    command = arena(installed, "serve", "--port", "0", "--no-doors")
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
    assert (data / "arena.sqlite3").stat().st_size > 0


def page(address: str) -> str:
    with urlopen(address, timeout=DEADLINE_S) as answer:
        return str(answer.read().decode())


def test_it_plays_without_a_server(installed: dict[str, str]) -> None:
    command = arena(installed, "match", "connect-four-7x6", "builtin:best", "builtin:random", "--seed", "1")
    played = subprocess.run(command, env=installed, cwd="/", capture_output=True, text=True, timeout=DEADLINE_S)
    assert played.returncode == 0, played.stderr
    assert "Finished match 1" in played.stdout and played.stderr == ""
