"""What is said of a tournament, in English and in German."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone, translation

from arena.models import Pairing, Ruling, Tournament
from arena.tournaments import actions
from arena.web.tournaments import sentences
from tests.kit.tournaments import a_spec, begun, sheet
from tests.tournaments.rows import result, rule

pytestmark = pytest.mark.django_db


def test_states_in_words() -> None:
    tournament = actions.create(a_spec(3))
    assert sentences.says(sheet("spring-cup")).startswith("A draft")
    actions.open_for_entries(tournament)
    assert sentences.says(sheet("spring-cup")) == "3 of 3 are connected. The organiser starts it."
    Tournament.objects.update(starts=datetime(2026, 11, 21, 18, tzinfo=UTC))
    assert sentences.says(sheet("spring-cup")).endswith("Starts at 18:00 UTC on 21 Nov.")
    actions.start_when_here(tournament)
    said = "3 of 3 are connected. Starts when everyone is here or at 18:00 UTC on 21 Nov."
    assert sentences.says(sheet("spring-cup")) == said
    actions.start(tournament)
    assert sentences.says(sheet("spring-cup")) == "0 of 3 played."
    actions.pause(tournament)
    assert sentences.says(sheet("spring-cup")).startswith("Paused at 0 of 3")


def test_a_published_table_says_that_a_ruling_has_changed_it() -> None:
    event = begun(a_spec(2))
    match = result(Pairing.objects.get(), "1-0")
    rule(match, "draw", reason="before the publication")
    actions.go_on(event)
    actions.publish(event)
    published = sentences.at(Tournament.objects.get().published or timezone.now())
    assert sentences.says(sheet("spring-cup")).endswith(f" Final table, published at {published}.")
    rule(match, "win", 1, reason="an engine was at work")
    Ruling.objects.filter(n=2).update(at=timezone.now() + timedelta(hours=30))
    corrected = sentences.at(Ruling.objects.get(n=2).at)
    assert sentences.says(sheet("spring-cup")).endswith(
        f" Final table, published at {published}, corrected by a ruling at {corrected}."
    )


def test_an_event_says_what_is_played_and_when_a_proof_decides() -> None:
    begun(a_spec(3, clock="5s"))
    begun(a_spec(3, clock="5s", adjudicate=8))
    assert sentences.about(sheet("spring-cup")).endswith(", 3 players, 1 match per pairing, 5 s a move")
    assert sentences.about(sheet("spring-cup-2")).endswith(", 5 s a move, decided once a proof has held for 8 moves")


def test_a_german_reader_reads_german() -> None:
    actions.start_when_here(actions.create(a_spec(3, clock="5s")))
    Tournament.objects.update(starts=datetime(2026, 12, 1, 18, tzinfo=UTC))
    event = sheet("spring-cup")
    with translation.override("de"):
        assert sentences.says(event).endswith("Beginnt, sobald alle da sind, oder um 18:00 UTC am 1. Dez.")
        assert "Rundenturnier, 3 Spieler, 1 Partie je Paarung" in sentences.about(event)
        assert "Built-in" not in str(sentences.spoken_sheet(event).names)
    assert sentences.about(event).endswith("round robin, 3 players, 1 match per pairing, 5 s a move")
