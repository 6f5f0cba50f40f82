"""Pages for games: rules with boards, who speaks it, who is good at it, what was played."""

from __future__ import annotations

import re

import pytest

import games
from arena.host import Host
from arena.models import Match, Ruling
from arena.web.library.game_texts import text_of
from games import Game
from tests.kit.browsing import Person, text, two_people
from tests.web import markup

SLUGS = [game.slug for game in games.games()]


async def _page(slug: str) -> str:
    return text(await Person().get(f"/games/{slug}/"))


@pytest.mark.parametrize("slug", SLUGS)
async def test_a_page_shows_rules_boards_and_a_way_to_play(host: Host, slug: str) -> None:
    shown = await _page(slug)
    game = next(game for game in games.games() if game.slug == slug)
    for rule in text_of(game).rules:
        assert rule in shown.replace("&#x27;", "'")
    assert re.findall(r'href="/\?game=([a-z0-9-]+)"', shown)[: len(game.variants)] == [v.slug for v in game.variants]
    assert "Nobody has a rating yet." in shown


async def test_protocols_are_linked_with_what_they_count_from(host: Host) -> None:
    shown = markup.words(await _page("connect-four"))
    assert "columns 0 to 6" in shown and "columns 0 to 7" in shown and "columns 1 to 7" in shown
    assert 'href="/protocols/nyu-nim/"' not in await _page("connect-four")
    assert 'href="/protocols/nyu-nim/"' in await _page("expanding-nim")


async def test_all_games_are_listed_with_a_picture(host: Host) -> None:
    shown = text(await Person().get("/games/"))
    assert re.findall(r'class="game-card" href="/games/([a-z-]+)/"', shown) == SLUGS


async def test_a_variant_leads_to_its_game_and_an_unknown_one_nowhere(host: Host) -> None:
    assert (await Person().get("/games/santorini-5x5/"))["Location"] == "/games/santorini/"
    unknown = await Person().get("/games/chess/")
    assert unknown.status_code == 404 and "connect-four" in text(unknown)


async def test_the_last_matches_say_who_won_and_lead_to_the_first_move(host: Host) -> None:
    live, first, second = await two_people(host)
    for ply, move in enumerate("4152637"):
        await (second if ply % 2 else first).play(live, move)
    shown = await _page("connect-four")
    names = [seat.name for seat in live.state.setup.seats]
    assert re.search(rf'href="/m/{live.id}/\?ply=0">\s*{names[0]} against {names[1]}</a>', shown)
    assert f"{names[0]} won: four in a row" in shown
    german = text(await Person().get("/games/connect-four/", **{"accept-language": "de"}))
    assert f"{names[0]} hat gewonnen: vier in einer Reihe" in german
    assert live.id not in await _page("santorini")


async def test_a_ruling_counts_in_place_of_the_ending(host: Host) -> None:
    live, first, second = await two_people(host)
    for ply, move in enumerate("4152637"):
        await (second if ply % 2 else first).play(live, move)
    await host.referee.rule(live, "void", None, "the clock was wrong", "user:1")
    assert await Ruling.objects.filter(match=live.id).acount() == 1
    assert "Not counted: the clock was wrong" in await _page("connect-four")


async def test_matches_of_private_rooms_are_not_shown(host: Host) -> None:
    live, first, second = await two_people(host, private="on")
    for ply, move in enumerate("4152637"):
        await (second if ply % 2 else first).play(live, move)
    assert await Match.objects.filter(pk=live.id, ended__isnull=False).aexists()
    assert live.id not in await _page("connect-four")


def test_a_game_without_a_text_shows_its_first_position() -> None:
    new = Game("a-new-game", "A new game", games.games()[0].variants)
    found = text_of(new)
    assert found.rules == () and [words for _, words in found.boards] == ["The first position."]
    assert found.lead == "A new game, for two."
