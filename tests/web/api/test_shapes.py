"""Answers are what their types say, to the last key: `read` in test_api.py holds every one of them to it."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from arena.web.api import shapes
from tests.web.api.conforming import conforms


def test_an_answer_with_a_key_more_or_less_does_not_conform() -> None:
    error = {"error": {"code": "x", "sentence": "y", "hint": "z"}}
    conforms(shapes.RefusalShape, error)
    for wrong in (
        {"error": {"code": "x", "sentence": "y"}},
        {**error, "more": 1},
        {"error": {**error["error"], "code": 1}},
    ):
        with pytest.raises(ValidationError):
            conforms(shapes.RefusalShape, wrong)
