"""The cast of the admin's tests: a superuser, staff who may do what they were given, and rows of every table."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

import games
from arena.match.packed_log import pack as pack_log
from arena.match.state import SeatSetup, Setup
from arena.models import (
    AccessToken,
    Analysis,
    Audit,
    Bot,
    ChatLine,
    ChatReport,
    Delivery,
    Drain,
    Entry,
    Event,
    Handed,
    JoinedGuest,
    KeptName,
    Lease,
    LogSlice,
    Machine,
    Match,
    Minute,
    Mistake,
    Mute,
    OneTimeCode,
    PackedLog,
    Pairing,
    Place,
    Player,
    Puzzle,
    PuzzleStanding,
    PuzzleTry,
    Rating,
    RatingChange,
    Returned,
    Room,
    Ruling,
    Seat,
    Tournament,
    Webhook,
    WireChunk,
    Work,
)
from arena.work.analyses import pack

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
VARIANT = "connect-four-7x6"


@pytest.fixture
def superuser(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    return client


@pytest.fixture
def staff(db: None) -> Client:
    """Somebody who was given everything that can be given."""
    user = User.objects.create_user("staff", is_staff=True)
    user.user_permissions.set(Permission.objects.all())
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def fill(db: None) -> Callable[[int], None]:
    """`fill(n)` adds one row more to every table, number n, each with rows of its own to refer to."""

    def add(n: int) -> None:
        user = User.objects.create_user(f"user{n}")
        player = Player.objects.create(kind="bot", name=f"player {n}", slug=f"player-{n}", user=user)
        bot = {"variant": VARIANT, "protocol": "droidcon", "family": f"family-{n}"}
        Bot.objects.create(player=player, owner=user, command=["python3", "bot.py"], **bot)
        room = Room.objects.create(code=f"room-{n}", shown_code=f"room-{n}", variant=VARIANT, owner=user)
        Place.objects.create(room=room, side=0, kind="bot", player=player, port=4300 + n)
        play(n, room, player)
        Rating.objects.create(player=player, variant=VARIANT)
        OneTimeCode.objects.create(user=user, code_sha256="0" * 64, expires=NOW)
        Audit.objects.create(actor="root", act="new secret", subject=f"player {n}")
        Lease.objects.get_or_create(name="host", holder="this process", expires=NOW)
        Drain.objects.get_or_create(number=1, defaults={"at": datetime(2999, 1, 31, tzinfo=UTC), "actor": "root"})
        counts = dict.fromkeys(("matches", "rooms", "bots", "viewers", "moves", "commits"), n)
        Minute.objects.create(at=NOW + timedelta(minutes=n), errors=0, **counts)
        Handed.objects.create(match=f"handed-{n}", log=[])
        cup = Tournament.objects.create(
            slug=f"cup-{n}", name=f"cup {n}", variant=VARIANT, format="swiss", organiser=user
        )
        entry = Entry.objects.create(tournament=cup, seed=1, name=f"player {n}", kind="bot", player=player)
        Pairing.objects.create(tournament=cup, round=1, number=1, a=entry, state="bye")
        talk(n, player)
        learn(n, player)

    def play(n: int, room: Room, player: Player) -> None:
        match = Match.objects.create(id=f"match-{n}", room=room, variant=VARIANT, opened=NOW, started=NOW)
        seats = [Seat(match=match, seat=seat, name=f"seat {n} {seat}", kind="bot", player=player) for seat in (0, 1)]
        Seat.objects.bulk_create(seats)
        opened = Setup(VARIANT, (SeatSetup(seats[0].name, "bot"), SeatSetup(seats[1].name, "bot"))).to_data()
        Event.objects.create(match=match, seq=1, at=NOW, kind="opened", data=opened)
        Event.objects.create(match=match, seq=2, at=NOW, kind="started")
        Event.objects.create(match=match, seq=3, at=NOW, kind="move", ply=1, seat=0, move="4", elapsed_ms=153)
        Ruling.objects.create(match=match, n=1, verdict="void", reason="a fault of ours", actor="root", at=NOW)
        WireChunk.objects.create(seat=seats[0], n=1, jsonl='{"t": 0.5, "dir": "in", "ply": 1, "data": "PUT 3\\\\n"}\n')
        Analysis.objects.create(match=match, kernel="c992957b9626", values=pack([[0] * 7, [0] * 7]))
        change = {"variant": VARIANT, "order": n, "before": 1500, "points": 1512}
        RatingChange.objects.create(match=match, player=player, **change)

    def talk(n: int, player: Player) -> None:
        before = Player.objects.filter(pk__lt=player.pk).order_by("pk").last()
        other = before or Player.objects.create(kind="person", name="other", slug="other")
        said = {"match_id": f"match-{n}", "among_players": True, "text": f"good move, number {n}"}
        line = ChatLine.objects.create(player=player, name=player.name, **said)
        ChatReport.objects.create(line=line, by=other)
        Mute.objects.create(by=other, whom=player)

    return add


def learn(n: int, player: Player) -> None:
    PackedLog.objects.create(ended=Event.objects.get(match=f"match-{n}", seq=3), events=pack_log([], []))
    asked = {"variant": VARIANT, "position": str(games.variant(VARIANT).start()), "values": [0] * 7}
    puzzle = Puzzle.objects.create(match_id=f"match-{n}", ply=0, key=f"{n:032}", **asked)
    JoinedGuest.objects.create(guest=player, person=Player.objects.exclude(pk=player.pk).order_by("pk")[0])
    KeptName.objects.create(slug=f"kept-{n}")
    PuzzleStanding.objects.create(player=player)
    PuzzleTry.objects.create(player=player, puzzle=puzzle)
    Mistake.objects.create(player=player, match_id=f"match-{n}", ply=1)
    work = Work.objects.create(kind="analyse", key=f"analyse:match-{n}", secret="5ecre7")
    Returned.objects.create(work=work, token=1, worker=f"blade {n}", found="{}")
    LogSlice.objects.create(work=work, token=1, worker=f"blade {n}", found="{}")
    Machine.objects.create(name=f"blade {n}", slots=2, speed=90, sandbox=3, seen=NOW)
    token = {"sha256": f"{n:064}", "scopes": "play", "made": NOW, "ends": NOW}
    AccessToken.objects.create(user=User.objects.get(username=f"user{n}"), name=f"token {n}", **token)
    webhook = Webhook.objects.create(user=User.objects.get(username=f"user{n}"), url="https://example.org/", made=NOW)
    Delivery.objects.create(webhook=webhook, name=f"msg_{n}", kind="test", at=NOW, due=NOW, body="{}")
