from __future__ import annotations

from arena.play.meaning import on_illegal
from arena.protocols.droidcon.adapter import Droidcon
from arena.protocols.fiar.adapter import Fiar
from arena.protocols.native.adapter import Native


def test_asking_again_is_refusing_and_the_adapter_counts() -> None:
    assert (on_illegal(Fiar), on_illegal(Native()), on_illegal(Droidcon)) == ("refuse", "refuse", "lose")
