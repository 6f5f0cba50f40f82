"""The locks hold what each library needs on every Python that Arena runs on, not only on that of who made them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11.0", "3.11.2", "3.11.9", "3.12.3", "3.13.5", "3.14.0")  # 3.11.2 is that of Debian 12
SYSTEMS = ("linux", "darwin")


def environments() -> Iterator[dict[str, str]]:
    for python in PYTHONS:
        version = python.rpartition(".")[0]
        for system in SYSTEMS:
            yield {"python_full_version": python, "python_version": version, "sys_platform": system, "extra": ""}


@pytest.mark.long
@pytest.mark.parametrize("lock", sorted(path.name for path in ROOT.glob("requirements*.lock")))
def test_what_a_library_needs_somewhere_is_locked(lock: str) -> None:
    lines = re.findall(r"^([\w.-]+)==[^\s;]+(?: ; (.+?))? \\$", (ROOT / lock).read_text(encoding="utf-8"), re.MULTILINE)
    assert len(lines) > 40
    locked = [(canonicalize_name(name), Marker(marker) if marker else None) for name, marker in lines]
    for where in environments():
        here = {name for name, marker in locked if marker is None or marker.evaluate(where)}
        for name in here:
            try:
                needed = [Requirement(line) for line in requires(name) or ()]
            except PackageNotFoundError:
                continue  # of another system, or of a lock that is not installed
            missing = {
                each.name
                for each in needed
                if (each.marker is None or each.marker.evaluate(where)) and canonicalize_name(each.name) not in here
            }
            assert not missing, f"{lock} lacks what {name} needs on {where}: {missing}: run `make lock`"
