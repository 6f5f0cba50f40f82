"""Where files lie that are not Python; of an installed Arena tests/management/test_console.py knows."""

from __future__ import annotations

from arena import paths


def test_in_a_checkout_they_lie_beside_the_package() -> None:
    assert paths.IS_CHECKOUT and paths.FILES == paths.ROOT
    assert (paths.FILES / "templates" / "base.html").is_file() and (paths.FILES / "static").is_dir()


def test_the_kernel_lies_with_the_games() -> None:
    assert (paths.KERNEL / "kernel.wasm").is_file()
