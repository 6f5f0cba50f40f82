from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError
from django.utils import timezone

from arena.models import Entry, Match, Pairing, Player, Tournament

pytestmark = pytest.mark.django_db

NOW = timezone.now()


@pytest.fixture
def cup() -> Tournament:
    return Tournament.objects.create(slug="Nim-Cup", name="Nim cup", variant="expanding-nim", format="round-robin")


@pytest.fixture
def pairing(cup: Tournament) -> Pairing:
    first, second = (an_entry(cup, seed) for seed in (1, 2))
    return Pairing.objects.create(tournament=cup, round=1, number=1, a=first, b=second)


def an_entry(cup: Tournament, seed: int, **values: Any) -> Entry:
    return Entry.objects.create(**{"tournament": cup, "seed": seed, "name": f"e{seed}", "kind": "builtin", **values})


def a_match(pairing: Pairing, name: str, **values: Any) -> Match:
    return Match.objects.create(id=name, pairing=pairing, variant="expanding-nim", opened=NOW, **values)


def test_a_slug_has_one_spelling(cup: Tournament) -> None:
    assert Tournament.objects.get(slug="NIM-cup").get_absolute_url() == "/t/nim-cup/"
    with pytest.raises(IntegrityError):
        Tournament.objects.create(slug="nim-CUP", name="x", variant="expanding-nim", format="swiss")


def test_a_pairing_is_played_once(pairing: Pairing) -> None:
    a_match(pairing, "aaaaaaaaaa", ended=NOW, termination="normal", winner=0)
    with pytest.raises(IntegrityError):
        a_match(pairing, "bbbbbbbbbb")


def test_a_pairing_is_not_played_twice_at_a_time(pairing: Pairing) -> None:
    a_match(pairing, "aaaaaaaaaa")
    with pytest.raises(IntegrityError):
        a_match(pairing, "bbbbbbbbbb")


@pytest.mark.parametrize("termination", ["server_abort", "admin_abort", "abort", "no_start"])
def test_a_match_without_a_result_does_not_stand_in_the_way(pairing: Pairing, termination: str) -> None:
    a_match(pairing, "aaaaaaaaaa", ended=NOW, termination=termination)
    a_match(pairing, "bbbbbbbbbb")
    assert pairing.matches.count() == 2


@pytest.mark.parametrize("values", [{"seed": 1}, {"name": "e1"}, {"kind": "bot"}, {"kind": "person"}])
def test_entries_are_different_and_have_a_player_where_one_is_meant(cup: Tournament, values: dict[str, Any]) -> None:
    an_entry(cup, 1)
    with pytest.raises(IntegrityError):
        an_entry(cup, **{"seed": 2, **values})


def test_a_player_takes_part_once(cup: Tournament) -> None:
    player = Player.objects.create(kind="bot", name="gravity", slug="gravity")
    an_entry(cup, 1, kind="bot", player=player)
    with pytest.raises(IntegrityError):
        an_entry(cup, 2, kind="bot", player=player)


@pytest.mark.parametrize("values", [{"state": "bye"}, {"state": "forfeited"}, {"forfeited_by": "a"}, {"number": 1}])
def test_what_a_pairing_cannot_be(pairing: Pairing, values: dict[str, Any]) -> None:
    fields = {"tournament": pairing.tournament, "round": 1, "number": 2, "a": pairing.a, "b": pairing.b}
    with pytest.raises(IntegrityError):
        Pairing.objects.create(**fields | values)


def test_nobody_meets_itself(pairing: Pairing) -> None:
    with pytest.raises(IntegrityError):
        Pairing.objects.create(tournament=pairing.tournament, round=1, number=2, a=pairing.a, b=pairing.a)


def test_names_for_people(cup: Tournament, pairing: Pairing) -> None:
    assert [str(cup), str(pairing.a), str(pairing)] == ["Nim cup", "e1", "e1 – e2"]
