"""The list of bots and the page of each."""

from __future__ import annotations

import asyncio
import html
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.contrib.auth.models import User
from django.db import connection
from django.template.loader import render_to_string
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from arena import protocols
from arena.bots.conformance import passes
from arena.bots.process import starting
from arena.bots.session import tokens
from arena.host import Host
from arena.match.commands import Fault, Resign
from arena.match.endings import Termination
from arena.models import Bot, Machine, Player, Work
from arena.play.thinking import title
from arena.web.bots.bots import A_PAGE, _lines
from arena.web.present import present
from games.players import LEVELS
from tests.kit.browsing import Person, text
from tests.kit.history import WON, a_bot, match, person
from tests.web.markup import words
from tests.web.people.test_accounts import account


class Somewhere:
    """A connection of a bot."""

    def send_away(self, code: str, sentence: str) -> None:
        """It hears nothing."""


@pytest.fixture
def connected() -> Iterator[list[int]]:
    """The bots in this list are connected from `append` on, by `come`."""
    here: list[int] = []
    yield here
    for number in here:
        for connection_ in tokens.connections_of(number):
            tokens.went(number, connection_)


def come(here: list[int], bot: Bot) -> None:
    here.append(bot.pk)
    tokens.came(bot.pk, Somewhere())


async def page_of(address: str, visitor: Person | None = None) -> str:
    answer = await (visitor or Person()).get(address)
    assert answer.status_code == 200, answer.status_code
    return html.unescape(text(answer))


# -- the list ----------------------------------------------------------------------------------------------------------


async def test_without_bots_the_list_says_how_to_begin(host: Host) -> None:
    assert "No bots yet. Yours could be the first" in await page_of("/bots/")


async def test_without_bots_it_leads_to_the_samples_of_each_protocol(host: Host) -> None:
    page = await page_of("/bots/")
    for slug, words_ in protocols.choices():
        assert f'href="/protocols/{slug}/">{words_}</a>' in page


@pytest.mark.parametrize(
    ("query", "play"),
    [
        ("", "/?level=casual"),
        ("?game=expanding-nim", "/?game=expanding-nim&level=casual"),
        ("?online=1", "/?level=casual"),
        ("?game=nosuch", "/?level=casual"),
        ("?protocol=fiar", ""),
        ("?mine=1", ""),
        ("?after=a", ""),
    ],
)
async def test_the_built_in_players_are_among_them_and_lead_to_a_board(host: Host, query: str, play: str) -> None:
    page = await page_of(f"/bots/{query}")
    assert ("Built-in players" in page, "level=casual" in page) == (bool(play), bool(play))
    if play:
        assert f'href="{play}"' in page
        assert all(f"<b>{title(level)}</b>" in page for level in LEVELS)
        assert 'value="casual" checked' in " ".join((await page_of(play)).split())


async def test_the_list_says_what_each_bot_is(host: Host, connected: list[int]) -> None:
    gravity, fiar = await a_bot(), await a_bot("fiar-lisp", protocol="fiar")
    await a_bot("old-one", enabled=False, why_disabled="retired by its owner")
    come(connected, gravity)
    await match(host, fiar.player)
    page = words(await page_of("/bots/"))
    assert "Online now gravity-9 online" in page and "Challenge gravity-9" in page
    assert "fiar-lisp last seen just now" in page and "Watch last match of fiar-lisp" in page
    assert "old-one" not in page


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"online": True}, "online"),
        ({"online": True, "playing": True}, "online, in a match"),
        ({"playing": True, "seen": "just now"}, "not connected, in a match"),
        ({"bot": Bot(command=["./bot"])}, "ready"),
        ({"bot": Bot(command=["./bot"]), "playing": True}, "online, in a match"),
        ({"bot": Bot(enabled=False), "playing": True}, "disabled"),
        ({}, "never seen"),
    ],
)
def test_a_bot_that_plays_is_called_online_only_while_it_is(state: dict[str, Any], said: str) -> None:
    assert words(render_to_string("arena/fragments/bot_state.html", {"bot": Bot(), **state})) == said


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("?game=connect-four-8x8", {"eight"}),
        ("?protocol=fiar", {"fiar-lisp"}),
        ("?online=1", {"gravity-9"}),
        ("?game=nosuch", set()),
        ("?mine=1", {"gravity-9", "fiar-lisp", "eight"}),
        ("?after=fiar-lisp", {"gravity-9"}),
    ],
)
async def test_the_list_can_be_narrowed(host: Host, connected: list[int], query: str, names: set[str]) -> None:
    gravity = await a_bot()
    await a_bot("fiar-lisp", protocol="fiar")
    await a_bot("eight", variant="connect-four-8x8", protocol="gamestate")
    if "after" not in query:
        come(connected, gravity)
    page = await page_of(f"/bots/{query}")
    assert {name for name in ("gravity-9", "fiar-lisp", "eight") if f"/bots/{name}/" in page} == names


