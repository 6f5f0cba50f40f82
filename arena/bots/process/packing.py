"""Packs the files of a program into one file, identified by its SHA-256. A pack may come from anybody: unpacking writes
nothing outside its target folder.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import stat
import tarfile
import tempfile
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import IO

MIB = 1 << 20
MOST_BYTES = 64 * MIB
MOST_FILES, MOST_DEEP = 10_000, 100
# How the names of folders begin, and those of files end, as long as they are written.
BEGUN, BEGUN_SUFFIX = ".new-", ".new"
# A program that nobody has used for this long is removed when another program of its bot arrives.
UNUSED_S = 86_400.0
# Files that changed within this time may change again without showing it: the clock of a file system ticks, and that of
# another machine differs.
SETTLED_S = 5.0
# A pack says each name once, in blocks of 512 bytes.
MOST_PACKED = MOST_BYTES + 4 * 512 * MOST_FILES

# The name, number, mode, size and times of everything in a folder.
_Looks = frozenset[tuple[str, int, int, int, int, int]]


# How the files of a folder looked when they were packed last, and the hash of the pack.
_hashed: dict[Path, tuple[_Looks, str]] = {}


class NotPacked(Exception):
    """This folder or pack is not a valid program. The message says what was found and what is expected."""


def sha256_of(packed: bytes) -> str:
    return hashlib.sha256(packed).hexdigest()


def sha256_of_folder(folder: Path) -> str:
    """The hash of the folder's pack. Nothing is packed again while all its files look the same and are older than a few
    seconds. Raises NotPacked.
    """
    now = time.time()
    try:
        looks = _looks_of(folder)
    except OSError:
        return sha256_of(pack(folder))  # which says what is wrong
    known = _hashed.get(folder)
    if known is not None and known[0] == looks:
        return known[1]
    sha256 = sha256_of(pack(folder))
    if max((changed for *_, changed in looks), default=0) < (now - SETTLED_S) * 1e9:
        _hashed[folder] = looks, sha256
    return sha256


def _looks_of(folder: Path) -> _Looks:
    found = ((path.relative_to(folder).as_posix(), path.lstat()) for path in _below(folder))
    return frozenset(
        (name, each.st_ino, each.st_mode, each.st_size, each.st_mtime_ns, each.st_ctime_ns) for name, each in found
    )


def must_be_folder(folder: Path) -> None:
    """Raises NotPacked if it is none."""
    if not folder.is_dir():
        raise NotPacked(f"{folder} is not a folder: expected the one with the files of the program")


def pack(folder: Path) -> bytes:
    """Everything in the folder except owners and times of change. Raises NotPacked."""
    made = io.BytesIO()
    try:
        must_be_folder(folder)
        with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for info, _ in _entries(folder):
                if info.isreg():
                    with _opened(folder, info.name) as file:
                        tar.addfile(info, file)
                else:
                    tar.addfile(info)
    except OSError as why:
        raise NotPacked(f"{why.filename or folder}: {why.strerror or 'it changed while it was read'}") from None
    return made.getvalue()


def _opened(folder: Path, name: str) -> IO[bytes]:
    """A file that was found there, through real folders alone: whoever writes there may since have put a link, or a
    named pipe, in the place of it or of a folder above it.
    """
    *above, last = PurePosixPath(name).parts
    at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in above:
            inside = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = inside
        return open(os.open(last, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at), "rb")
    finally:
        os.close(at)


def _entries(folder: Path) -> Iterator[tuple[tarfile.TarInfo, Path]]:
    """The entries, in an order that does not depend on the disk."""
    size = number = 0
    for path in sorted(_below(folder), key=lambda each: each.relative_to(folder).as_posix()):
        found, name = path.lstat(), path.relative_to(folder).as_posix()
        info = tarfile.TarInfo(name)
        if stat.S_ISLNK(found.st_mode):
            info.type, info.linkname, info.mode = tarfile.SYMTYPE, _inside(path, folder), 0o777
        elif stat.S_ISDIR(found.st_mode):
            info.type, info.mode = tarfile.DIRTYPE, 0o755
        elif stat.S_ISREG(found.st_mode):
            info.mode, info.size = 0o755 if found.st_mode & 0o100 else 0o644, found.st_size
        else:
            raise NotPacked(f"{name} is a {_kind(found.st_mode)}: expected files, folders and links between them")
        size, number = size + info.size, number + 1
        if size > MOST_BYTES:
            raise NotPacked(
                f"the files in {folder} have more than {MOST_BYTES // MIB} MB together, the most there may be"
            )
        if number > MOST_FILES:
            raise NotPacked(f"{folder} holds more than {MOST_FILES} files and folders, the most there may be")
        yield info, path
    if not number:
        raise NotPacked(f"{folder} is empty: expected the files of the program")


def _below(folder: Path, depth: int = 1) -> Iterator[Path]:
    """Everything below the folder; links are not followed, so there are no cycles."""
    if depth > MOST_DEEP:
        raise NotPacked(f"folders are nested more than {MOST_DEEP} deep, the most there may be: {folder}")
    with os.scandir(folder) as entries:
        for entry in entries:
            yield Path(entry.path)
            if entry.is_dir(follow_symlinks=False):
                yield from _below(Path(entry.path), depth + 1)


def _inside(link: Path, folder: Path) -> str:
    """The target of the link, as it is written there. Raises NotPacked if it leads out of the folder."""
    target = os.readlink(link)
    name = link.relative_to(folder).as_posix()
    if not _stays(PurePosixPath(name), target):
        raise NotPacked(f"{name} is a link to {target}, out of the folder: expected links that stay inside it")
    return target


def _stays(link: PurePosixPath, target: str) -> bool:
    """Whether a link of this name, in real folders, stays inside. `..` is only allowed at the start of the target:
    after a name that may be a link itself, it could lead anywhere.
    """
    parts = PurePosixPath(target).parts
    ups = next((n for n, part in enumerate(parts) if part != ".."), len(parts))
    return not target.startswith("/") and ups < len(link.parts) and ".." not in parts[ups:]


def _kind(mode: int) -> str:
    kinds = {stat.S_ISFIFO: "named pipe", stat.S_ISSOCK: "socket", stat.S_ISCHR: "device", stat.S_ISBLK: "device"}
    return next((words for test, words in kinds.items() if test(mode)), "special file")


def unpack(packed: bytes, folder: Path) -> None:
    """Unpack into `folder`, read-only and completely or not at all; an existing folder is kept. Raises NotPacked."""
    if folder.is_dir():
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(dir=folder.parent, prefix=BEGUN))
    try:
        with tarfile.open(fileobj=io.BytesIO(packed), mode="r:") as tar:  # compressed it could hold any number of bytes
            _write(tar, making)
        for place, _, _ in os.walk(making):
            os.chmod(place, 0o555)
        write_out(making)
        os.chmod(making, 0o755)  # else only root could rename it
        if not _rename(making, folder):
            _remove(making)
        else:
            os.chmod(folder, 0o555)
            write_out_one(folder.parent)
    except (tarfile.TarError, OSError, ValueError, RecursionError) as why:
        _remove(making)
        raise NotPacked(f"the program cannot be unpacked: {why}") from why
    except BaseException:
        _remove(making)
        raise


def write_out(folder: Path) -> None:
    """Flush all of it to the disk, so that its new name never stands for half of it, even after a power cut."""
    for place, _, files in os.walk(folder):
        for path in (*(Path(place, name) for name in files), Path(place)):
            if not path.is_symlink():
                write_out_one(path)


def write_out_one(path: Path) -> None:
    """Flush this file, or the names in this folder, to the disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def used(*places: Path) -> None:
    """Mark these as used now, so that they stay for another `UNUSED_S`."""
    for place in places:
        with suppress(FileNotFoundError):
            os.utime(place)


