"""Acts of staff on matches, from the match page and the admin: through the referee like any other, then in the match's
own log with the actor, and in the audit with reason and state before and after.
"""

from __future__ import annotations

import asyncio
from typing import Any
from weakref import WeakValueDictionary

from django.contrib.admin.models import CHANGE, LogEntry
from django.db import transaction
from django.db.models import Model

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.commands import Refusal
from arena.match.endings import counts
from arena.match.said import said
from arena.match.series import side_of
from arena.match.state import LogEvent
from arena.models import Audit, Match, Room
from arena.web.asked import reason_in
from arena.web.people.ratings import changes_of

# The possible decisions: a seat has won, a draw, or void.
CHOICES = ("0", "1", "draw", "void")
LONGEST_REASON = 500
# People who may not change matches in the admin may not do it here either.
PERMISSION = "arena.change_match"

# Held while a decision on a match is stored: whoever decides it meanwhile is told of that one.
_deciding: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()


def may_act(user: Any) -> bool:
    """Whether this account may act on matches of others. Reads the database."""
    return bool(user.is_active and user.is_staff and user.has_perm(PERMISSION))


def actor_of(user: Any) -> str:
    """The name that players read; columns of the log take 64 letters."""
    return str(user.get_username())[:64]


def reason_of(text: str) -> str:
    """A reason as it is stored. Raises Refusal without one."""
    if not (reason := reason_in(text, LONGEST_REASON)):
        raise Refusal("reason_required", "A reason is missing: both players will read it. Nothing was done.")
    return reason


# -- how a match stands ------------------------------------------------------------------------------------------------


def stands(live: LiveMatch) -> str:
    """The state that a decision is about: an ending or a ruling in between makes it void."""
    return f"ended {len(_rulings(live))}" if live.over else live.state.phase


def says(live: LiveMatch) -> str:
    """How the match stands, in words: `running, 12 moves`, `Ada won (resign), ruled a draw by root`."""
    state = live.state
    if not live.over:
        return f"{state.phase}, {state.position.ply} move{'' if state.position.ply == 1 else 's'}"
    rulings = _rulings(live)
    return _ending(live) + (f", ruled {_verdict(live, rulings[-1])} by {rulings[-1].actor}" if rulings else "")


async def snapshot(live: LiveMatch) -> dict[str, Any]:
    """The state of the match for the audit, including its effect on the ratings."""
    names = {seat.player: seat.name for seat in live.state.setup.seats}
    changes = await changes_of(live.id) if live.over and live.state.setup.rated else {}
    ratings = {names.get(player, str(player)): str(change) for player, change in changes.items()}
    return {"match": says(live), "seq": live.state.seq} | ({"ratings": ratings} if ratings else {})


def consequences(live: LiveMatch, changes: dict[int, Any]) -> str:
    """The effect of a decision on the ratings, in words. `changes` are those that the match has made."""
    if not live.state.setup.rated:
        return "This match is friendly: no rating changes."
    if not live.over:
        return "This match is rated: a win or a draw counts like any other, a void match changes no rating."
    names = {seat.player: seat.name for seat in live.state.setup.seats}
    now = ", ".join(f"{names.get(player, '?')} {change}" for player, change in changes.items())
    return (
        f"This match is rated ({now or 'ratings unchanged'}). What it changed is taken back, the decision is rated in "
        "its place, and all later rated matches of this ladder are recalculated. A void match changes no rating."
    )


def _rulings(live: LiveMatch) -> list[LogEvent]:
    return [event for event in live.events if event.kind == "ruled"]


def _ending(live: LiveMatch) -> str:
    state = live.state
    ended = str(state.termination)
    if not counts(ended):
        return f"ended without a result ({ended})"
    return f"drawn ({ended})" if state.winner is None else f"{state.setup.seats[state.winner].name} won ({ended})"


def _verdict(live: LiveMatch, ruled: LogEvent) -> str:
    won = ruled.data["winner"]
    words = {"draw": "a draw", "void": "void"}
    return words.get(ruled.data["verdict"]) or f"won by {live.state.setup.seats[won].name}"


# -- acts --------------------------------------------------------------------------------------------------------------


async def decide(host: Host, live: LiveMatch, choice: str, reason: str, actor: str, stood: str) -> None:
    """Decide a match as one of `CHOICES`: a running one ends like this, an ended one gets a ruling.

    `stood` is what `stands` returned when staff looked at it. If it raises Refusal, nothing was done.
    """
    if choice not in CHOICES:
        words = said(
            "Received {what}, expected {known}. Nothing was done.", what=repr(choice[:20]), known=", ".join(CHOICES)
        )
        raise Refusal("invalid_form", words)
    reason = reason_of(reason)
    async with _deciding.setdefault(live.id, asyncio.Lock()):
        now = await host.referee.load(live.id) or live
        if stood != stands(now):
            words = said(
                "This match has changed since you looked at it: {now}. Nothing was done; look again, then decide.",
                now=says(now),
            )
            raise Refusal("stale", words)
        await _decide(host, live, choice, reason, actor)


async def _decide(host: Host, live: LiveMatch, choice: str, reason: str, actor: str) -> None:
    winner = int(choice) if choice in ("0", "1") else None
    if live.over:
        verdict = choice if winner is None else "win"
        await host.referee.rule(live, verdict, winner, reason, actor)
        host.hub.changed(live)
    elif choice == "void":
        await host.referee.abort(live, "admin_abort", reason, actor=actor)
    else:
        await host.referee.adjudicate(live, winner, reason, actor)


async def kick(host: Host, live: LiveMatch, seat: int, reason: str, actor: str) -> None:
    """The seat's connection ends, and with it the match: the other seat wins. Raises Refusal."""
    reason, who = reason_of(reason), live.state.setup.seats[seat]
    room = host.lobby.room_of(live)
    occupant = room.sides[side_of(seat, live.state.setup.round)] if room is not None else None
    await host.referee.adjudicate(live, 1 - seat, f"{who.name} was disconnected: {reason}", actor)
    send_away = getattr(occupant, "send_away", None)
    if send_away is not None:
        send_away("kicked", f"A referee has disconnected this bot: {reason}.")


# -- the record --------------------------------------------------------------------------------------------------------


def record(user: Any, act: str, row: Model, **data: Any) -> None:
    """Record one act of an account on a row, in the audit and in the admin's history. `data`: reason, before, after."""
    if isinstance(row, Room):
        subject: object = row.recorded_as()
    else:
        subject = row.pk if isinstance(row, Match) else getattr(row, "player", row)
    why = f": {data['reason']}" if data.get("reason") else ""
    with transaction.atomic():
        Audit.objects.note(user, act, subject, **data)
        LogEntry.objects.log_actions(user.pk, [row], CHANGE, f"{act}{why}", single_object=True)
