"""The arena of the examples of docs/api.md: whom they name has played what they show."""

from __future__ import annotations

from datetime import UTC, datetime

from django.contrib.auth.models import User

from arena.bots.session.tokens import sha256_of
from arena.core.log_store import Append
from arena.match.commands import Play, Start
from arena.match.state import SeatSetup, Setup
from arena.models import AccessToken, Bot, Player
from arena.tournaments import actions
from tests.kit.appending import the_appends
from tests.kit.storage import Database
from tests.kit.tournaments import a_spec

MATCH = "7gk3mzrq2x"
TOKEN = "arp_aaaabbbbccccddddeeeeffffgggghhhh"
WON = "1212121"


def fill() -> None:
    """Into the database of this process."""
    user = User.objects.create_user("mira-k")
    known = {"sha256": sha256_of(TOKEN), "scopes": "play events organise", "ends": datetime(2999, 1, 31, tzinfo=UTC)}
    AccessToken.objects.create(user=user, name="handbook", **known)
    mira = Player.objects.create(kind="person", name="Mira K", slug="mira-k", user=user)
    gravity = Player.objects.create(kind="bot", name="gravity-9", slug="gravity-9")
    Bot.objects.create(player=gravity, variant="connect-four-7x6", protocol="droidcon", family="gravity", version="9")
    seats = (
        SeatSetup("Mira K", "human", mira.pk, verified=True),
        SeatSetup("gravity-9", "bot", gravity.pk, "droidcon", verified=True, on_illegal="lose"),
    )
    setup = Setup("connect-four-7x6", seats, clock="1m+1s", rated=True)
    moves = [Play(ply % 2, ply + 1, text) for ply, text in enumerate(WON)]
    store = Database()
    for events in the_appends([Start(), *moves], setup):
        store.write([Append(MATCH, events, lambda error: None)])
    cup = actions.create(a_spec(3, name="Winter cup"), user)
    actions.start(cup)
    actions.pause(cup)
