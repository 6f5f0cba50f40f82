from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, transaction

from arena.models import ChatLine, ChatReport, Match, Mute, Player

pytestmark = pytest.mark.django_db


def test_a_report_and_a_mute_are_there_once_and_a_line_says_something() -> None:
    ada, bob = (Player.objects.create(kind="person", name=name, slug=name) for name in ("ada", "bob"))
    match = Match(id="a", variant="connect-four-7x6", opened=datetime(2026, 1, 31, tzinfo=UTC))
    Match.objects.bulk_create([match])
    line = ChatLine.objects.create(match=match, player=ada, name="ada", among_players=True, text="hello")
    for _ in range(2):
        ChatReport.objects.bulk_create([ChatReport(line=line, by=bob)], ignore_conflicts=True)
        Mute.objects.bulk_create([Mute(by=bob, whom=ada)], ignore_conflicts=True)
    assert (str(line), str(ChatReport.objects.get()), str(Mute.objects.get())) == (
        "ada: hello",
        "ada: hello",
        "bob mutes ada",
    )
    for row in (ChatLine(match=match, player=ada, name="ada", among_players=True, text=""), Mute(by=ada, whom=ada)):
        with pytest.raises(IntegrityError), transaction.atomic():
            row.save()