async def test_my_bots_are_mine_and_the_disabled_ones_too(host: Host) -> None:
    mira = await account("Mira K")
    user = await User.objects.aget()
    await a_bot("mine", owner=user, enabled=False)
    await a_bot("others")
    page = await page_of("/bots/?mine=1", mira)
    assert "/bots/mine/" in page and "/bots/others/" not in page
    assert "All bots" not in page and "All bots" in await page_of("/bots/", mira)


async def test_a_long_list_has_pages(host: Host) -> None:
    for number in range(A_PAGE + 2):
        await a_bot(f"bot {number:03}")
    first = await page_of("/bots/")
    assert first.count('class="who"') == A_PAGE and f"?after=bot-{A_PAGE - 1:03}" in first
    second = await page_of(f"/bots/?after=bot-{A_PAGE - 1:03}")
    assert second.count('class="who"') == 2


async def test_the_list_asks_no_more_questions_for_more_bots(host: Host) -> None:
    here = await present(host)

    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            async_to_sync(_lines)(here, list(Bot.objects.select_related("player")))
        return len(queries)

    counts = []
    for number in range(6):
        bot = await a_bot(f"bot {number}")
        await match(host, bot.player)
        if number in (0, 5):
            counts.append(await sync_to_async(asked)())
    assert counts[0] == counts[1]


# -- one bot -----------------------------------------------------------------------------------------------------------


async def test_the_page_says_how_it_has_done(host: Host) -> None:
    bot, mira = await a_bot(), await person()
    crash = Fault(0, Termination.CRASH, "stopped with exit code 1")
    for end in (crash, crash, Resign(1)):
        await match(host, bot.player, mira, end=end)
    await match(host, bot.player, mira, moves=WON)
    page = await page_of("/bots/gravity-9/")
    said = words(page)
    assert "Matches 4: 2 won, 0 drawn, 2 lost" in said
    assert '?result=lost&by=crash#matches">crash 2</a>' in " ".join(page.split())
    assert "Reply time median" in said and "(4 moves)" in said
    assert "Head to head" in said and "Mira K 2 0 2" in said and "mistakes.json" in page


async def test_the_page_says_how_it_comes_in(host: Host) -> None:
    await host.open_doors("127.0.0.1", {"droidcon": 0}, [])
    await a_bot()
    port = host.doors["droidcon"].port
    page = await page_of("/bots/gravity-9/")
    assert f"testserver:{port}" in page and "SEAT arn_…" in page
    assert f"arena-bridge.py testserver {port} --listen 50008 -- COMMAND" in words(page), "it opens a socket itself"
    assert f"arena-bridge.py --forever testserver {port} --listen 50008 -- COMMAND" in words(page)
    assert "Matches none yet" in words(page) and "mistakes.json" not in page
    await Bot.objects.aupdate(port=4555)
    assert "testserver:4555" in await page_of("/bots/gravity-9/")


async def test_a_native_bot_is_told_the_address_of_its_websocket(host: Host) -> None:
    await a_bot(protocol="native")
    assert "ws://testserver/ws/native/" in await page_of("/bots/gravity-9/")


async def test_the_command_and_its_folder_are_shown_to_superusers_only(
    host: Host, settings: Any, tmp_path: Path
) -> None:
    await account("Mira K")
    owner = await User.objects.aget()
    await a_bot(owner=owner, command=["python3", "secret.py"])
    root = Person()
    await root.client.aforce_login(await User.objects.acreate_superuser("root"))
    helper = Person()
    await helper.client.aforce_login(await User.objects.acreate_user("helper", is_staff=True))
    mira = Person()
    await mira.client.aforce_login(owner)
    settings.ARENA_BOTS = tmp_path
    page = await page_of("/bots/gravity-9/", root)
    assert "secret.py" in page and f'<div class="snippet">{tmp_path / "gravity-9"}<' in page
    for other in (Person(), mira, helper):
        page = await page_of("/bots/gravity-9/", other)
        assert "secret.py" not in page and str(tmp_path) not in page


async def test_everybody_reads_that_a_bot_cannot_be_started_and_its_owner_why(
    host: Host, settings: Any, tmp_path: Path
) -> None:
    mira = await account("Mira K")
    settings.ARENA_BOTS = tmp_path
    await a_bot(owner=await User.objects.aget(), command=["./gravity"])
    assert "cannot be started" in words(await page_of("/bots/")), "though nobody has tried to start it"
    (tmp_path / "gravity-9").mkdir()
    tmp_path.chmod(0o755)
    for page in (await page_of("/bots/gravity-9/", mira), await page_of("/bots/gravity-9/"), await page_of("/bots/")):
        assert "cannot be started" in words(page) and "ready" not in words(page) and str(tmp_path) not in page
        assert "Challenge" not in page and "/r/new/?" not in page
    assert re.search(r'This is why:\s+<code lang="en">[^<]+</code>', await page_of("/bots/gravity-9/", mira))
    page = await page_of("/bots/gravity-9/")
    assert "This server cannot start it, so nobody can challenge it." in words(page) and "This is why" not in page


