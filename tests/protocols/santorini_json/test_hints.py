from __future__ import annotations

import pytest

from arena.protocols.hints import Evidence
from arena.protocols.santorini_json.hints import (
    answers_before_it_registered,
    answers_with_something_else,
    is_no_json,
    owes_an_acknowledgement,
    registers_late,
)


def said(received: str, expected: str = "") -> Evidence:
    return Evidence("santorini-json", "bad_output", received=received, expected=expected)


def test_an_answer_may_come_before_the_name() -> None:
    assert answers_before_it_registered(said('["place",1,2]', '["join", name]'))
    assert not answers_before_it_registered(said('["plaice"]', '["join", name]'))
    assert not answers_before_it_registered(said('["place",1,2]', '"OK"'))


def test_a_name_may_come_where_an_acknowledgement_is_due() -> None:
    assert registers_late(said('["join","max"]', '"OK"'))
    assert not registers_late(said('["place",1,2]', '"OK"'))
    assert answers_with_something_else(said('["place",1,2]', '"OK"'))
    assert owes_an_acknowledgement(Evidence("santorini-json", "stall", asked='["over",{}]'))
    assert not owes_an_acknowledgement(Evidence("santorini-json", "stall"))


@pytest.mark.parametrize(
    ("evidence", "holds"),
    [
        (said("OK"), True),
        (said("'max'"), True),
        (said("[1,]", "a JSON value; it ends early"), True),
        (said("[1]", '"OK"'), False),
        (said(""), False),
    ],
)
def test_what_is_no_json_is_told_from_json_that_is_wrong(evidence: Evidence, holds: bool) -> None:
    assert is_no_json(evidence) == holds