def forget_unused(folder: Path, keep: Collection[str]) -> None:
    """Remove the programs, named by their hashes, that have not been used for long, except those to be kept; and what a
    process that was killed had begun to write.
    """
    oldest = time.time() - UNUSED_S
    for place in list(folder.glob("*")):
        sha256 = place.name.removesuffix(".tar")
        is_program = len(sha256) == len(sha256_of(b"")) and sha256 not in keep
        is_begun = place.name.startswith(BEGUN) or place.suffix == BEGUN_SUFFIX
        with suppress(FileNotFoundError):  # another process removes it as well
            if (is_program or is_begun) and place.stat().st_mtime < oldest:
                _remove(place) if place.is_dir() else place.unlink()


def _write(tar: tarfile.TarFile, folder: Path) -> None:
    """Write only what `pack` produces, and nothing through a link."""
    size, folders = 0, {PurePosixPath(".")}
    for number, info in enumerate(tar):
        name = PurePosixPath(info.name)
        size += info.size
        if ".." in name.parts or name.parent not in folders or len(name.parts) > MOST_DEEP:
            raise NotPacked(f"{info.name!r} stands in the program: expected names below its folders")
        if size > MOST_BYTES or number >= MOST_FILES:
            raise NotPacked(f"the program has more than {MOST_BYTES // MIB} MB or {MOST_FILES} files")
        path = folder / name
        if info.isdir():
            path.mkdir()
            folders.add(name)
        elif info.issym() and _stays(name, info.linkname):
            path.symlink_to(info.linkname)
        elif info.isreg() and (file := tar.extractfile(info)) is not None:
            with path.open("xb") as made:
                shutil.copyfileobj(file, made)
            path.chmod(0o555 if info.mode & 0o100 else 0o444)
        else:
            raise NotPacked(f"{info.name} is a link out of the folder, or no file: expected what `pack` writes")


def _rename(made: Path, folder: Path) -> bool:
    """Rename the folder. Returns whether it has its name now: another process may have been faster."""
    try:
        made.rename(folder)
    except OSError:
        if folder.is_dir():
            return False
        raise
    return True


def _remove(folder: Path) -> None:
    for place, _, _ in os.walk(folder):
        os.chmod(place, 0o755)
    shutil.rmtree(folder, ignore_errors=True)
