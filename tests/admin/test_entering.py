"""Players entered into an event and seeded from the administration."""

from __future__ import annotations

import pytest

from tests.admin.test_event_actions import address, an_event, organiser, seen

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
