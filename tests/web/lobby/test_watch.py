"""The wall: every match that runs, of one game or of all."""

from __future__ import annotations

from arena.host import Host
from tests.kit.browsing import Person, text, two_people


async def test_the_wall_shows_what_is_played_and_filters_by_game(host: Host) -> None:
    live, first, _ = await two_people(host)
    await first.play(live, "4")
    for path in ("/watch/", "/watch/?game=connect-four"):
        assert f"/m/{live.id}/" in text(await Person().get(path))
    nim = text(await Person().get("/watch/?game=expanding-nim"))
    assert live.id not in nim and "Nobody plays this game at the moment" in nim


async def test_an_empty_wall_says_so_and_what_to_do(host: Host) -> None:
    person = Person()
    page = text(await person.get("/watch/"))
    assert "Nothing is being played at the moment" in page and 'href="/r/new/"' in page
    assert "sessionid" not in person.client.cookies


async def test_a_private_match_is_not_on_the_wall(host: Host) -> None:
    live, first, _ = await two_people(host)
    await first.play(live, "4")
    live.private = True
    assert live.id not in text(await Person().get("/watch/"))


async def test_an_unknown_game_is_404_naming_those_there_are(host: Host) -> None:
    answer = await Person().get("/watch/?game=chess")
    assert answer.status_code == 404 and "connect-four" in text(answer)


async def test_the_projector_shows_what_is_played_without_chrome_and_hides_what_is_private(host: Host) -> None:
    live, first, _ = await two_people(host)
    await first.play(live, "4")
    page = text(await Person().get("/watch/projector/"))
    assert f"/m/{live.id}/" in page and "/ws/lobby/?watch=" in page and "site-foot" not in page
    live.private = True
    page = text(await Person().get("/watch/projector/"))
    assert live.id not in page and "Nothing is being played at the moment" in page
