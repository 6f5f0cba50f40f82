from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.http import HttpResponse, JsonResponse
from django.test import RequestFactory
from django.urls import resolve
from pydantic import ValidationError

from tests.web.api.conforming import check

REFUSAL: dict[str, Any] = {"error": dict.fromkeys(("code", "sentence", "hint"), "words")}


def answered(path: str, response: HttpResponse, method: str = "GET") -> None:
    request = RequestFactory().generic(method, path)
    request.resolver_match = resolve(path)
    check(request, response)


def test_every_answer_of_the_tests_is_looked_at() -> None:
    assert settings.MIDDLEWARE[0] == "tests.web.api.conforming.Conforming"


def test_an_answer_as_described_passes() -> None:
    answered("/api/v1/matches/x/", JsonResponse(REFUSAL, status=404))
    answered("/api/v1/matches/x/", JsonResponse(REFUSAL, status=404), "HEAD")
    answered("/api/v1/nothing/", JsonResponse(REFUSAL, status=404))


@pytest.mark.parametrize("content", [{"matches": []}, {**REFUSAL, "more": 1}, {}, []])
def test_an_answer_of_another_shape_is_found(content: Any) -> None:
    with pytest.raises(ValidationError):
        answered("/api/v1/matches/x/", JsonResponse(content, status=404, safe=False))


def test_a_status_or_a_type_that_is_not_described_is_found() -> None:
    for response in (JsonResponse(REFUSAL, status=418), HttpResponse("no", "text/plain", 404)):
        with pytest.raises(AssertionError):
            answered("/api/v1/matches/x/", response)
    with pytest.raises(AssertionError):
        answered("/api/v1/nothing/", JsonResponse(REFUSAL))
    with pytest.raises(AssertionError):
        answered("/api/v1/matches/", JsonResponse(REFUSAL), "DELETE")
