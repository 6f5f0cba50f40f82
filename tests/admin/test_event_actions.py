"""What staff do to an event from the administration: each act asks, is refused to who may not, and is on record."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from arena.admin.event_actions import EVENT_ACTIONS
from arena.models import Audit, Bot, Entry, Pairing, Player, Tournament
from arena.tournaments import actions, leaving
from arena.tournaments.spec import EntrySpec, TournamentSpec
from tests.admin.conftest import VARIANT

pytestmark = pytest.mark.django_db


def an_event(format: str = "round-robin", start: bool = False) -> Tournament:
    entries = tuple(EntrySpec(f"b{n}", "builtin", level="random") for n in range(4))
    event = actions.create(
        TournamentSpec("Cup", VARIANT, format, entries, rounds=3 if format == "swiss" else 0), state="waiting"
    )
    if start:
        actions.start(event)
    event.refresh_from_db()
    return event


def staff(*rights: str, name: str = "bo") -> Client:
    user = User.objects.create_user(name, is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    client = Client()
    client.force_login(user)
    return client


def organiser(name: str = "bo") -> Client:
    return staff("view_tournament", "change_tournament", name=name)


def address(event: Tournament, name: str, **target: int) -> str:
    query = "&".join(f"{key}={value}" for key, value in target.items())
    return f"/admin/arena/tournament/{event.pk}/act/{name}/" + (f"?{query}" if query else "")


def seen(event: Tournament) -> dict[str, str]:
    newest = Audit.objects.filter(subject=event.slug).order_by("-pk").first()
    return {f"stood-{event.pk}": str(newest.pk) if newest else "0"}


def test_pausing_takes_a_page_and_an_answer_and_no_reason() -> None:
    event, client = an_event(start=True), organiser()
    page = client.get(address(event, "pause")).content.decode()
    assert "no others begin" in page and "Cup" in page
    event.refresh_from_db()
    assert event.state == "running"
    client.post(address(event, "pause"), {"reason": "lunch", **seen(event)})
    event.refresh_from_db()
    assert event.state == "paused"
    done = Audit.objects.get()
    assert (done.actor, done.act, done.data) == ("bo", "tournament pause", {"reason": "lunch"})
    client.post(address(event, "resume"), {"reason": "", **seen(event)})
    assert Audit.objects.order_by("-pk")[0].data == {}


def test_what_changes_a_result_or_somebodys_part_needs_a_reason() -> None:
    event, client = an_event(start=True), organiser()
    entry = event.entries.get(seed=1)
    answer = client.post(address(event, "withdraw", entry=entry.pk), {"reason": " ", **seen(event)})
    assert answer.status_code == 422 and "A reason is missing" in answer.content.decode()
    assert not Entry.objects.get(pk=entry.pk).withdrawn
    client.post(address(event, "withdraw", entry=entry.pk), {"reason": "it crashes", **seen(event)})
    assert Entry.objects.get(pk=entry.pk).withdrawn
    assert Audit.objects.get().data == {"entry": entry.name, "reason": "it crashes"}
    client.post(address(event, "undo", entry=entry.pk), {"reason": "it is mended", **seen(event)})
    assert not Entry.objects.get(pk=entry.pk).withdrawn


def test_a_pairing_is_decided_and_played_again() -> None:
    event, client = an_event(start=True), organiser()
    pairing = event.pairings.order_by("pk")[0]
    said = {"reason": "both agreed", "to": "draw", **seen(event)}
    client.post(address(event, "award", pairing=pairing.pk), said)
    pairing.refresh_from_db()
    assert pairing.state == Pairing.State.DRAWN
    client.post(address(event, "rerun", pairing=pairing.pk), {"reason": "they want to play", **seen(event)})
    pairing.refresh_from_db()
    assert pairing.state == Pairing.State.REPLACED
    assert event.pairings.filter(attempt=2, state="open").count() == 1
    assert [act.act for act in Audit.objects.order_by("pk")] == ["tournament award", "tournament re-run"]


def test_all_that_could_not_be_played_is_played_again_at_once() -> None:
    event, client = an_event(start=True), organiser()
    there, page = "Re-run what could not be played", f"/admin/arena/tournament/{event.pk}/change/"
    assert there not in client.get(page).content.decode()
    handed = list(event.pairings.order_by("pk").values_list("pk", flat=True)[:2])
    Pairing.objects.filter(pk__in=handed).update(state=Pairing.State.HANDED)
    assert there in client.get(page).content.decode()
    asked = client.get(address(event, "rerun-undecided")).content.decode()
    assert "2 matches are played once more." in asked
    client.post(address(event, "rerun-undecided"), {"reason": "the work was cancelled", **seen(event)})
    assert list(event.pairings.filter(state="replaced").order_by("pk").values_list("pk", flat=True)) == handed
    assert event.pairings.filter(attempt=2, state="open").count() == 2
    assert [act.act for act in Audit.objects.all()] == ["tournament re-run undecided"]


def test_who_acts_on_a_pairing_that_was_replaced_is_told_by_whom() -> None:
    event, first, second = an_event(start=True), organiser("ada"), organiser("bo")
    old, looked_at = event.pairings.order_by("pk")[0], seen(event)
    Pairing.objects.filter(pk=old.pk).update(state=Pairing.State.HANDED)
    said = {"reason": "the wrong bot", "to": "a", **looked_at}
    first.post(address(event, "rerun", pairing=old.pk), said)
    for name in ("rerun", "award"):
        page = second.post(address(event, name, pairing=old.pk), said, follow=True).content.decode()
        assert "in the meantime (ada at" in page and "Nothing was done" in page
        again = second.post(address(event, name, pairing=old.pk), {**said, **seen(event)}, follow=True)
        assert "this cannot be done now. Nothing was done" in again.content.decode()
    assert event.pairings.filter(attempt=2).count() == 1


def test_the_second_of_two_is_told_what_the_first_one_did() -> None:
    event, first, second = an_event(start=True), organiser("ada"), organiser("bo")
    looked_at = seen(event)
    first.post(address(event, "pause"), {"reason": "", **looked_at})
    entry = event.entries.get(seed=1)
    said = {"reason": "it crashes", **looked_at}
    page = second.post(address(event, "withdraw", entry=entry.pk), said, follow=True).content.decode()
    assert (
        "Somebody else has acted on this event in the meantime (ada at" in page
        and "paused the event). Nothing was done" in page
    )
    assert not Entry.objects.get(pk=entry.pk).withdrawn
    second.post(address(event, "withdraw", entry=entry.pk), {"reason": "it crashes", **seen(event)})
    assert Entry.objects.get(pk=entry.pk).withdrawn


@pytest.mark.parametrize("rights", [(), ("view_tournament",), ("change_match", "view_match")])
def test_who_may_not_is_refused_every_act(rights: tuple[str, ...]) -> None:
    event, client = an_event(start=True), staff(*rights)
    entry, pairing = event.entries.get(seed=1).pk, event.pairings.order_by("pk")[0].pk
    before = (list(Tournament.objects.values()), list(Entry.objects.values()), list(Pairing.objects.values()))
    for act in EVENT_ACTIONS:
        target = {"entry": {"entry": entry}, "pairing": {"pairing": pairing}}.get(act.of, {})
        said: dict[str, Any] = {"reason": "why not", "to": "a", **seen(event)}
        assert client.get(address(event, act.name, **target)).status_code == 403, act.name
        assert client.post(address(event, act.name, **target), said).status_code == 403, act.name
    assert before == (list(Tournament.objects.values()), list(Entry.objects.values()), list(Pairing.objects.values()))
    assert not Audit.objects.exists()


@pytest.mark.parametrize(
    ("name", "target"), [("start", {}), ("resume", {}), ("undo", {"entry": 1}), ("rerun", {"pairing": 1}), ("rate", {})]
)
def test_what_cannot_be_done_now_is_not_done(name: str, target: dict[str, int]) -> None:
    event, client = an_event(start=True), organiser()
    rows = {"entry": event.entries.get(seed=1).pk, "pairing": event.pairings.order_by("pk")[0].pk}
    where = address(event, name, **{key: rows[key] for key in target})
    before = Tournament.objects.values().get()
    assert "cannot be done now" in client.get(where, follow=True).content.decode()
    assert "Nothing was done" in client.post(where, {"reason": "why", **seen(event)}, follow=True).content.decode()
    assert Tournament.objects.values().get() == before and not Audit.objects.exists()


@pytest.mark.parametrize("number", ["", "0", "x", "9" * 30, "\u0663", "-1"])
def test_a_target_that_is_none_is_named(number: str) -> None:
    event, client = an_event(start=True), organiser()
    for name, of in (("withdraw", "entry"), ("award", "pairing")):
        page = client.post(f"{address(event, name)}?{of}={number}", {"reason": "why"}, follow=True).content.decode()
        assert "expected one of this event. Nothing was done" in page
    assert client.get(address(event, "explode")).status_code == 404
    assert not Audit.objects.exists()


def test_nobodys_bot_comes_back_by_anothers_hand() -> None:
    event, client = an_event(start=True), organiser()
    owner = User.objects.create_user("ola")
    player = Player.objects.create(kind="bot", name="late", slug="late")
    Bot.objects.create(player=player, owner=owner, variant=VARIANT, protocol="fiar", family="late", open_to="nobody")
    entry = actions.enter(event, EntrySpec("late", "bot", protocol="fiar", player=player.pk))
    leaving.withdraw(event, entry)
    said = {"reason": "come back", **seen(event)}
    page = client.post(address(event, "undo", entry=entry.pk), said, follow=True).content.decode()
    assert "its owner can enter it" in page and Entry.objects.get(pk=entry.pk).withdrawn
    Bot.objects.update(open_to="staff")
    client.post(address(event, "undo", entry=entry.pk), said)
    assert not Entry.objects.get(pk=entry.pk).withdrawn


def test_an_event_that_has_not_begun_can_be_deleted() -> None:
    event, client = an_event(), organiser()
    answer = client.post(address(event, "delete"), {"reason": "a mistake", **seen(event)})
    assert answer["Location"] == "/admin/arena/tournament/" and not Tournament.objects.exists()


def test_pairings_of_a_swiss_event_are_set_with_a_reason_and_nowhere_else() -> None:
    event, client = an_event("swiss"), organiser()
    first, second = (entry.pk for entry in event.entries.order_by("seed")[:2])
    assert "the next round is paired as usual" in client.get(address(event, "pairs")).content.decode()
    said = {"what": "pair", "first": first, "second": second, "round": 1, "reason": "they ask for it"}
    assert 'name="round" value="1"' in client.get(address(event, "pairs")).content.decode()
    assert client.post(address(event, "pairs"), {**said, "reason": "", **seen(event)}).status_code == 422
    client.post(address(event, "pairs"), {**said, **seen(event)})
    assert "So far paired in round 1: b0 – b1." in client.get(address(event, "pairs")).content.decode()
    actions.start(event)
    pairing = event.pairings.order_by("number").first()
    assert pairing is not None and (pairing.a_id, pairing.b_id) == (first, second)
    act = Audit.objects.get(act="tournament set pairing")
    assert (act.actor, act.data) == ("bo", {"pair": "b0 – b1", "reason": "they ask for it"})
    assert act.deed() == "set the pairing b0 – b1"
    other = an_event()
    assert client.get(address(other, "pairs"), follow=True).status_code != 500
    assert "act/pairs/" not in client.get(f"/admin/arena/tournament/{other.pk}/change/").content.decode()
