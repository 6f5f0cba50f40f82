"""Playing on from a position: against a built-in player, a friend, a bot that is told positions, and no other."""

from __future__ import annotations

import html
from pathlib import Path
from types import SimpleNamespace

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.host import Host
from arena.models import Bot, Match, Place, Room
from arena.web.room import form as room_form
from tests.kit.browsing import Person, match_of, text
from tests.kit.history import a_bot
from tests.web.analysis.test_analysis_board import ended

FROM = "4,4,3"


async def test_against_a_built_in_player_the_match_begins_there(host: Host) -> None:
    live, somebody = await ended(host)
    answer = await somebody.post(f"/m/{live.id}/analysis/play/", moves=FROM, who="builtin:club", side="next")
    begun = host.hub.get(match_of(answer))
    assert begun is not None and begun.state.setup.opening == "4 4 3"
    assert [seat.kind for seat in begun.state.setup.seats] == ["builtin", "human"]
    assert not begun.state.setup.rated and begun.state.position.ply >= 3


async def test_of_more_bots_than_are_listed_any_is_found_by_its_name(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room_form, "MOST_BOTS", 2)
    live, somebody = await ended(host)
    first, _, last = [await a_bot(name, command=["bot"]) for name in ("ada", "bella", "cleo")]
    await Bot.objects.aupdate(protocol="fiar", variant=live.state.setup.variant)
    page = text(await somebody.get(f"/m/{live.id}/analysis/?ply=3&line=4"))
    assert 'name="find" value=""' in page and f'value="command:{first.pk}"' in page
    assert f'value="command:{last.pk}"' not in page
    form = page[: page.index('id="f-find"')].rpartition("<form")[2]
    assert 'name="ply" value="3"' in form and 'name="line" value="4"' in form, "the board stays where it is"
    page = text(await somebody.get(f"/m/{live.id}/analysis/?ply=3&line=4&find=LEO"))
    assert 'name="find" value="LEO"' in page and f'value="command:{last.pk}"' in page
    assert f'value="command:{first.pk}"' not in page


@pytest.mark.parametrize("level", ["random", "best"])
async def test_every_level_can_be_chosen_here(host: Host, level: str) -> None:
    live, somebody = await ended(host)
    assert f'value="builtin:{level}"' in text(await somebody.get(f"/m/{live.id}/analysis/"))
    answer = await somebody.post(f"/m/{live.id}/analysis/play/", moves=FROM, who=f"builtin:{level}", side="next")
    begun = host.hub.get(match_of(answer))
    assert begun is not None and level in [seat.level for seat in begun.state.setup.seats]


async def test_the_other_side_may_be_chosen(host: Host) -> None:
    live, somebody = await ended(host)
    answer = await somebody.post(f"/m/{live.id}/analysis/play/", moves=FROM, who="builtin:beginner", side="other")
    begun = host.hub.get(match_of(answer))
    assert begun is not None and [seat.kind for seat in begun.state.setup.seats] == ["human", "builtin"]


async def test_a_friend_gets_a_link_and_the_position_waits_with_the_room(host: Host) -> None:
    live, somebody = await ended(host)
    room = (await somebody.post(f"/m/{live.id}/analysis/play/", moves=FROM, who="anyone"))["Location"]
    row = await Room.objects.aget(opening="4 4 3")
    assert (row.private, row.rated) == (True, False)
    begun = host.hub.get(match_of(await Person().post(f"{room}sit/")))
    assert begun is not None and begun.state.position.ply == 3
    assert begun.state.setup.seats[1].player == (await Place.objects.aget(room=row, kind="me")).player_id


async def test_a_bot_that_is_told_moves_only_is_refused_and_not_offered(host: Host) -> None:
    live, somebody = await ended(host)
    page = text(await somebody.get(f"/m/{live.id}/analysis/"))
    assert 'value="socket:fiar"' in page and "socket:droidcon" not in page and 'value="me"' not in page
    answer = await somebody.post(f"/m/{live.id}/analysis/play/", moves=FROM, who="socket:droidcon")
    assert answer.status_code == 422 and "are told moves, never positions" in html.unescape(text(answer))
    assert await Room.objects.filter(opening="4 4 3").acount() == 0


async def test_bots_are_offered_here_without_a_question_for_each(host: Host) -> None:
    live, somebody = await ended(host)

    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            page = Client().get(f"/m/{live.id}/analysis/").content.decode()
        assert page.count('value="command:') == Bot.objects.exclude(protocol="droidcon").count()
        return len(queries)

    counts = []
    for number in range(4):
        await a_bot(f"bot {number}", protocol="fiar", command=["./bot"])
        await a_bot(f"deaf {number}", protocol="droidcon", command=["./bot"])
        counts.append(await sync_to_async(asked)())
    assert counts[0] == counts[-1]


async def test_a_bot_of_this_server_that_cannot_be_started_is_offered_as_that(
    host: Host, settings: SimpleNamespace, tmp_path: Path
) -> None:
    settings.ARENA_BOTS = tmp_path
    await a_bot("house", protocol="fiar", command=["bot"])
    live, somebody = await ended(host)
    assert "house (cannot be started)" in text(await somebody.get(f"/m/{live.id}/analysis/"))


REFUSED = [
    ({"moves": "4,9"}, "Move 2 cannot be played"),
    ({"moves": "1,2,1,2,1,2,1"}, "Nothing is left to play here"),
    ({"moves": FROM, "who": "me"}, "You sit on one side already"),
    ({"moves": FROM, "who": "builtin:god"}, "expected one of the list"),
    ({"moves": FROM, "side": "left"}, "expected next or other"),
]


async def test_what_cannot_be_is_refused_and_nothing_is_opened(host: Host) -> None:
    live, somebody = await ended(host)
    before = await Match.objects.acount()
    for fields, why in REFUSED:
        answer = await somebody.post(f"/m/{live.id}/analysis/play/", **fields)
        assert answer.status_code in (409, 422) and why in html.unescape(text(answer)), fields
        assert await Match.objects.acount() == before, fields
