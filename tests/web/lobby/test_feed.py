"""The lobby's feed: rendered while somebody looks, once for all, and sent when it is another one."""

from __future__ import annotations

import pytest

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.state import SeatSetup, Setup
from arena.models import Match, Player
from arena.web import languages
from arena.web.lobby import feed
from tests.kit.browsing import Person, two_people
from tests.kit.until import until


class Reader:
    def __init__(self) -> None:
        self.woken = 0

    def wake(self) -> None:
        self.woken += 1


async def between(host: Host, *kinds: str, moves: str = "4", rated: bool = False) -> LiveMatch:
    """A public match of these two kinds of players that has begun."""
    seats = [SeatSetup(f"{kind} {side}", kind) for side, kind in enumerate(kinds)]  # type: ignore[arg-type]
    if rated:
        seats = [seat._replace(verified=True, player=await _account(seat.name)) for seat in seats]
    live = await host.referee.open(Setup("connect-four-7x6", (seats[0], seats[1]), rated=rated))
    live.private = False
    await host.referee.start(live)
    for ply, move in enumerate(moves, start=1):
        await host.referee.play(live, 1 - ply % 2, ply, move)
    return live


async def _account(name: str) -> int:
    player = await Player.objects.acreate(kind=Player.Kind.PERSON, name=name, slug=Player.slug_of(name))
    return int(player.pk)


async def shown(lobby: feed.LobbyFeed) -> str:
    return str((await lobby.lobby())["featured"]["id"])


async def test_all_readers_share_one_rendering(host: Host) -> None:
    readers = [Reader() for _ in range(20)]
    for reader in readers:
        feed.of(host).view(reader, feed.HOME)
    assert feed.of(host).renders[feed.HOME] == 1
    await Person().post("/r/new/", variant="expanding-nim", clock="5s", rounds="2")
    await until(lambda: all(reader.woken for reader in readers))
    assert feed.of(host).renders[feed.HOME] < len(readers)
    for reader in readers:
        feed.of(host).unview(reader, feed.HOME)


async def test_nothing_is_rendered_when_nobody_looks_and_the_newest_when_somebody_does(host: Host) -> None:
    lobby, reader = feed.of(host), Reader()
    lobby.view(reader, feed.HOME)
    lobby.unview(reader, feed.HOME)
    before = lobby.renders.total()
    live, first, _ = await two_people(host)
    await first.play(live, "4")
    assert lobby.renders.total() == before and lobby.texts == {}
    lobby.view(reader, feed.HOME)
    assert live.id in lobby.texts[feed.HOME]
    lobby.unview(reader, feed.HOME)


async def test_each_view_of_the_wall_is_rendered_for_its_own_readers(host: Host) -> None:
    live, lobby = await between(host, "bot", "bot"), feed.of(host)
    everything, nim = Reader(), Reader()
    lobby.view(everything, feed.wall_of(""))
    lobby.view(nim, feed.wall_of("expanding-nim"))
    assert live.id in lobby.texts[feed.wall_of("")]
    assert live.id not in lobby.texts[feed.wall_of("expanding-nim")]
    assert feed.HOME not in lobby.texts
    lobby.unview(everything, feed.wall_of(""))
    assert list(lobby.texts) == [feed.wall_of("expanding-nim")]
    lobby.unview(nim, feed.wall_of("expanding-nim"))


def test_what_is_no_game_is_all_games() -> None:
    assert feed.wall_of("chess") == feed.wall_of("") != feed.wall_of("connect-four")


async def test_the_shown_match_stays_for_a_while_when_a_better_one_begins(host: Host) -> None:
    bots, lobby = await between(host, "bot", "bot"), feed.of(host)
    assert await shown(lobby) == bots.id
    people = await between(host, "human", "human", rated=True)
    after = await lobby.lobby()
    assert after["featured"]["id"] == bots.id
    assert [each["id"] for each in after["lives"]] == [people.id] and after["total"] == 2


async def test_after_that_while_a_better_one_is_shown_and_one_that_is_only_newer_is_not(host: Host) -> None:
    bots, lobby = await between(host, "bot", "bot"), feed.of(host)
    assert await shown(lobby) == bots.id
    await between(host, "bot", "bot")
    lobby._shown_since -= feed.SHOWN_S
    assert await shown(lobby) == bots.id
    people = await between(host, "human", "human", rated=True)
    assert await shown(lobby) == people.id


async def test_a_match_that_is_nearly_over_is_seen_to_its_end(host: Host) -> None:
    bots, lobby = await between(host, "bot", "bot", moves="475774457522754657214321516462111"), feed.of(host)
    assert await shown(lobby) == bots.id
    people = await between(host, "human", "human", rated=True)
    lobby._shown_since -= feed.SHOWN_S
    assert await shown(lobby) == bots.id
    await host.referee.resign(bots, 0)
    lobby._shown_since -= feed.SHOWN_S
    assert await shown(lobby) == people.id


async def test_while_nothing_runs_the_last_match_is_shown_and_stays_there_for_readers(host: Host) -> None:
    last, lobby, reader = await between(host, "bot", "bot", moves="44"), feed.of(host), Reader()
    await host.referee.resign(last, 0)
    assert await shown(lobby) == last.id
    lobby.view(reader, feed.HOME)
    assert "Last match" in lobby.texts[feed.HOME] and last.id in lobby.texts[feed.HOME]
    lobby.unview(reader, feed.HOME)


async def test_a_match_that_ended_later_takes_its_place(host: Host) -> None:
    lobby = feed.of(host)
    for _ in range(2):
        last = await between(host, "bot", "bot", moves="44")
        await host.referee.resign(last, 0)
        lobby._table_at -= feed.TABLE_KEPT_S
        assert await shown(lobby) == last.id


@pytest.mark.parametrize(
    ("language", "exhibition", "alone"),
    [
        ("en", "Exhibition", "Only two built-in players play at the moment"),
        ("de", "Schaukampf", "Im Moment spielen nur zwei eingebaute Gegner"),
    ],
)
async def test_where_nobody_plays_built_in_players_do_until_somebody_plays(
    host: Host, monkeypatch: pytest.MonkeyPatch, language: str, exhibition: str, alone: str
) -> None:
    monkeypatch.setattr("django.conf.settings.ARENA_EXHIBITIONS", True)
    lobby, home, wall = feed.of(host), languages.named(feed.HOME, language), languages.named(feed.WALL, language)
    assert (await lobby.lobby())["exhibition"] is None, "nobody looks"
    reader = Reader()
    for name in (home, wall):
        lobby.view(reader, name)
    await until(lambda: all(exhibition in lobby.texts[name] for name in (home, wall)))
    assert alone in lobby.texts[wall]
    assert not await Match.objects.aexists() and not host.hub.lives
    live = await between(host, "human", "builtin")
    await until(lambda: all(exhibition not in lobby.texts[name] for name in (home, wall)))
    assert live.id in lobby.texts[home]
    await until(lambda: not host.exhibitions._running)
    for name in (home, wall):
        lobby.unview(reader, name)
