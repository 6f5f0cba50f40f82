from __future__ import annotations

import pytest

import arena.transports
from arena.transports import shape


def test_the_package_gives_what_the_shape_defines_and_nothing_else() -> None:
    for name in ("Gate", "Receiver", "Transport"):
        assert getattr(arena.transports, name) is getattr(shape, name)
    with pytest.raises(AttributeError, match="no attribute 'Telegraph'"):
        _ = arena.transports.Telegraph
