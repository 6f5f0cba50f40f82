"""What a program is packed into: the same bytes for the same files, and nothing that leads out of its folder."""

from __future__ import annotations

import errno
import gzip
import io
import os
import socket
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.bots.process import packing
from arena.bots.process.packing import NotPacked, forget_unused, pack, sha256_of, sha256_of_folder, unpack
from tests.kit.deadline import DEADLINE_S
from tests.kit.namespaces import may_be_made
from tests.kit.server import ROOT

UNPACKS = """
from pathlib import Path
from arena.bots.process.packing import NotPacked, unpack
try:
    unpack(Path("packed").read_bytes(), Path("small/left/x"))
except NotPacked as why:
    print(why.__cause__.errno, list(Path("small/left").iterdir()))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "bot"
    (made / "lib").mkdir(parents=True)
    (made / "bot.py").write_text("print(4)\n")
    (made / "lib" / "values.txt").write_text("1 2 3\n")
    (made / "run").write_text("#!/bin/sh\n")
    (made / "run").chmod(0o750)
    (made / "lib" / "main").symlink_to("../bot.py")
    return made


def test_what_was_packed_comes_back_read_only(folder: Path, tmp_path: Path) -> None:
    made = tmp_path / "there" / "x"
    unpack(pack(folder), made)
    assert (made / "lib" / "values.txt").read_text() == "1 2 3\n" and (
        made / "lib" / "main"
    ).read_text() == "print(4)\n"
    modes = {path.name: path.stat().st_mode & 0o777 for path in (made, *made.rglob("*"))}
    assert modes == {"x": 0o555, "lib": 0o555, "bot.py": 0o444, "main": 0o444, "values.txt": 0o444, "run": 0o555}
    assert sha256_of(pack(made)) == sha256_of(pack(folder)), "who has it can see that it is the same"
    unpack(pack(folder), made)  # it is there
    assert [path.name for path in made.parent.iterdir()] == ["x"]


@pytest.fixture
def packs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A line for each time that something is packed."""
    done: list[str] = []

    def noted(*args: Any, **kwargs: Any) -> tarfile.TarFile:
        done.append("packed")
        return opened(*args, **kwargs)

    opened = tarfile.open
    monkeypatch.setattr(tarfile, "open", noted)
    return done


def test_files_that_are_the_same_are_packed_once(
    folder: Path, packs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "SETTLED_S", -60.0)
    before = sha256_of_folder(folder)
    assert (sha256_of_folder(folder), packs) == (before, ["packed"])
    (folder / "run").chmod(0o640)
    assert sha256_of_folder(folder) != before
    (folder / "run").chmod(0o750)
    assert (sha256_of_folder(folder), packs) == (before, ["packed"] * 3)


def test_other_bytes_are_seen_whatever_size_and_time_their_file_has(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "SETTLED_S", -60.0)
    was, before = (folder / "bot.py").stat(), sha256_of_folder(folder)
    (folder / "new").write_text("print(5)\n")
    os.utime(folder / "new", ns=(was.st_atime_ns, was.st_mtime_ns))
    (folder / "new").rename(folder / "bot.py")
    assert sha256_of_folder(folder) != before


def test_files_that_have_just_changed_are_packed_each_time(folder: Path, packs: list[str]) -> None:
    before = sha256_of_folder(folder)
    (folder / "bot.py").write_text("print(5)\n")  # perhaps within the same tick of the clock
    assert sha256_of_folder(folder) != before and len(packs) == 2


def test_a_folder_that_cannot_be_packed_says_why_each_time(folder: Path) -> None:
    for gone in (folder / "none", folder / "bot.py"):
        with pytest.raises(NotPacked, match="is not a folder"):
            sha256_of_folder(gone)


