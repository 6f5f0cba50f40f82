from __future__ import annotations

import html
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.models import Bot, Entry, Match, Pairing, Player, Rating, Work
from arena.web import elsewhere
from tests.admin.test_event_actions import an_event, staff

pytestmark = pytest.mark.django_db


def _page(client: Client, pk: int, query: str = "") -> str:
    answer = client.get(f"/admin/arena/tournament/{pk}/change/{query}")
    assert answer.status_code == 200
    return html.unescape(re.sub(r"\s+", " ", answer.content.decode()))


class Mirrored:
    """A process that only makes pages: it asks a host, which says this."""

    def __init__(self, **said: Any) -> None:
        self.asked_for = set[int]()
        self.said = {"doors": {}, "clocks": {}, "online": [], "playing": [], **said}

    async def ask(self, question: str, arguments: list[Any]) -> Any:
        if question.endswith("._not_starting"):
            self.asked_for |= set(arguments[0])
            return []
        return self.said if question.endswith("._present") else "no such library"


@pytest.fixture
def mirrored() -> Iterator[Mirrored]:
    mirror = Mirrored()
    elsewhere.keep(cast(elsewhere.Mirror, mirror))
    yield mirror
    elsewhere.keep(None)


@pytest.fixture
def bots_folder(settings: Any) -> Iterator[Path]:
    """pytest's own folders can be entered by their owner only."""
    with tempfile.TemporaryDirectory(prefix="arena-bots-") as name:
        Path(name).chmod(0o755)
        settings.ARENA_BOTS = Path(name)
        yield Path(name)


def test_the_host_says_who_is_connected_and_what_cannot_be_started(
    superuser: Client, mirrored: Mirrored, bots_folder: Path
) -> None:
    event = an_event()
    bots = [Player.objects.create(name=name, slug=name, kind=Player.Kind.BOT) for name in ("gravity-9", "otter")]
    for player, entry in zip(bots, event.entries.order_by("seed"), strict=False):
        Bot.objects.create(player=player, variant=event.variant, protocol="fiar", family=player.slug)
        Entry.objects.filter(pk=entry.pk).update(kind=Entry.Kind.BOT, player=player, name=player.name)
    assert "2 of 4 are connected." in _page(superuser, event.pk)
    mirrored.said["online"] = [bots[0].pk]
    assert "3 of 4 are connected." in _page(superuser, event.pk)
    (bots_folder / "otter").mkdir(mode=0o755)
    Bot.objects.filter(pk=bots[1].pk).update(command=["python3", "-c", "pass"])
    assert "Need a look" not in _page(superuser, event.pk)
    mirrored.said["lacking"] = [bots[1].pk]
    entries = _page(superuser, event.pk).partition('id="h-entries"')[2].partition("</table>")[0]
    assert mirrored.asked_for == {bots[1].pk}, "the host finds it out"
    assert "otter" in entries and "this server cannot start it" in entries and "gravity-9" not in entries
    panel = superuser.get(f"/admin/arena/bot/{bots[1].pk}/change/").content.decode()
    assert "This server cannot start it" in panel and "no such library" in panel


def _acts(page: str) -> set[str]:
    return set(re.findall(r"/act/([a-z-]+)/", page))


def test_it_says_in_words_what_the_event_is_and_offers_what_can_be_done(superuser: Client) -> None:
    event = an_event()
    page = _page(superuser, event.pk)
    assert "round robin, 4 players" in page and "friendly" in page and "Order: points" in page
    assert _acts(page) == {"enter", "seed", "edit", "start", "gather", "delete", "withdraw"}
    running = an_event(start=True)
    assert _acts(_page(superuser, running.pk)) == {"enter", "edit", "pause", "call", "withdraw", "award"}


