from __future__ import annotations

import pytest

from arena.bots.failure.diagnosis import diagnose
from arena.protocols.hints import Evidence


@pytest.mark.parametrize(("received", "code"), [("{", "json_over_lines"), ('{"type": "hi"}', "refused")])
def test_an_object_over_several_lines_is_named(received: str, code: str) -> None:
    card = diagnose(Evidence("native", "stall", received=received, unfinished="{}\\x0a", refusal="no"))
    assert card is not None and card.code == code
