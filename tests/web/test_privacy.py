"""The headers of every answer: who may keep it, and what it may use. Which page is whose: test_matrix.py."""

from __future__ import annotations

import pytest

from arena.host import Host
from tests.kit.browsing import Person, two_people
from tests.web.people.test_accounts import account


@pytest.mark.parametrize("path", ["/", "/nowhere/", "/healthz", "/admin/"])
async def test_no_page_may_use_what_a_board_game_needs_not(host: Host, path: str) -> None:
    answer = await Person().get(path)
    answer.close()
    policy = answer["Permissions-Policy"].split(", ")
    assert {"camera=()", "microphone=()", "geolocation=()", "payment=()"} <= set(policy)
    assert not any(feature.startswith(("autoplay", "fullscreen")) for feature in policy)


async def test_a_first_visit_does_not_pay_for_what_says_nothing_of_a_file(host: Host) -> None:
    answer = await Person().get("/static/css/admin.css")
    answer.close()
    assert answer["X-Content-Type-Options"] == "nosniff" and "Permissions-Policy" not in answer


async def test_what_everybody_may_see_may_be_kept(host: Host) -> None:
    live, _, _ = await two_people(host)
    for path in ("/", f"/m/{live.id}/", f"/api/matches/{live.id}/", "/bots/"):
        assert "no-store" not in (await Person().get(path)).get("Cache-Control", ""), path


async def test_a_private_match_is_kept_by_nobody(host: Host) -> None:
    live, first, second = await two_people(host, private="on")
    for path in (f"/m/{live.id}/", f"/m/{live.id}/log.json", f"/api/matches/{live.id}/", f"/r/{live.room_code}/"):
        assert (await first.get(path))["Cache-Control"] == "private, no-store", path
    assert (await second.play(live, "4"))["Cache-Control"] == "private, no-store"


async def test_one_s_own_profile_lists_what_is_private(host: Host) -> None:
    mira = await account("Mira K")
    assert (await mira.get("/@/mira-k/"))["Cache-Control"] == "private, no-store"
    assert "Cache-Control" not in await Person().get("/@/mira-k/")
    assert (await mira.get("/bots/?mine=1"))["Cache-Control"] == "private, no-store"
