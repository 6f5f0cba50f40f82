from __future__ import annotations

from arena.protocols.hints import Evidence
from arena.protocols.santorini_json.hints import (
    acknowledges_a_request,
    answers_before_it_registered,
    answers_with_something_else,
    has_not_taken_its_name,
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
    assert has_not_taken_its_name(Evidence("santorini-json", "stall"))
    assert not has_not_taken_its_name(Evidence("santorini-json", "stall", heard=False))
    assert not has_not_taken_its_name(Evidence("santorini-json", "stall", asked='["over",{}]'))


def test_an_acknowledgement_is_no_answer_to_a_request() -> None:
    for asked, holds in (('["place",[]]', True), ('["turn",[[0]]]', True), ('["new_game","anna"]', False)):
        evidence = Evidence("santorini-json", "bad_output", received='"OK"', asked=asked)
        assert acknowledges_a_request(evidence) is holds
