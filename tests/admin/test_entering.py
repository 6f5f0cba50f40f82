"""Players entered into an event and seeded from the administration."""

from __future__ import annotations

import pytest
from asgiref.sync import async_to_sync

from arena.models import Audit, Tournament
from arena.tournaments.spec import Conditions
from arena.web.tournaments import entrants
from tests.admin.test_event_actions import address, an_event, organiser, seen
from tests.kit.history import a_bot

pytestmark = pytest.mark.django_db


def test_players_are_entered_all_or_none_and_seeded() -> None:
    event, client = an_event(), organiser()
    page = client.get(address(event, "enter")).content.decode()
    assert "builtin:club" in page and "Built-in Club" in page and "()" not in page
    client.post(address(event, "enter"), {"who": ["builtin:club", "builtin:expert"], **seen(event)})
    assert event.entries.count() == 6
    answer = client.post(address(event, "enter"), {"who": ["bot:999"], **seen(event)})
    assert answer.status_code == 422 and "expected one from the list" in answer.content.decode()
    order = list(event.entries.order_by("-seed"))
    said = {f"seed_{entry.pk}": n for n, entry in enumerate(order, 1)}
    client.post(address(event, "seed"), {**said, **seen(event)})
    assert list(event.entries.order_by("seed")) == order
    answer = client.post(address(event, "seed"), {**dict.fromkeys(said, 1), **seen(event)})
    assert answer.status_code == 422 and "the same seed" in answer.content.decode()


def test_of_more_bots_than_are_listed_others_are_entered_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    event, client = an_event(), organiser()
    assert 'name="others"' not in client.get(address(event, "enter")).content.decode()
    monkeypatch.setattr(entrants, "MOST_ENTRIES", 2)
    for name in ("ada-1", "bella-2", "cleo-3"):
        async_to_sync(a_bot)(name, open_to="everyone", variant=event.variant)
    page = client.get(address(event, "enter")).content.decode()
    assert 'name="others"' in page and "bella-2" in page and "cleo-3" not in page
    for names, words in (("cleo-3\nnobody-4", "Received &#x27;nobody-4&#x27;"), (" \n", "Nobody is ticked")):
        answer = client.post(address(event, "enter"), {"others": names, **seen(event)})
        assert answer.status_code == 422 and words in answer.content.decode()
    before = event.entries.count()
    client.post(address(event, "enter"), {"who": ["builtin:club"], "others": "Cleo-3\r\ncleo-3\r\n", **seen(event)})
    assert event.entries.count() == before + 2 and event.entries.filter(player__name="cleo-3").exists()


def test_staff_let_somebody_in_who_does_not_meet_the_conditions_with_a_reason() -> None:
    event, client = an_event(), organiser()
    assert 'name="excused"' not in client.get(address(event, "enter")).content.decode()
    asks = Conditions(checked=True)._asdict()
    Tournament.objects.update(settings={**event.settings, "conditions": asks, "clock": "10s"})
    bot = async_to_sync(a_bot)("ada-1", open_to="everyone", variant=event.variant)
    page = client.get(address(event, "enter")).content.decode()
    assert 'name="excused"' in page and "Bots have passed the check of their protocol" in page
    said = {"who": [f"bot:{bot.pk}"]}
    answer = client.post(address(event, "enter"), {**said, **seen(event)})
    page = " ".join(answer.content.decode().split())
    assert answer.status_code == 422 and "ada-1 cannot enter Cup: it has not passed" in page
    assert f'value="bot:{bot.pk}"' in page and page.count("checked") == 1, "what was ticked stays ticked"
    answer = client.post(address(event, "enter"), {**said, "excused": "on", "reason": " ", **seen(event)})
    assert answer.status_code == 422 and "Say why they may enter" in answer.content.decode()
    assert event.entries.count() == 4
    client.post(address(event, "enter"), {**said, "excused": "on", "reason": "a guest", **seen(event)})
    assert event.entries.filter(name="ada-1").exists()
    assert Audit.objects.get().data == {"entry": "ada-1", "reason": "a guest"}
    page = client.get(f"/admin/arena/tournament/{event.pk}/change/").content.decode()
    assert "does not meet the conditions, and stays" in page
