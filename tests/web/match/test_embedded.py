"""A match in a frame of another site: who may frame it, what stands on it, and what can never be done there."""

from __future__ import annotations

from arena.host import Host
from tests.kit.browsing import Person, text, two_people


async def test_any_site_may_frame_the_embedded_match_and_nothing_else(host: Host) -> None:
    live, first, _ = await two_people(host)
    answer = await Person().get(f"/m/{live.id}/embed/")
    policy = answer["Content-Security-Policy"]
    assert "frame-ancestors *" in policy and "form-action 'none'" in policy and "script-src 'self'" in policy
    assert "X-Frame-Options" not in answer
    page = await Person().get(f"/m/{live.id}/")
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"] and page["X-Frame-Options"] == "DENY"


async def test_it_sets_no_cookie_and_offers_nothing_that_changes_anything_even_to_a_player(host: Host) -> None:
    live, first, _ = await two_people(host)
    person = Person()
    assert not (await person.get(f"/m/{live.id}/embed/")).cookies and not person.client.cookies
    page = text(await first.get(f"/m/{live.id}/embed/"))
    assert "<form" not in page and 'name="move"' not in page and "csrf" not in page
    assert f'ws-connect="/ws/m/{live.id}/?language=en"' in page and f'href="/m/{live.id}/"' in page


async def test_a_finished_match_is_a_replay_without_a_script(host: Host) -> None:
    live, first, second = await two_people(host)
    for person, move in ((first, "4"), (second, "4"), (first, "3")):
        await person.play(live, move)
    await second.post(f"/m/{live.id}/resign/")
    page = text(await Person().get(f"/m/{live.id}/embed/?ply=2"))
    assert 'href="?ply=1"' in page and 'href="?ply=3"' in page and "2 of 3" in page and "<script" not in page


async def test_a_private_match_is_embedded_for_nobody(host: Host) -> None:
    live, first, _ = await two_people(host)
    live.private = True
    for person in (first, Person()):
        answer = await person.get(f"/m/{live.id}/embed/")
        assert answer.status_code == 404 and "frame-ancestors 'none'" in answer["Content-Security-Policy"]
    assert (await Person().get("/m/nowhere/embed/")).status_code == 404
