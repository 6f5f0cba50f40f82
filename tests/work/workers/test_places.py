"""What workers are given first where not everything has a slot."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from arena.models import Returned, Work
from arena.work import rows
from arena.work.workers import places
from arena.work.workers.places import Free, Places

pytestmark = pytest.mark.django_db


def lent(kind: str, number: int, state: str, priority: int) -> list[int]:
    """So many rows of this kind that workers have, or will begin with."""
    rows.submit(kind, [(f"{kind}:{n}", {}) for n in range(number)], priority)
    now = {"lent": timezone.now(), "state": state, "until": timezone.now(), "secret": "s"}
    Work.objects.filter(kind=kind).update(**now)
    return list(Work.objects.filter(kind=kind).order_by("pk").values_list("pk", flat=True))


def test_where_nobody_plays_all_slots_analyse() -> None:
    assert Places().free(4) == Free(8, 8, [])
    lent("analyse", 5, "out", -40)
    assert Places().free(4) == Free(8, 3, [])


def test_one_query_counts_the_places(django_assert_num_queries: Any) -> None:
    """The host asks before it lends the next match."""
    lent("play", 2, "out", 20)
    with django_assert_num_queries(1):
        assert Places().free(4) == Free(6, 2, [])


def test_what_has_been_answered_needs_no_place() -> None:
    """It may lie for a while until it is stored: meanwhile the worker goes on with the next."""
    played = lent("play", 3, "out", 20)
    for work in played[:2]:
        Returned.objects.create(work_id=work, token=1, worker="w", found="{}")
    assert Places().free(2) == Free(3, 1, [])


def test_an_analysis_that_has_begun_is_called_back_for_a_match() -> None:
    analyses = lent("analyse", 4, "out", -40)
    rows.submit("play", [("pairing:1:1", {}), ("pairing:2:1", {})], 20)
    assert Places().free(4) == Free(8, 0, [analyses[3], analyses[2]])
    rows.submit("play", [(f"pairing:{n}:1", {}) for n in range(3, 99)], 20)
    assert Places().free(4) == Free(8, 0, analyses[::-1])


def test_what_no_worker_has_begun_with_is_called_back_first() -> None:
    begun = lent("begun", 2, "out", -40)
    waiting = lent("analyse", 2, "waiting", -40)
    rows.submit("play", [("pairing:1:1", {}), ("pairing:2:1", {})], 20)
    assert set(Places().free(4).too_much) == set(waiting)
    rows.submit("play", [("pairing:3:1", {})], 20)
    assert set(Places().free(4).too_much) == {*waiting, begun[1]}


def test_between_two_matches_their_slots_are_kept_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = Places()
    lent("play", 4, "out", 20)
    assert mine.free(4) == Free(4, 0, [])
    Work.objects.update(state="done", until=None)
    assert mine.free(4) == Free(8, 0, [])
    monkeypatch.setattr(places, "KEPT_S", -1.0)
    assert mine.free(4) == Free(8, 8, [])


def test_what_only_the_host_can_play_keeps_no_worker_free() -> None:
    rows.submit("play", [("pairing:1:1", {})], 20)
    Work.objects.update(needs=Work.HOST)
    assert Places().free(4) == Free(8, 8, [])
