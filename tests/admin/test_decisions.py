from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.utils import timezone

from arena import paths
from arena.admin.decisions import decisions
from arena.models import Bot, Entry, Match, Pairing, Player, Seat, Tournament
from arena.tournaments.actions import ASKS_RATING
from tests.admin.conftest import VARIANT

pytestmark = pytest.mark.django_db

ICONS = (paths.ROOT / "static" / "icons.svg").read_text(encoding="utf-8")


def _event(state: str, **settings: object) -> Tournament:
    return Tournament.objects.create(
        slug="cup", name="Cup", variant=VARIANT, format="swiss", state=state, settings=settings
    )


def _entry(event: Tournament, seed: int, kind: str = "builtin") -> Entry:
    name = f"{kind} {seed}"
    player = Player.objects.create(kind=kind, name=name, slug=f"{kind}-{seed}") if kind == "person" else None
    return Entry.objects.create(tournament=event, seed=seed, name=name, kind=kind, player=player)


def _kinds() -> list[tuple[str, str]]:
    root, _ = User.objects.get_or_create(username="root", is_superuser=True, is_staff=True)
    found = decisions(root)
    assert all(f'<symbol id="{each.icon}"' in ICONS for each in found)
    return [(each.kind, each.name) for each in found]


def test_nothing_waits_where_nothing_is_wrong() -> None:
    event = _event("running")
    Pairing.objects.create(tournament=event, round=1, number=1, a=_entry(event, 1), b=_entry(event, 2))
    assert _kinds() == []


@pytest.mark.parametrize(("state", "waits"), [("running", True), ("paused", True), ("finished", False)])
def test_a_pairing_that_was_handed_over_waits_while_its_event_goes_on(state: str, waits: bool) -> None:
    event = _event(state)
    a, b = _entry(event, 1), _entry(event, 2)
    Pairing.objects.create(tournament=event, round=1, number=1, a=a, b=b, state="handed", faults=3)
    paused = [("Paused event", "Cup")] if state == "paused" else []
    assert _kinds() == ([("Faulted pairing", "builtin 1 – builtin 2")] if waits else []) + paused


def test_a_person_who_has_not_agreed_to_bots_is_asked_for() -> None:
    event = _event("waiting")
    person = _entry(event, 1, "person")
    assert _kinds() == []
    _entry(event, 2)
    assert _kinds() == [("Consent", "person 1")]
    Entry.objects.filter(pk=person.pk).update(agrees=True)
    assert _kinds() == []


@pytest.mark.parametrize("why", ["", "Nobody is left to play round 3."])
def test_an_event_that_is_paused_waits_for_who_resumes_it(why: str) -> None:
    _event("paused")
    Tournament.objects.update(why=why)
    assert _kinds() == [("Paused event", "Cup")]
    [paused] = decisions(User.objects.get())
    assert paused.facts == (why or "No match begins until it is resumed.")
    Tournament.objects.update(finished=timezone.now())
    assert _kinds() == []


def test_an_event_that_asks_to_be_rated_waits_for_an_answer() -> None:
    _event("waiting", **{ASKS_RATING: True})
    assert _kinds() == [("Rating", "Cup")]


def test_a_bot_in_quarantine_and_a_silent_match_wait() -> None:
    player = Player.objects.create(kind="bot", name="late-riser", slug="late-riser")
    Bot.objects.create(player=player, variant=VARIANT, protocol="fiar", family="late", quarantined=timezone.now())
    opened = timezone.now() - timedelta(days=2)
    match = Match.objects.create(id="0123456789", variant=VARIANT, opened=opened, started=opened, clock="none")
    Seat.objects.create(match=match, seat=0, name="Ada", kind="person")
    match.events.create(seq=1, at=opened, kind="opened")
    assert _kinds() == [("Silent match", "0123456789"), ("Quarantined bot", "late-riser")]
    root = User(is_superuser=True)
    assert "and it has no clock" in decisions(root)[0].facts
    Match.objects.update(clock="5m")
    assert "for twice its clock" in decisions(root)[0].facts
    assert decisions(AnonymousUser()) == []
