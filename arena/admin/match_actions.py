"""Staff actions on matches. All but the last two go through the referee, like everybody's actions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, NamedTuple

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest

from arena.admin import log
from arena.admin.acting import Action, Reasoned, Unasked, in_host
from arena.core.hub import LiveMatch
from arena.core.log_statements import rebuild
from arena.host import Host
from arena.match.commands import Refusal
from arena.models import Event, Match
from arena.tournaments import actions as tournaments
from arena.web.match import staff
from arena.web.people.ratings import changes_of_all

# host, match, the filled-in form, the actor, the state of the match on the page
On = Callable[[Host, LiveMatch, dict[str, Any], str, str], Awaitable[None]]
NO_LOG = Refusal("not_found", "There is no log of this match.")


class Decision(Reasoned):
    choice = forms.ChoiceField(
        label="Counts as",
        choices=[("0", "won by Orange"), ("1", "won by Blue"), ("draw", "a draw")],
        widget=forms.RadioSelect,
    )
    field_order = ("choice", "reason")


async def load(host: Host, match: str) -> LiveMatch:
    """The match from memory or from its log. Raises Refusal."""
    live = await host.referee.load(match)
    if live is None:
        raise NO_LOG
    return live


class MatchSeen(NamedTuple):
    """A match and what it changed in the ratings, by the numbers of the players."""

    live: LiveMatch
    changes: dict[int, Any]


def _reads(rows: list[Match]) -> list[MatchSeen | Refusal]:
    """Matches from the host's memory, and the others from their logs, in three queries however many there are."""

    async def in_memory(host: Host) -> dict[str, LiveMatch]:
        return {row.pk: live for row in rows if (live := host.hub.get(row.pk)) is not None}

    try:
        running = in_host(in_memory)
    except Refusal as refusal:
        return [refusal for _ in rows]
    lives = log.lives_of([row for row in rows if row.pk not in running]) | running
    changes = changes_of_all([match for match, live in lives.items() if live.over])
    return [MatchSeen(lives[row.pk], changes.get(row.pk, {})) if row.pk in lives else NO_LOG for row in rows]


def _says(what: Callable[[LiveMatch, dict[int, Any]], str], seen: MatchSeen) -> str:
    """Its state, and what will happen to it: `running, 12 moves. It ends at once …`."""
    names = " against ".join(seat.name for seat in seen.live.state.setup.seats)
    return f"{names}: {staff.says(seen.live)}. {what(*seen)}"


def _stands(seen: MatchSeen) -> str:
    return staff.stands(seen.live)


def _do(name: str, on: On, request: HttpRequest, row: Match, said: dict[str, Any], stood: str) -> str:
    actor = staff.actor_of(request.user)

    async def done(host: Host) -> tuple[dict[str, Any], dict[str, Any], str]:
        live = await load(host, row.pk)
        before = await staff.snapshot(live)
        await on(host, live, said, actor, stood)
        return before, await staff.snapshot(live), staff.says(live)

    before, after, words = in_host(done)
    staff.record(request.user, name, row, reason=said["reason"], before=before, after=after)
    return f"now {words}."


def _act(
    name: str, title: str, button: str, what: Callable[[LiveMatch, dict[int, Any]], str], on: On, **more: Any
) -> Action:
    does = partial(_do, name, on)
    return Action(name, title, button, partial(_says, what), does, stands=_stands, reads=_reads, **more)


# -- through the referee -----------------------------------------------------------------------------------------------


async def _pause(host: Host, live: LiveMatch, said: dict[str, Any], actor: str, stood: str) -> None:
    await host.referee.pause(live, staff.reason_of(said["reason"]), actor)


async def _resume(host: Host, live: LiveMatch, said: dict[str, Any], actor: str, stood: str) -> None:
    await host.referee.resume(live, actor)


async def _abort(host: Host, live: LiveMatch, said: dict[str, Any], actor: str, stood: str) -> None:
    await host.referee.abort(live, "admin_abort", staff.reason_of(said["reason"]), actor=actor)


async def _decide(host: Host, live: LiveMatch, said: dict[str, Any], actor: str, stood: str) -> None:
    await staff.decide(host, live, said.get("choice", "void"), said["reason"], actor, stood)


async def _kick(seat: int, host: Host, live: LiveMatch, said: dict[str, Any], actor: str, stood: str) -> None:
    await staff.kick(host, live, seat, said["reason"], actor)


