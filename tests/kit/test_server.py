"""A server of the tests that answers otherwise than its OpenAPI document says is found out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.server import HELD, ROOT, Server, migrate
from tests.kit.visiting import Visitor
from tests.web.api.conforming import UNLIKE

WRONG = f"""
from django.http import JsonResponse
from {HELD} import *
from {HELD} import MIDDLEWARE

def wrong(get_response):
    return lambda request: JsonResponse({{"matches": 1}})

MIDDLEWARE.insert(1, "wrong_answers.wrong")
"""


async def test_an_answer_that_is_not_as_described_ends_the_test(tmp_path: Path) -> None:
    migrate(tmp_path / "data")
    (tmp_path / "wrong_answers.py").write_text(WRONG)
    server = Server(tmp_path / "data", DJANGO_SETTINGS_MODULE="wrong_answers", PYTHONPATH=f"{ROOT}:{tmp_path}")
    await server.start()
    answer = await Visitor(server.port).get("/api/v1/matches/")
    assert answer.status == 500
    with pytest.raises(AssertionError, match=UNLIKE):
        await server.stop()
