"""The book of ratings: what matches that counted did to the numbers of those who played them.

`apply` runs in the transaction that stores an ending or a ruling, so each match is counted exactly once. The order is
that of the log, by the row of the `ended` event. A ruling changes what an old match counts as, so everything of its
ladder that came after it is recomputed. `recompute` does that; from the first match on it is what the tables must hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection

from arena.common import names
from arena.match.endings import score_that_counts
from arena.match.ladder import NEW, LadderStanding, after_match
from arena.match.state import LogEvent
from arena.models import Event, Match, Player, Rating, RatingChange, Ruling, Seat

MATCHES_AT_ONCE = 500
# On PostgreSQL the number of the lock under which ratings change; on SQLite only one transaction writes at all.
LOCK = 0x6172656E61
NUMBERS = LadderStanding._fields


class RatedMatch(NamedTuple):
    """A rated match that has ended: `order` is the row of its `ended` event, `score` the first side's, None if void."""

    order: int
    match: str
    at: datetime
    players: tuple[int, ...]
    score: float | None


class Change(NamedTuple):
    """What a match did to a player: their points before it and where they stood after it."""

    order: int
    before: float
    after: LadderStanding


class Difference(NamedTuple):
    """A row that is not what the logs make of it: None if there is, or should be, none. A rating has no `match`."""

    variant: str
    player: int
    match: str
    stored: Change | LadderStanding | None
    recomputed: Change | LadderStanding | None


Changes = dict[tuple[str, int], Change]


def apply(closing: Sequence[tuple[str, LogEvent]]) -> None:
    """Count the matches that have just ended and recompute what a ruling changed."""
    variants = _rated({match for match, _ in closing})
    if not variants:
        return
    one_at_a_time()
    for variant in sorted(set(variants.values())):
        new = [match for match, event in closing if event.kind == "ended" and variants.get(match) == variant]
        ruled = [match for match, event in closing if event.kind == "ruled" and variants.get(match) == variant]
        if new:
            _count(variant, new)
        if ruled:
            orders = Event.objects.filter(match__in=ruled, kind="ended").values_list("id", flat=True)
            recompute(variant, since=min(orders), write=True)


def recompute(variant: str, since: int = 0, write: bool = False) -> list[Difference]:
    """Recompute a ladder from the match of the `ended` row `since` on, and say, or `write`, what is wrong in the
    tables."""
    standings: dict[int, LadderStanding] = {}
    wrong: list[Difference] = []
    done = since - 1
    for ended in _batches(variant, since):
        _recall(standings, variant, ended, since)
        changes = _changes(standings, ended)
        wrong += _compare_changes(variant, done, ended[-1].order, changes, write)
        done = ended[-1].order
    wrong += _compare_changes(variant, done, None, {}, write)
    return wrong + _compare_ratings(variant, standings, whole=since == 0, write=write)


def ladders() -> list[str]:
    """The variants in which anything was rated, or looks as if it were."""
    rated = Match.objects.filter(rated=True).values_list("variant", flat=True).distinct()
    rows = [rated, *(model.objects.values_list("variant", flat=True).distinct() for model in (Rating, RatingChange))]
    return sorted({variant for variants in rows for variant in variants})


