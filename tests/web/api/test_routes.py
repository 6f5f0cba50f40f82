"""Below `/api/v1/` and below `/api/` there are the same addresses, and everything is answered in JSON."""

from __future__ import annotations

import json

from arena.host import Host
from arena.web.api.routes import ROUTES
from tests.kit.browsing import Person, text


async def test_both_names_of_an_address_answer_alike(host: Host) -> None:
    for route in ROUTES:
        path = str(route.pattern)
        if "<" not in path and not hasattr(route.callback, "takes") and "stream" not in path and "bulk" not in path:
            answers = [text(await Person().get(f"/{base}/{path}")) for base in ("api", "api/v1")]
            assert answers[0] == answers[1] and json.loads(answers[0])


async def test_an_anonymous_post_is_refused_in_json(host: Host) -> None:
    for path, status, code in (
        ("/api/v1/matches/", 405, "wrong_method"),
        ("/api/v1/openapi.json", 405, "wrong_method"),
        ("/api/v1/rooms/", 401, "token_missing"),
        ("/api/v1/tournaments/cup/do/start/", 401, "token_missing"),
        ("/api/v1/nobody", 404, "not_found"),
    ):
        answer = await Person(enforce_csrf_checks=True).post(path)
        assert (answer.status_code, json.loads(text(answer))["error"]["code"]) == (status, code)
        assert ("WWW-Authenticate" in answer) is (status == 401)
