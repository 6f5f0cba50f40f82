"""How `/api/` refuses: always JSON, always in words."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.conf import settings

from arena.host import Host
from arena.web.api import answers as api_answers
from arena.web.limits import Limit
from tests.kit.browsing import Person, far_away, text


async def refused(path: str, status: int, person: Person | None = None) -> dict[str, Any]:
    answer = await (person or Person()).get(path)
    said = json.loads(text(answer))
    assert (answer.status_code, list(said)) == (status, ["error"]), said
    assert answer["Content-Type"] == "application/json; charset=utf-8"
    assert set(said["error"]) == {"code", "sentence", "hint"}
    return dict(said["error"])


REFUSED = [
    ("/api/nobody/knows", 404, "There is no address /api/nobody/knows."),
    ("/api/matches/2222222222/", 404, "There is no such match. It may have been private and removed."),
    ("/api/bots/nobody/", 404, "There is no bot with this name."),
    ("/api/tournaments/nothing/", 404, ""),
    ("/api/matches/?player=nobody", 404, "There is no player 'nobody'."),
    ("/api/matches/?state=over", 400, "state=over: expected one of open, running, ended."),
    ("/api/matches/?limit=0", 400, "limit=0: expected a whole number from 1 to 200."),
    ("/api/matches/?limit=٣", 400, "limit=٣: expected a whole number from 1 to 200."),
    ("/api/matches/?state=open&state=open", 400, "state is given 2 times, expected once."),
    ("/api/matches/?player=a%00", 400, "player has a NUL"),
    ("/api/bots/?token=x", 400, "There is no parameter 'token' here; there are variant, protocol, after, limit."),
    ("/api/tournaments/?before=x", 400, ""),
    ("/api/matches/?since=yesterday", 400, "since=yesterday: expected a time such as 2026-01-31T12:00:00Z."),
    ("/api/matches/?event=nothing", 404, "There is no tournament 'nothing'."),
    ("/api/leaderboards/chess/", 404, "There is no variant 'chess'."),
    ("/api/players/nobody/history/", 404, "There is no player 'nobody'."),
    ("/api/v1/nobody", 404, "There is no address /api/v1/nobody. Addresses end with a slash."),
    ("/api/v1/matches/%0A%C2%B6/", 404, "There is no address"),
    ("/api/v1/players/a%0Ab/c", 404, "There is no address"),
]


async def test_what_cannot_be_answered_is_said_in_words(host: Host) -> None:
    for path, status, sentence in REFUSED:
        found = await refused(path, status)
        assert sentence in found["sentence"] and found["hint"], path


async def test_nothing_is_written_here(host: Host) -> None:
    answer = await Person().post("/api/matches/")
    assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD, OPTIONS")
    assert json.loads(text(answer))["error"]["code"] == "wrong_method"


@pytest.mark.service
async def test_a_process_without_a_host_says_so() -> None:
    """Where it is needed: what stands in rows is read without one."""
    assert (await refused("/api/stream/lobby/", 503))["code"] == "no_host"
    assert (await Person().get("/api/")).status_code == 200


async def test_a_flood_from_one_address_is_answered_429(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_answers, "OFTEN", Limit("requests to /api/", 3, 0.001))
    person = far_away()
    answers = [await person.get("/api/") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert int(answers[-1]["Retry-After"]) > 0 and json.loads(text(answers[-1]))["error"]["code"] == "too_many"


async def test_who_has_it_already_is_told_so(host: Host) -> None:
    first = await Person().get("/api/")
    again = await Person().get("/api/", **{"If-None-Match": first["ETag"]})
    assert (again.status_code, text(again)) == (304, "")


async def test_the_error_of_the_handbook_is_the_one_that_comes(host: Host) -> None:
    handbook = (settings.BASE_DIR / "docs/api.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r'```json\n({"error".*)\n```', handbook)
    assert json.loads(shown)["error"] == await refused("/api/matches/?limit=0", 400)