async def test_one_that_could_not_be_started_is_tried_again_whoever_asks(host: Host, settings: Any) -> None:
    with tempfile.TemporaryDirectory(prefix="arena-bots-") as name:
        Path(name).chmod(0o755)
        settings.ARENA_BOTS, program = Path(name), Path(name, "gravity-9", "gravity")
        program.parent.mkdir(mode=0o755)
        bot = await a_bot(command=["./gravity"])
        assert await asyncio.to_thread(starting.look, bot)
        assert "cannot be started" in words(await page_of("/bots/gravity-9/"))
        program.write_text("#!/bin/sh\nread line\n")
        program.chmod(0o755)
        page = words(await page_of("/bots/gravity-9/"))
        assert "cannot be started" not in page and "Challenge" in page


async def test_the_owner_reads_why_a_worker_has_given_a_match_of_the_bot_back(host: Host) -> None:
    mira = await account("Mira K")
    bot = await a_bot(owner=await User.objects.aget(), command=["python3", "bot.py"])
    said = "gravity-9 does not start here: it stopped with exit code 1 before it waited for input"
    now = timezone.now()
    await Machine.objects.acreate(name="w", slots=1, speed=1, sandbox=3, seen=now, lacks=f"pairing:1:1: {said}")
    seats = {"seats": [{"player": bot.pk}, {"player": None}]}
    spec = {"event": 1, "spec": seats}
    await Work.objects.acreate(kind="play", key="pairing:1:1", spec=spec, worker="w", lacked=now)
    page = await page_of("/bots/gravity-9/", mira)
    assert "A worker cannot start it and has given its match back." in words(page) and said in page
    assert said not in await page_of("/bots/gravity-9/")


async def test_versions_lead_to_each_other(host: Host) -> None:
    await a_bot()
    await a_bot("gravity-9 v2", family="gravity-9", version="2")
    assert "/bots/gravity-9-v2/" in await page_of("/bots/gravity-9/")
    assert '"/bots/gravity-9/"' in await page_of("/bots/gravity-9-v2/")


async def test_a_bot_in_quarantine_says_why_and_its_owner_how_it_comes_back(host: Host) -> None:
    mira = await account("Mira K")
    why = "quarantine: 10 failures in a row"
    now = timezone.now()
    await a_bot(owner=await User.objects.aget(), enabled=False, why_disabled=why, quarantined=now)
    page = await page_of("/bots/gravity-9/")
    assert f"gravity-9 no longer plays: {why}." in " ".join(page.split()) and "check_bot" not in page
    assert "manage.py check_bot --reenable gravity-9 -- COMMAND" in await page_of("/bots/gravity-9/", mira)


async def test_the_tools_of_the_owner_are_the_owner_s(host: Host) -> None:
    mira = await account("Mira K")
    await a_bot(owner=await User.objects.aget())
    assert "Make a new token" in await page_of("/bots/gravity-9/", mira)
    other = await account("Bob")
    for visitor in (Person(), other):
        page = await page_of("/bots/gravity-9/", visitor)
        assert "Make a new token" not in page and "/edit/" not in page


async def test_the_owner_is_named_and_a_bot_is_never_called_a_person(host: Host) -> None:
    await account("Mira K")
    await a_bot(owner=await User.objects.aget())
    page = await page_of("/bots/gravity-9/")
    assert 'href="/@/mira-k/">Mira K' in page and ">bot</span>" in page
    assert (await Player.objects.aget(slug="gravity-9")).kind == "bot"


async def test_no_such_bot_is_404_in_words(host: Host) -> None:
    await person()
    for slug in ("nobody", "mira-k", "%3Cb%3E"):
        answer = await Person().get(f"/bots/{slug}/")
        assert answer.status_code == 404 and "There is no bot with this name." in text(answer)


async def test_its_owner_reads_whether_it_passed_its_check_and_where_it_is_checked(host: Host) -> None:
    mira = await account("Mira K")
    bot = await a_bot(owner=await User.objects.aget())
    assert "/bots/gravity-9/check/" in await page_of("/bots/gravity-9/", mira)
    assert "/check/" not in await page_of("/bots/gravity-9/")
    assert await sync_to_async(lambda: passes.store(bot, passes.seen_of(bot), 27, "ops"))()
    assert "it passed the check of its protocol on 20" in await page_of("/bots/gravity-9/", mira)
