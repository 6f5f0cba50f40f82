"""The settings of an event as a form: a new event, and what of one may still change."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from arena.admin.event_form import EventForm
from arena.models import Audit, Bot, Machine, Player, Tournament
from arena.tournaments import actions
from arena.tournaments.sheet import sheet_of
from arena.tournaments.spec import EntrySpec
from arena.work.machine_class import own_class
from tests.admin.test_event_actions import address, an_event, organiser, seen, staff

pytestmark = pytest.mark.django_db

NEW = "/admin/arena/tournament/add/"


def filled(form: EventForm, **other: Any) -> dict[str, Any]:
    """What a browser sends when nothing is touched but these."""
    values = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    return {name: value for name, value in (values | other).items() if value not in (None, False, "")}


def test_an_event_is_made_after_what_it_will_be_was_shown() -> None:
    client = organiser()
    assert client.get(NEW).status_code == 200
    said = filled(EventForm(), name="Oak cup", format="swiss", rounds="3", first_tie_break="buchholz")
    page = client.post(NEW, said).content.decode()
    assert "Name: Oak cup" in page and "Kind: Swiss" in page and "Rounds of a Swiss event: 3" in page
    assert not Tournament.objects.exists()
    answer = client.post(NEW, {**said, "confirmed": "yes"})
    event = Tournament.objects.get()
    assert answer["Location"] == f"/admin/arena/tournament/{event.pk}/change/"
    assert (event.state, event.format, event.settings["rounds"], event.organiser) == ("draft", "swiss", 3, _user("bo"))
    assert (event.settings["tie_breaks"], Audit.objects.get().act) == (["buchholz"], "tournament create")


def _user(name: str) -> Any:
    from django.contrib.auth.models import User

    return User.objects.get(username=name)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"clock": "soon"}, "soon is not one of"),
        ({"first_tie_break": "buchholz", "second_tie_break": "buchholz"}, "is chosen twice"),
        ({"starts": "2001-01-01T12:00"}, "has passed: expected a time in the future"),
        ({"third_place": "on"}, "only a knockout"),
    ],
)
def test_what_is_wrong_is_said_at_its_field_and_nothing_is_made(wrong: dict[str, str], words: str) -> None:
    answer = organiser().post(NEW, {**filled(EventForm()), **wrong, "confirmed": "yes"})
    assert answer.status_code == 422 and words.lower() in answer.content.decode().lower()
    assert not Tournament.objects.exists()


def test_settings_change_after_a_list_of_what_changes() -> None:
    event, client = an_event(), organiser()
    said = filled(
        EventForm(sheet=sheet_of(event)), name="Beech cup", pace_ms="700", format="knockout", first_tie_break=""
    )
    page = client.post(address(event, "edit"), {**said, **seen(event)}).content.decode()
    assert "Name: Cup → Beech cup" in page and "Speed: Full speed → Watchable, 0.7 s a move" in page
    event.refresh_from_db()
    assert event.name == "Cup"
    client.post(address(event, "edit"), {**said, **seen(event), "confirmed": "yes"})
    event.refresh_from_db()
    assert (event.name, event.settings["pace_ms"], event.format) == ("Beech cup", 700, "knockout")
    assert "Speed: Full speed → Watchable" in Audit.objects.get().data["changed"]


def test_the_class_of_machines_is_one_of_those_that_are_known() -> None:
    event, client = an_event(), organiser()
    Machine.objects.create(name="blade", machine_class="c5", slots=1, speed=1, sandbox=0, seen=timezone.now())
    said = filled(EventForm(sheet=sheet_of(event)), machines="c9") | seen(event)
    page = client.post(address(event, "edit"), said).content.decode()
    assert "No machine of the class “c9” is known. Choose one from the list." in page
    assert f'<option value="{own_class()}">{own_class()}, as this server</option>' in page
    page = client.post(address(event, "edit"), {**said, "machines": "c5"}).content.decode()
    assert "Class of machines that play it: Any class → c5" in page
    client.post(address(event, "edit"), {**said, "machines": "c5", "confirmed": "yes"})
    event.refresh_from_db()
    assert event.settings["machines"] == "c5"


def test_what_no_field_asks_for_stays_as_its_file_said() -> None:
    event, client = an_event(), organiser()
    Tournament.objects.update(settings={**event.settings, "machines": "gone", "pondering": True})
    event.refresh_from_db()
    said = filled(EventForm(sheet=sheet_of(event)), name="Beech cup")
    client.post(address(event, "edit"), {**said, **seen(event), "confirmed": "yes"})
    event.refresh_from_db()
    assert (event.name, event.settings["machines"], event.settings["pondering"]) == ("Beech cup", "gone", True)


def test_what_the_first_pairing_settled_stays() -> None:
    event, client = an_event(start=True), organiser()
    said = filled(EventForm(sheet=sheet_of(event)), clock="1m+1s", concurrency="4", legs="8")
    client.post(address(event, "edit"), {**said, **seen(event), "confirmed": "yes"})
    event.refresh_from_db()
    assert (event.settings["clock"], event.settings["legs"], event.settings["concurrency"]) == ("10s", 2, 4)


def test_nothing_changed_is_said() -> None:
    event, client = an_event(), organiser()
    said = filled(EventForm(sheet=sheet_of(event)))
    page = client.post(address(event, "edit"), {**said, **seen(event)}, follow=True).content.decode()
    assert "nothing would change" in page and not Audit.objects.exists()


def test_a_table_is_published_once_and_a_rerun_takes_it_back() -> None:
    event, client = an_event(start=True), organiser()
    assert "cannot be done now" in client.get(address(event, "publish"), follow=True).content.decode()
    for pairing in event.pairings.all():
        actions.award(pairing, "draw", "rain")
    actions.go_on(event)
    client.post(address(event, "publish"), {"reason": "", **seen(event)})
    event.refresh_from_db()
    assert event.published is not None
    assert "Final table, published at" in client.get(f"/admin/arena/tournament/{event.pk}/change/").content.decode()
    assert "cannot be done now" in client.get(address(event, "publish"), follow=True).content.decode()
    pairing = event.pairings.order_by("pk")[0]
    client.post(address(event, "rerun", pairing=pairing.pk), {"reason": "the sun came out", **seen(event)})
    assert Tournament.objects.filter(state="running", published=None).exists()


def test_who_runs_no_events_makes_none() -> None:
    client = staff("view_tournament")
    assert client.get(NEW).status_code == 403
    assert client.post(NEW, {**filled(EventForm()), "confirmed": "yes"}).status_code == 403


def test_conditions_are_settings_and_say_who_stays_without_meeting_them() -> None:
    event, client = an_event(), organiser()
    player = Player.objects.create(kind="bot", name="oak", slug="oak")
    Bot.objects.create(player=player, variant=event.variant, protocol="native", family="oak")
    actions.enter(event, EntrySpec("oak", "bot", protocol="native", player=player.pk, variant=event.variant))
    actions.start(event)
    form = EventForm(sheet=sheet_of(event))
    asks = {"checked": "on", "rating_from": "1500", **seen(event)}
    answer = client.post(address(event, "edit"), {**filled(form), **asks, "rating_to": "1400"})
    assert answer.status_code == 422 and "no rating is from 1500 to 1400" in answer.content.decode()
    page = client.post(address(event, "edit"), {**filled(form), **asks}).content.decode()
    assert "Rating from: none → 1500" in page
    assert "These take part already and stay without meeting the conditions: oak" in page
    client.post(address(event, "edit"), {**filled(form), **asks, "confirmed": "yes"})
    event.refresh_from_db()
    assert event.settings["conditions"] == {"checked": True, "rating_from": 1500, "rating_to": 0}
    assert event.entries.filter(name="oak", withdrawn=None).exists()