def _deciding(live: LiveMatch, changes: dict[int, Any]) -> str:
    how = "Its ending stays on record, and a ruling is added." if live.over else "It ends at once."
    return f"{how} {staff.consequences(live, changes)}"


def _stopping(live: LiveMatch, changes: dict[int, Any]) -> str:
    series = " Its series ends with it." if live.state.setup.rounds > 1 else ""
    return f"It ends at once and counts for nobody.{series}"


def _kicking(seat: int, live: LiveMatch, changes: dict[int, Any]) -> str:
    names = [each.name for each in live.state.setup.seats]
    return f"{names[seat]} is disconnected and loses, {names[1 - seat]} wins. {staff.consequences(live, changes)}"


def _unless_over(user: Any, row: Match) -> str:
    return "It is over: decide it, or declare it void." if row.ended is not None else ""


def _unless_in(wanted: str, user: Any, row: Match) -> str:
    """Why it cannot be done in any phase but this one."""
    return "" if (phase := _phase(row)) == wanted else f"It is not {wanted} but {phase}."


def _phase(row: Match) -> str:
    """Its phase according to the log: the row does not say whether it is paused."""
    if row.ended is not None:
        return "over"
    known = getattr(row, "clocks", None)
    last = last_clocks(Event.objects.filter(match=row)).first() if known is None else known
    return {Event.Kind.PAUSED.value: "paused", "": "opened"}.get(last or "", "running")


def last_clocks(events: QuerySet[Event]) -> QuerySet[Event, str]:
    """The events that made clocks run or stand, the latest first."""
    clocks = events.filter(kind__in=(Event.Kind.STARTED, Event.Kind.PAUSED, Event.Kind.RESUMED))
    return clocks.order_by("-seq").values_list("kind", flat=True)


# -- beside the referee ------------------------------------------------------------------------------------------------


def _why_no_rerun(user: Any, row: Match) -> str:
    if row.pairing_id is None:
        return "It was not played for a tournament."
    return "It is not over." if row.ended is None else ""


def _rerun_says(row: Match) -> str:
    return f"{row.pairing} is played once more. This match stays on record and no longer counts in any table."


def _rerun(request: HttpRequest, row: Match, said: dict[str, Any], stood: str) -> str:
    assert row.pairing is not None, "it is offered for no other match"
    before = {"pairing": str(row.pairing), "state": row.pairing.state}
    again = tournaments.rerun(row.pairing, staff.reason_of(said["reason"]), staff.actor_of(request.user))
    after = {"pairing": str(again), "state": again.state, "attempt": again.attempt}
    staff.record(request.user, "re-run", row, reason=said["reason"], before=before, after=after)
    return f"{again} will be played again."


def _rebuild(request: HttpRequest, row: Match, said: dict[str, Any], stood: str) -> str:
    differed = rebuild(row.pk)
    staff.record(request.user, "rebuild", row, reason=said["reason"], before=differed, after={})
    return f"{', '.join(sorted(differed))} differed and now match the log." if differed else "nothing differed."


def _kicks(seat: int, title: str) -> Action:
    says, do = partial(_kicking, seat), partial(_kick, seat)
    return _act(f"kick{seat}", title, "Disconnect", says, do, why_not=_unless_over)


MATCH_ACTIONS = (
    _act(
        *("pause", "Pause", "Pause"),
        lambda live, changes: "Clocks stop until it continues; the current turn then starts over.",
        _pause,
        why_not=partial(_unless_in, "running"),
    ),
    _act(
        *("resume", "Continue", "Continue", lambda live, changes: "Clocks run again.", _resume),
        form=Unasked,
        why_not=partial(_unless_in, "paused"),
    ),
    _act("abort", "Abort", "Abort", _stopping, _abort, why_not=_unless_over),
    _act("decide", "Decide", "Decide", _deciding, _decide, form=Decision),
    _act("void", "Declare void and re-rate", "Declare void", _deciding, _decide),
    _kicks(0, "Disconnect Orange"),
    _kicks(1, "Disconnect Blue"),
    Action(
        *("rerun", "Play again in its tournament", "Play again", _rerun_says, _rerun),
        why_not=_why_no_rerun,
    ),
    Action(
        *("rebuild", "Rebuild from the log", "Rebuild"),
        lambda row: "Its row, seats and rulings are written again from its log. The log itself is not changed.",
        *(_rebuild, Unasked),
    ),
)
