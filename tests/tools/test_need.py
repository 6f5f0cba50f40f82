from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.kit.deadline import DEADLINE_S

NEED = Path(__file__).parent.parent.parent / "tools" / "need.sh"


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A machine with a shell's own programs, `here`, and nobody who may install anything."""
    for name, text in {"here": "", "id": "echo 1000", "sudo": "exit 1", "apt-get": "exit 1"}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    for name in ("tr", "true"):
        (tmp_path / name).symlink_to(f"/usr/bin/{name}")
    return tmp_path


def need(machine: Path, *pairs: str) -> subprocess.CompletedProcess[str]:
    command = ["/bin/sh", str(NEED), *pairs]
    return subprocess.run(command, env={"PATH": str(machine)}, capture_output=True, text=True, timeout=DEADLINE_S)


def test_what_is_here_needs_nothing(machine: Path) -> None:
    run = need(machine, "here:package")
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_who_may_not_install_gets_the_line_to_type(machine: Path) -> None:
    run = need(machine, "here:package", "gone:one,two", "away:three")
    line = "sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends one two three'"
    assert (run.returncode, run.stdout) == (1, "")
    assert line in run.stderr
    assert run.stderr.count("\n") == 1


def test_a_system_without_apt_is_told_the_names(machine: Path) -> None:
    (machine / "apt-get").unlink()
    run = need(machine, "gone:one,two")
    assert run.returncode == 1
    assert "Missing here: one two." in run.stderr


@pytest.mark.parametrize("who", ["root", "sudo"])
def test_who_may_install_installs(who: str, machine: Path) -> None:
    (machine / "apt-get").write_text('#!/bin/sh\necho "apt-get $*"\n')
    if who == "root":
        (machine / "id").write_text("#!/bin/sh\necho 0\n")
    else:
        (machine / "sudo").write_text('#!/bin/sh\nshift\nexec "$@"\n')
    run = need(machine, "gone:one")
    assert run.returncode == 0
    assert run.stdout.endswith("apt-get install -y --no-install-recommends one\n")


@pytest.mark.parametrize(("known", "installed"), [(True, True), (False, False)])
def test_another_program_does_where_the_package_cannot_be_had(known: bool, installed: bool, machine: Path) -> None:
    (machine / "id").write_text("#!/bin/sh\necho 0\n")
    (machine / "apt-get").write_text('#!/bin/sh\necho "apt-get $*"\n')
    (machine / "apt-cache").write_text(f"#!/bin/sh\nexit {0 if known else 1}\n")
    (machine / "apt-cache").chmod(0o755)
    run = need(machine, "gone/here:one")
    assert (run.returncode, "install" in run.stdout) == (0, installed)
    assert need(machine, "gone/away:one").stdout.endswith("apt-get install -y --no-install-recommends one\n")
