from __future__ import annotations

import pytest

from arena.protocols.hints import Evidence
from arena.protocols.santorini_hints import is_no_json


def said(received: str, expected: str = "") -> Evidence:
    return Evidence("santorini-json", "bad_output", received=received, expected=expected)


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
