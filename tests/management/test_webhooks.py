"""A serving host sends what its own matches leave in the rows."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User

from arena.host import Host
from arena.management.webhooks import Webhooks
from arena.match.commands import Resign
from arena.match.state import SeatSetup, Setup
from arena.models import Player, Webhook
from arena.models.webhook import new_nonce
from arena.work.webhooks import signing
from tests.kit.until import asked_until
from tests.work.webhooks.receiver import Receiver, certificate, receiving


@pytest.fixture
async def served(host: Host, settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AsyncIterator[Host]:
    """Whom to trust is said as an administrator says it."""
    trusted = tmp_path / "trusted.pem"
    trusted.write_bytes(certificate()[0])
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    settings.ARENA_WEBHOOK_NETS = ["127.0.0.1/32"]
    running = Webhooks(host)
    yield host
    await running.close()


@sync_to_async
def a_player(receiver: Receiver) -> Player:
    user, nonce = User.objects.create_user("mira"), new_nonce()
    known = {"nonce": nonce, "sha256": signing.fingerprint(signing.secret_of(nonce)), "events": "match.over"}
    Webhook.objects.create(user=user, url=receiver.url, receiver="here", **known)
    return Player.objects.create(kind="person", name="Mira", slug="mira", user=user)


async def test_who_played_a_match_is_told_that_it_is_over(served: Host) -> None:
    async with receiving() as receiver:
        mira = await a_player(receiver)
        seats = (SeatSetup("Mira", player=mira.pk, verified=True), SeatSetup("Ada"))
        live = await served.referee.open(Setup("connect-four-7x6", seats))
        await served.referee.start(live)
        await served.referee.act(live, Resign(1))
        await receiver.until(1)
        said = json.loads(receiver.received[0].body)
        assert said["type"] == "match.over"
        assert (said["data"]["id"], said["data"]["result"]) == (live.id, "1-0")
        waiting = Webhook.objects.filter(deliveries__state="waiting")
        await asked_until(waiting.aexists, lambda found: not found)
