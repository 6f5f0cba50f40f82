"""Database rows as shown in answers of `/api/` and messages of webhooks."""

from __future__ import annotations

from datetime import datetime
from typing import cast

from django.db.models import Prefetch, QuerySet

from arena.match.export import timestamp
from arena.models import Bot, Match, Ruling, Seat, Tournament
from arena.web.api import shapes
from arena.web.api.log_shapes import Kind, Result, RulingShape, Winner
from arena.web.joined import person_of
from arena.web.people import ratings
from arena.web.people.ratings import RatingRow
from arena.web.people.records import linked, told_with


def with_lines(rows: QuerySet[Match]) -> QuerySet[Match]:
    """These matches with everything that `match_line` shows, in two further queries however many there are."""
    seats = Prefetch("seats", Seat.objects.select_related("player__joined__person").order_by("seat"))
    rulings = Prefetch("rulings", Ruling.objects.order_by("n"))
    return rows.select_related("pairing__tournament").prefetch_related(seats, rulings)


def match_line(row: Match) -> shapes.MatchLine:
    """The line of a match from `with_lines`."""
    rulings = list(row.rulings.all())
    return {
        "id": row.pk,
        "variant": row.variant,
        "round": row.round,
        "rated": row.rated,
        "clock": row.clock,
        "event": row.pairing.tournament.slug if row.pairing else None,
        "seats": [_seat(seat) for seat in row.seats.all()],
        "opened": timestamp(row.opened),
        "started": _time(row.started),
        "ended": _time(row.ended),
        "plies": row.plies if row.ended else None,  # moves touch no row, so a running match has it in its log
        "winner": cast(Winner, row.winner),
        "result": cast(Result, row.result),
        "termination": row.termination,
        "reason": told_with(*(seat.name for seat in row.seats.all()), reason=row.reason),
        "ruling": _ruling(rulings[-1]) if rulings else None,
        "api": f"/api/matches/{row.pk}/",
        "page": f"/m/{row.pk}/",
    }


def bot_line(row: Bot, online: bool, rating: RatingRow | None) -> shapes.BotLine:
    """`rating` is that in its variant, None before its first rated match."""
    return {
        "slug": row.player.slug,
        "name": row.player.name,
        "variant": row.variant,
        "protocol": row.protocol,
        "family": row.family,
        "version": row.version,
        "enabled": row.enabled,
        "online": online,
        "rating": cast(shapes.RatingShape, ratings.numbers(rating)) if rating is not None else None,
        "api": f"/api/bots/{row.player.slug}/",
        "page": f"/bots/{row.player.slug}/",
    }


def tournament_line(row: Tournament) -> shapes.TournamentLine:
    return {
        "slug": row.slug,
        "name": row.name,
        "variant": row.variant,
        "type": row.format,
        "state": row.state,
        "created": timestamp(row.created),
        "starts": _time(row.starts),
        "started": _time(row.started),
        "finished": _time(row.finished),
        "api": f"/api/tournaments/{row.slug}/",
        "page": f"/t/{row.slug}/",
    }


def _seat(seat: Seat) -> shapes.SeatOfList:
    slug = linked(person_of(seat.player).slug) if seat.player else ""
    kind = cast(Kind, seat.kind)
    return {"name": seat.name, "player": slug or None, "kind": kind, "protocol": seat.protocol or None}


def _ruling(ruling: Ruling) -> RulingShape:
    said = {"verdict": ruling.verdict, "winner": ruling.winner, "reason": ruling.reason, "at": timestamp(ruling.at)}
    return cast(RulingShape, said)


def _time(moment: datetime | None) -> str | None:
    return timestamp(moment) if moment else None
