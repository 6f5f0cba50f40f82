from __future__ import annotations

import pytest

from arena.bots.conformance import steps_of
from arena.protocols import protocols

FEWEST = 15


@pytest.mark.parametrize("slug", protocols())
def test_every_protocol_has_its_steps(slug: str) -> None:
    names = [step.name for step in steps_of(slug)]
    assert len(names) >= FEWEST
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("slug", protocols())
def test_every_step_is_said_in_a_sentence(slug: str) -> None:
    for step in steps_of(slug):
        assert step.sentence and not step.sentence.endswith("."), step.name


def test_there_are_no_steps_for_an_unknown_protocol() -> None:
    with pytest.raises(KeyError, match="unknown protocol .chess-by-mail."):
        steps_of("chess-by-mail")
