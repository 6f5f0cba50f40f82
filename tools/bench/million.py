"""The data for the bench of the administration: rows of every table that grows with play, as on an old server."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Model

import games
from arena.match.state import SeatSetup, Setup
from arena.match.wire_pack import pack
from arena.models import (
    Analysis,
    Audit,
    Bot,
    ChatLine,
    ChatReport,
    Entry,
    Match,
    Mistake,
    Pairing,
    Player,
    Puzzle,
    PuzzleTry,
    Rating,
    RatingChange,
    Room,
    Ruling,
    Seat,
    Tournament,
    WireChunk,
)
from arena.work.analyses import pack as pack_values

VARIANT = "connect-four-7x6"
PLIES = 20
NAMES = ("Ada", "Bob")  # have played every match
# The number of matches with a room, an event and all that belongs to them: even with ten thousand moves every list has
# a full page. So with a million, the server has to read more, but shows no more.
TOGETHER = 4
_AT_ONCE = 5_000


def fill(stored: sqlite3.Connection, matches: int) -> None:
    """This many matches, all the same resigned one, a minute apart, and what people, bots and staff leave beside
    them.
    """
    now = datetime.now(UTC)
    times = [now - timedelta(minutes=matches - n) for n in range(matches)]
    _store(stored, _people(matches))
    _store(stored, _events(matches, now))
    _store(stored, _matches(times))
    _store(stored, _beside(times))
    _logs(stored, times)
    stored.execute("ANALYZE")


def number(n: int) -> str:
    return f"b{n:08}"


def _people(matches: int) -> Iterator[Model]:
    for pk, name in enumerate(NAMES, 1):
        user = User(pk=1 + pk, username=f"owner-{name.lower()}", password="!")
        player = Player(pk=pk, kind=Player.Kind.BOT, name=name, slug=name.lower())
        yield from (user, player)
        yield Bot(player_id=pk, owner_id=user.pk, variant=VARIANT, protocol="droidcon", family=name)
        yield Rating(player_id=pk, variant=VARIANT, matches=matches)
    for n in range(10, 11 + matches // TOGETHER):
        yield User(pk=n, username=f"person-{n}", password="!")
        yield Player(pk=n, kind=Player.Kind.PERSON, name=f"person {n}", slug=f"person-{n}", user_id=n)
        yield Rating(player_id=n, variant=VARIANT, matches=3)


def _events(matches: int, now: datetime) -> Iterator[Model]:
    """Rooms and events, each for this many matches; match n belongs to pairing n + 1."""
    for n in range(1, 2 + matches // TOGETHER):
        yield Room(pk=n, code=f"ROOM-{n}", shown_code=f"room-{n}", variant=VARIANT, closed=now)
        state = {"state": Tournament.State.FINISHED, "finished": now}
        name = f"Cup of person {n}"  # that a search finds, as the person
        yield Tournament(pk=n, slug=f"cup-{n}", name=name, variant=VARIANT, format="round-robin", **state)
        for pk, name in enumerate(NAMES, 1):
            yield Entry(pk=2 * n + pk, tournament_id=n, seed=pk, name=name, kind="bot", player_id=pk)
    for n in range(matches):
        event, leg = n // TOGETHER + 1, n % TOGETHER + 1
        sides = {"a_id": 2 * event + 1, "b_id": 2 * event + 2}
        yield Pairing(pk=n + 1, tournament_id=event, round=1, number=1, leg=leg, state="done", **sides)


def _matches(times: list[datetime]) -> Iterator[Model]:
    for n, at in enumerate(times):
        of = {"room_id": n // TOGETHER + 1, "series": n % TOGETHER + 1, "pairing_id": n + 1}
        how = {"winner": 0, "termination": "resign", "reason": "Bob resigned", "plies": PLIES}
        yield Match(pk=number(n), variant=VARIANT, clock="10s", opened=at, started=at, ended=at, **of, **how)
        for pk, name in enumerate(NAMES, 1):
            who = {"player_id": pk, "name": name, "kind": "bot", "protocol": "droidcon"}
            yield Seat(pk=2 * n + pk, match_id=number(n), seat=pk - 1, **who)


def _beside(times: list[datetime]) -> Iterator[Model]:
    """Wires, ratings and analyses, and for some matches what people said and staff did."""
    said = pack([(0.1 * n, "in" if n % 2 else "out", b"PUT 3\n", n) for n in range(PLIES)])
    values = pack_values([[0] * 7] * (PLIES + 1))
    start = str(games.variant(VARIANT).start())
    for n, at in enumerate(times):
        match = {"match_id": number(n)}
        yield Analysis(kernel="c992957b9626", values=values, **match)
        for pk in (1, 2):
            yield WireChunk(seat_id=2 * n + pk, n=PLIES, packed=said)
            yield RatingChange(player_id=pk, variant=VARIANT, order=n, before=1500, **match)
        if n % TOGETHER == 0:
            yield Audit(at=at, actor="root", act="paused", subject=number(n), data={"reason": "a power cut"})
            yield ChatLine(
                pk=n + 1, player_id=10 + n // TOGETHER, name=f"person {n}", among_players=False, text="hi", **match
            )
            yield Mistake(player_id=10 + n // TOGETHER, ply=3, **match)
            yield Puzzle(pk=n + 1, ply=4, variant=VARIANT, key=f"{n:032}", position=start, values=[0] * 7, **match)
            yield PuzzleTry(player_id=10 + n // TOGETHER, puzzle_id=n + 1, solved=True)
            yield ChatReport(line_id=n + 1, by_id=1, decided=at)
            yield Ruling(n=1, verdict="void", reason="a power cut", actor="root", at=at, **match)


def _store(stored: sqlite3.Connection, rows: Iterable[Model]) -> None:
    """Store rows as `bulk_create` would, in the order in which they come."""
    rows = iter(rows)
    while some := list(islice(rows, _AT_ONCE)):
        for model in {type(row): None for row in some}:
            fields = [field for field in model._meta.concrete_fields if not field.generated]
            columns, marks = ", ".join(f'"{field.column}"' for field in fields), ", ".join("?" * len(fields))
            stored.executemany(
                f"INSERT INTO {model._meta.db_table} ({columns}) VALUES ({marks})",
                (
                    [field.get_db_prep_save(field.pre_save(row, True), connection) for field in fields]
                    for row in some
                    if type(row) is model
                ),
            )


def _logs(stored: sqlite3.Connection, times: list[datetime]) -> None:
    """The logs: a million rows, which do not go through the models one by one."""
    opened = json.dumps(Setup(VARIANT, (SeatSetup("Ada", "bot"), SeatSetup("Bob", "bot"))).to_data())
    ended = json.dumps({"winner": 0, "termination": "resign", "reason": "Bob resigned"})
    lines = [
        ("opened", None, None, "", None, opened),
        ("started", None, None, "", None, "{}"),
        *(("move", ply, (ply - 1) % 2, move, 8 + ply, "{}") for ply, move in enumerate(_a_game(), 1)),
        ("ended", PLIES, None, "", None, ended),
    ]
    columns = "match_id, seq, at, kind, ply, seat, move, actor, elapsed_ms, data"
    stored.executemany(
        f"INSERT INTO arena_event ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, '', ?, ?)",
        (
            (number(n), seq, str(at.replace(tzinfo=None)), *line)
            for n, at in enumerate(times)
            for seq, line in enumerate(lines, 1)
        ),
    )


def _a_game() -> list[str]:
    """This many moves after which nobody has won yet."""
    for seed in range(1000):
        rng, position, moves = random.Random(seed), games.variant(VARIANT).start(), list[str]()
        while position.to_move is not None and len(moves) < PLIES:
            moves.append(rng.choice(position.legal_moves()))
            position = position.play(moves[-1])
        if position.to_move is not None:
            return moves
    raise AssertionError("1000 random matches, and none so long")