def test_entries_that_left_are_shown_until_all_are_asked_for_each_with_its_owner_and_rating(superuser: Client) -> None:
    event = an_event(start=True)
    first, other = event.entries.order_by("seed")[:2]
    player = Player.objects.create(name="gravity-9", slug="gravity-9", kind=Player.Kind.BOT)
    owner = User.objects.create_user("rosa")
    Bot.objects.create(player=player, owner=owner, variant=event.variant, protocol="fiar", family="gravity-9")
    Rating.objects.create(player=player, variant=event.variant, points=1702.2, deviation=40, volatility=0.06, matches=9)
    Entry.objects.filter(pk=first.pk).update(kind=Entry.Kind.BOT, player=player)
    entries = _page(superuser, event.pk).partition('id="h-entries"')[2]
    assert "Bot of rosa, 1702<" in entries and first.name in entries and other.name in entries
    assert "Need a look" not in entries
    Bot.objects.update(enabled=False, why_disabled="quarantine: 10 failures in a row")
    entries = _page(superuser, event.pk).partition('id="h-entries"')[2].partition("</table>")[0]
    assert "disabled (quarantine: 10 failures in a row)" in entries and other.name not in entries
    Bot.objects.update(enabled=True, command=["python3", "of-1999.py"])
    entries = _page(superuser, event.pk).partition('id="h-entries"')[2].partition("</table>")[0]
    assert "this server cannot start it" in entries and other.name not in entries
    Bot.objects.update(command=None)
    Entry.objects.filter(pk=other.pk).update(calls=1)
    entries = _page(superuser, event.pk).partition('id="h-entries"')[2].partition("</table>")[0]
    assert 'Need a look <span class="pill">1<' in entries and "missed 1 call" in entries and "rosa" not in entries
    entries = _page(superuser, event.pk, "?entries=all").partition('id="h-entries"')[2].partition("</table>")[0]
    assert "missed 1 call" in entries and "rosa" in entries


def test_who_only_looks_is_offered_nothing() -> None:
    event = an_event(start=True)
    assert _acts(_page(staff("view_tournament"), event.pk)) == set()


def test_what_needs_a_decision_stands_on_top_whatever_round_is_shown(superuser: Client) -> None:
    event = an_event(start=True)
    last = event.pairings.order_by("-round", "-number", "-leg")[0]
    Pairing.objects.filter(pk=last.pk).update(state="handed", faults=3)
    page = _page(superuser, event.pk, "?round=1")
    listed = [int(pk) for pk in re.findall(r'id="pairing-(\d+)"', page)]
    assert listed[0] == last.pk and len(listed) > 1 and "the organiser decides" in page
    assert set(listed[1:]) == set(event.pairings.filter(round=1).values_list("pk", flat=True))


def test_staff_read_why_nobody_could_play_what_they_are_to_decide(superuser: Client) -> None:
    event = an_event(start=True)
    pairing = event.pairings.filter(round=1)[0]
    Pairing.objects.filter(pk=pairing.pk).update(state="handed", faults=1)
    Work.objects.create(kind="play", key=f"pairing:{pairing.pk}:1", state="failed", why="gravity-9 cannot be started")
    listed = _page(superuser, event.pk).partition(f'id="pairing-{pairing.pk}"')[2].partition("</tbody>")[0]
    assert "gravity-9 cannot be started" in listed


def test_an_event_leads_to_its_matches_and_they_to_it(superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    pairing = an_event(start=True).pairings.filter(round=1)[0]
    Match.objects.update(pairing=pairing)
    match, event = "/admin/arena/match/match-1/change/", f"/admin/arena/tournament/{pairing.tournament_id}/change/"
    assert f'<a href="{match}">' in _page(superuser, pairing.tournament_id, "?round=1")
    assert f'<a href="{event}">' in superuser.get(match).content.decode()


@pytest.mark.parametrize("asked", ["0", "-1", "x", "99999999999999999999", "٣"])
def test_a_round_that_is_none_shows_a_page(asked: str, superuser: Client) -> None:
    _page(superuser, an_event(start=True).pk, f"?round={asked}")


def test_it_asks_no_more_questions_of_a_larger_event(superuser: Client) -> None:
    event = an_event("swiss", start=True)
    with CaptureQueriesContext(connection) as asked:
        _page(superuser, event.pk)
    assert len(asked) <= 15