def one_at_a_time() -> None:
    """Wait until nobody else is changing ratings; let them change again with the end of the transaction."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])


@contextmanager
def snapshot() -> Iterator[None]:
    """Read everything as it is now, while a host goes on writing."""
    if connection.in_atomic_block:
        yield
        return
    repeatable = "" if connection.vendor == "sqlite" else " ISOLATION LEVEL REPEATABLE READ"
    with connection.cursor() as cursor:
        cursor.execute(f"BEGIN{repeatable}")
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")


# -- from the log ------------------------------------------------------------------------------------------------------


def _rated(matches: set[str]) -> dict[str, str]:
    """The variants of those matches that are rated. It is all that a friendly match costs, so it is written out."""
    table = connection.ops.quote_name(Match._meta.db_table)
    places = ", ".join(["%s"] * len(matches))
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT id, variant FROM {table} WHERE rated AND id IN ({places})", list(matches))
        return dict(cursor.fetchall())


def _batches(variant: str, since: int) -> Iterator[list[RatedMatch]]:
    """The rated matches of a variant that have ended, in the order of the log."""
    rated = Event.objects.filter(kind="ended", match__rated=True, match__variant=variant).order_by("id")
    done = since - 1
    while batch := _ended(rated.filter(id__gt=done)[:MATCHES_AT_ONCE]):
        yield batch
        done = batch[-1].order


def _ended(events: Iterable[Event]) -> list[RatedMatch]:
    rows = list(events)
    matches = [row.match_id for row in rows]
    players: dict[tuple[str, int], int | None] = {
        (match, seat): player
        for match, seat, player in Seat.objects.filter(match__in=matches).values_list("match", "seat", "player")
    }
    rulings = {ruling["match_id"]: ruling for ruling in Ruling.objects.filter(match__in=matches).order_by("n").values()}
    ended = []
    for row in rows:
        both = tuple(player for seat in (0, 1) if (player := players.get((row.match_id, seat))) is not None)
        score = score_that_counts(row.data["winner"], row.data["termination"], rulings.get(row.match_id))
        ended.append(RatedMatch(row.pk, row.match_id, row.at, both, score if len(both) == 2 else None))
    return ended


# -- recomputing -------------------------------------------------------------------------------------------------------


def _count(variant: str, matches: list[str]) -> None:
    """The matches are the newest of the log, so they go on from where everyone stands."""
    ended = _ended(Event.objects.filter(match__in=matches, kind="ended").order_by("id"))
    stored = Rating.objects.filter(variant=variant, player__in=_players(ended)).values_list("player", *NUMBERS)
    standings = {player: LadderStanding(*numbers) for player, *numbers in stored}
    changes = _changes(standings, ended)
    _write_changes(variant, changes)
    changed = {player for _, player in changes}
    _write_ratings(variant, {player: standings[player] for player in changed})


def _changes(standings: dict[int, LadderStanding], ended: Iterable[RatedMatch]) -> Changes:
    """Play the matches through, moving the standings on."""
    changes: Changes = {}
    for order, match, at, players, score in ended:
        if score is None:
            continue
        first, second = (standings.get(player, NEW) for player in players)
        for player, before, after in zip(players, (first, second), after_match(first, second, score, at), strict=True):
            standings[player] = after
            changes[match, player] = Change(order, before.points, after)
    return changes


def _players(ended: Iterable[RatedMatch]) -> set[int]:
    return {player for match in ended for player in match.players}


def _recall(standings: dict[int, LadderStanding], variant: str, ended: list[RatedMatch], since: int) -> None:
    """The standings before `since` of players that have not occurred yet."""
    for player in _players(ended) - standings.keys():
        earlier = RatingChange.objects.filter(player=player, variant=variant, order__lt=since).order_by("-order")
        numbers = earlier.values_list(*NUMBERS).first() if since else None
        standings[player] = LadderStanding(*numbers) if numbers else NEW


# -- the tables --------------------------------------------------------------------------------------------------------


def _compare_changes(variant: str, done: int, last: int | None, wanted: Changes, write: bool) -> list[Difference]:
    """The errors in the rows of the matches after `done`, up to `last`."""
    rows = RatingChange.objects.filter(variant=variant, order__gt=done)
    rows = rows if last is None else rows.filter(order__lte=last)
    stored = {
        (match, player): Change(order, before, LadderStanding(*numbers))
        for match, player, order, before, *numbers in rows.values_list("match", "player", "order", "before", *NUMBERS)
    }
    wrong = [
        Difference(variant, key[1], key[0], stored.get(key), wanted.get(key))
        for key in stored.keys() | wanted.keys()
        if stored.get(key) != wanted.get(key)
    ]
    if write:
        matches = {difference.match for difference in wrong}
        RatingChange.objects.filter(match__in=matches).delete()
        _write_changes(variant, {key: change for key, change in wanted.items() if key[0] in matches})
    return sorted(wrong, key=lambda difference: (difference.match, difference.player))


def _compare_ratings(
    variant: str, standings: Mapping[int, LadderStanding], whole: bool, write: bool
) -> list[Difference]:
    """The errors in the ratings of these players, or of the `whole` ladder."""
    rows = Rating.objects.filter(variant=variant)
    rows = rows if whole else rows.filter(player__in=standings)
    stored = {player: LadderStanding(*numbers) for player, *numbers in rows.values_list("player", *NUMBERS)}
    gone = _former()
    wanted = {player: each for player, each in standings.items() if each.matches and player not in gone}
    wrong = [
        Difference(variant, player, "", stored.get(player), wanted.get(player))
        for player in sorted(stored.keys() | wanted.keys())
        if stored.get(player) != wanted.get(player)
    ]
    if write:
        players = [difference.player for difference in wrong]
        Rating.objects.filter(variant=variant, player__in=players).delete()
        _write_ratings(variant, {player: wanted[player] for player in players if player in wanted})
    return wrong


def _former() -> set[int]:
    """Who has closed the account: what others won and lost against them stands, and they are ranked no more."""
    players = Player.objects.filter(slug__startswith=names.slug(names.FORMER))
    return {player.pk for player in players.only("slug") if names.is_former(player.slug)}


def _write_changes(variant: str, changes: Changes) -> None:
    RatingChange.objects.bulk_create(
        [
            RatingChange(match_id=match, player_id=player, variant=variant, order=order, before=before, **_named(after))
            for (match, player), (order, before, after) in changes.items()
        ]
    )


def _write_ratings(variant: str, standings: Mapping[int, LadderStanding]) -> None:
    Rating.objects.bulk_create(
        [Rating(player_id=player, variant=variant, **_named(standing)) for player, standing in standings.items()],
        update_conflicts=True,
        unique_fields=["player", "variant"],
        update_fields=NUMBERS,
    )


def _named(standing: LadderStanding) -> dict[str, Any]:
    return standing._asdict()