def test_it_has_its_name_only_when_all_of_it_is_on_the_disk(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else half a program could have it after a power cut."""
    made, before, after, fsync = tmp_path / "there" / "x", set[str](), list[str](), os.fsync

    def written_out(opened: int) -> None:
        fsync(opened)
        path = os.readlink(f"/proc/self/fd/{opened}")
        after.append(path) if made.exists() else before.add(path)

    monkeypatch.setattr(os, "fsync", written_out)
    unpack(pack(folder), made)
    (making,) = (path for path in before if Path(path).parent == made.parent)
    kept = {str(path.relative_to(made)) for path in made.rglob("*") if not path.is_symlink()}
    assert {os.path.relpath(path, making) for path in before} == {".", *kept}
    assert after == [str(made.parent)]


def test_the_hash_is_that_of_names_and_contents(folder: Path) -> None:
    before = sha256_of(pack(folder))
    os.utime(folder / "bot.py", (1, 1))
    (folder / "bot.py").chmod(0o600)
    assert sha256_of(pack(folder)) == before
    (folder / "bot.py").write_text("print(5)\n")
    changed = sha256_of(pack(folder))
    (folder / "run").chmod(0o640)
    assert len({before, changed, sha256_of(pack(folder))}) == 3


def a_link(target: str) -> Callable[[Path], None]:
    return lambda folder: (folder / "lib" / "bad").symlink_to(target)


def a_socket(folder: Path) -> None:
    here = os.getcwd()
    os.chdir(folder)  # its whole name may be too long for a socket
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("bad")
    finally:
        os.chdir(here)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (a_link("/etc/passwd"), "lib/bad is a link to /etc/passwd, out of the folder"),
        (a_link("../../other"), "lib/bad is a link to ../../other, out of the folder"),
        (a_link("main/../../bot.py"), "lib/bad is a link to main/../../bot.py, out of the folder"),
        (lambda folder: os.mkfifo(folder / "bad"), "bad is a named pipe: expected files"),
        (a_socket, "bad is a socket: expected files"),
        (lambda folder: os.makedirs(folder / "/".join("a" * packing.MOST_DEEP)), "nested more than 100 deep"),
        (lambda folder: os.truncate(folder / "bot.py", packing.MOST_BYTES + 1), "more than 64 MB together"),
    ],
)
def test_what_cannot_travel_is_refused_in_words(folder: Path, spoil: Callable[[Path], None], words: str) -> None:
    spoil(folder)
    with pytest.raises(NotPacked, match=words):
        pack(folder)


@pytest.mark.parametrize(("found", "becomes_link"), [("bot.py", "bot.py"), ("lib/values.txt", "lib")])
def test_a_link_that_comes_while_it_is_packed_is_not_followed(
    found: str, becomes_link: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else whoever may write there would be given files that only the server may read."""
    (tmp_path / "secret" / "lib").mkdir(parents=True)
    (tmp_path / "secret" / found).write_text("a secret key")
    lstat = Path.lstat

    def looked_at(path: Path) -> os.stat_result:
        result = lstat(path)
        if path == folder / found:
            (folder / becomes_link).rename(tmp_path / "away")
            (folder / becomes_link).symlink_to(tmp_path / "secret" / becomes_link)
        return result

    monkeypatch.setattr(Path, "lstat", looked_at)
    with pytest.raises(NotPacked):
        pack(folder)


@pytest.mark.skipif(os.getuid() != 0, reason="only root makes devices")
def test_a_device_is_refused(folder: Path) -> None:
    try:
        os.mknod(folder / "bad", 0o20600, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("this machine lets nobody make a device")
    with pytest.raises(NotPacked, match="bad is a device"):
        pack(folder)


def test_a_folder_that_is_none_or_empty_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotPacked, match="nothing is not a folder"):
        pack(tmp_path / "nothing")
    with pytest.raises(NotPacked, match="is empty"):
        pack(tmp_path)


def a_pack(*entries: tuple[str, str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for name, linkname, data in entries:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            if linkname:
                info.type, info.linkname = tarfile.SYMTYPE, linkname
            tar.addfile(info, io.BytesIO(data))
    return made.getvalue()


def a_header(said: bytes) -> bytes:
    """What says more of the entry behind it."""
    info = tarfile.TarInfo("header")
    info.type, info.size = tarfile.XHDTYPE, len(said)
    return info.tobuf(tarfile.USTAR_FORMAT) + said.ljust(tarfile.BLOCKSIZE, b"\0")


@pytest.mark.parametrize(
    "packed",
    [
        a_pack(("../out", "", b"x")),
        a_pack(("/tmp/out", "", b"x")),
        a_pack(("a", "..", b""), ("a/out", "", b"x")),
        a_pack(("a", "../out", b"")),
        b"no pack at all",
        gzip.compress(a_pack(("compressed", "", b"x"))),
        a_header(b"13 path=a\0bc\n") + a_pack(("a", "", b"x")),
        a_header(b"9 path=a\n") * 2000 + a_pack(("a", "", b"x")),
    ],
)
def test_a_pack_that_somebody_made_up_writes_nothing_elsewhere(packed: bytes, tmp_path: Path) -> None:
    inside = tmp_path / "kept" / "x"
    with pytest.raises(NotPacked):
        unpack(packed, inside)
    assert list(tmp_path.rglob("*")) == [tmp_path / "kept"] and not Path("/tmp/out").exists()


@pytest.mark.skipif(not may_be_made(), reason="this machine gives no disk of its own to a process")
def test_a_full_disk_is_why_and_nothing_of_the_program_stays(tmp_path: Path) -> None:
    """So the caller can tell it from a program that is wrong."""
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "book").write_bytes(bytes(8 * 2**20))
    (tmp_path / "packed").write_bytes(pack(tmp_path / "files"))
    (tmp_path / "small").mkdir()
    inside = ["sh", "-c", 'mount -t tmpfs -o size=4m none small && exec "$@"', "sh", sys.executable, "-c", UNPACKS]
    where = {**os.environ, "PYTHONPATH": str(ROOT)}
    said = subprocess.run(
        ["unshare", "--mount", *inside],
        cwd=tmp_path,
        env=where,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert said.stdout.split() == [str(errno.ENOSPC), "[]"], said.stderr


def test_what_a_killed_process_has_begun_goes_after_a_day_and_what_is_being_written_stays(tmp_path: Path) -> None:
    packed = "f" * 64
    for name in (".new-killed", ".new-busy", packed):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.py").write_text("print(4)\n")
        (tmp_path / name).chmod(0o555)
    for name in (f"{packed}.7.new", f"{packed}.8.new", f"{packed}.tar", "note"):
        (tmp_path / name).write_text("")
    old = time.time() - packing.UNUSED_S - 1
    for name in (".new-killed", f"{packed}.7.new", packed, "note"):
        os.utime(tmp_path / name, (old, old))
    forget_unused(tmp_path, {packed})
    left = {".new-busy", f"{packed}.8.new", packed, f"{packed}.tar", "note"}
    assert {each.name for each in tmp_path.iterdir()} == left
    forget_unused(tmp_path, ())
    assert {each.name for each in tmp_path.iterdir()} == left - {packed}
