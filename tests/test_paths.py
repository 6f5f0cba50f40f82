"""Where files lie that are not Python; of an installed Arena tests/management/test_console.py knows."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from arena import paths


def test_in_a_checkout_they_lie_beside_the_package() -> None:
    assert paths.IS_CHECKOUT and paths.FILES == paths.ROOT
    assert (paths.FILES / "templates" / "base.html").is_file() and (paths.FILES / "static").is_dir()


def test_a_release_is_named_as_it_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert paths.version() == "", "a checkout that nobody has installed"
    (tmp_path / "arena-1.2.dist-info").mkdir()
    (tmp_path / "arena-1.2.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: arena\nVersion: 1.2\n")
    assert paths.version() == "1.2"


def test_the_kernel_lies_with_the_games() -> None:
    assert (paths.KERNEL / "kernel.wasm").is_file()
