"""What organisers do with a tournament, and what follows automatically. Each action is one transaction: done completely
or not at all.

The rows are the truth: every act checks them under a lock on the tournament's row, so two who act at once act one after
the other, and the second hears what the first one did.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from arena.match.commands import Refusal
from arena.match.endings import Termination
from arena.match.said import said
from arena.models import Entry, Pairing, Tournament
from arena.tournaments.by_hand import settings_of
from arena.tournaments.naming import free_slug, named
from arena.tournaments.rounds import late_slots, next_slots
from arena.tournaments.sheet import PairingLine, PairingMatch, Sheet, sheet_of
from arena.tournaments.spec import EntrySpec, TournamentSpec
from arena.tournaments.taking import files_of, must_agree, must_meet, must_take
from arena.tournaments.transactions import add, forfeit, forfeit_of_gone, lock, locked, touch, update
from arena.tournaments.words import sentences, state_words
from arena.work import rows as work
from arena.work.webhooks import rows as messages

State = Tournament.State
MOST_FAULTS = 3
# The most letters of a reason that an organiser gives.
LONGEST_REASON = 200
AWARDED_AS = {"draw": Pairing.State.DRAWN, "drop": Pairing.State.DROPPED}
# In the settings of a tournament: it begins as soon as everyone is here.
WHEN_HERE = "when_here"
# It shows how an event works: its matches are in no list, and it is deleted with one click.
SAMPLE = "sample"
# Somebody who is not staff asked for it to be rated.
ASKS_RATING = "asks_rating"


def create(
    spec: TournamentSpec, organiser: Any = None, starts: datetime | None = None, state: str = State.DRAFT
) -> Tournament:
    """A tournament with its entries, not begun. Raises Refusal with everything that is wrong with `spec`.

    It may have no entries yet: players can enter until it starts.
    """
    few = len(spec.entries) < 2
    problems = [problem for problem in spec.problems() if not (few and problem.key == "entries")]
    if problems:
        raise Refusal("wrong_spec", sentences(problems))
    caller = str(organiser.get_username())[:64] if organiser is not None else ""
    settings = spec.to_settings() | settings_of(spec.entries)
    settings["seed"] = secrets.randbits(53) if spec.seed is None else spec.seed
    files = files_of(spec.entries)
    with transaction.atomic():
        tournament = named(
            spec.name,
            variant=spec.variant,
            format=spec.format,
            settings=settings,
            organiser=organiser,
            starts=starts,
            state=state,
        )
        must_meet(tournament, spec.entries, files)
        for seed, entry in enumerate(spec.entries, 1):
            _add_entry(tournament, seed, entry, caller)
    return tournament


def ask_to_rate(tournament: Tournament) -> None:
    """The organiser asks for it to be rated: it stays friendly until staff allow it."""
    settings = {**tournament.settings, ASKS_RATING: True}
    Tournament.objects.filter(pk=tournament.pk).update(settings=settings)
    tournament.settings = settings


def allow_rating(tournament: Tournament, actor: str = "", reason: str = "") -> None:
    """From now on its matches count for ratings; those that have begun stay friendly."""
    with locked(tournament, actor, "allow rating", reason=reason) as sheet:
        if sheet.tournament.state == State.FINISHED or not sheet.tournament.settings.get(ASKS_RATING):
            why = said("Nobody has asked for {event} to be rated. Nothing was done.", event=tournament.name)
            raise Refusal("not_asked", why)
        update(sheet, settings={**sheet.tournament.settings, "rated": True, ASKS_RATING: False})


def start(tournament: Tournament, actor: str = "", reason: str = "") -> None:
    """Pair the first round and let it be played. If two people start it at once, the second hears that it has begun."""
    with locked(tournament, actor, "start", reason=reason) as sheet:
        if sheet.tournament.state not in (State.DRAFT, State.WAITING):
            raise _already(sheet, "already_started")
        must_agree(sheet)
        add(sheet, next_slots(sheet).slots)
        update(sheet, state=State.RUNNING, started=timezone.now(), why="")
        messages.tell_of_tournament(messages.BEGUN, sheet.tournament)


def start_when_here(tournament: Tournament, actor: str = "", reason: str = "") -> None:
    """Wait for the entered players: it begins by itself as soon as all of them are here."""
    with locked(tournament, actor, "start when all are here", reason=reason) as sheet:
        if sheet.tournament.state not in (State.DRAFT, State.WAITING):
            raise _already(sheet, "already_started")
        must_agree(sheet)
        update(sheet, state=State.WAITING, settings={**sheet.tournament.settings, WHEN_HERE: True}, why="")


def open_for_entries(tournament: Tournament, actor: str = "", reason: str = "") -> None:
    """Open a draft, so that players may enter."""
    with locked(tournament, actor, "open", reason=reason) as sheet:
        if sheet.tournament.state != State.DRAFT:
            raise _already(sheet, "already_open")
        update(sheet, state=State.WAITING)


def pause(tournament: Tournament, actor: str = "", reason: str = "", *, at_once: bool = False) -> None:
    """Running matches are played to their end, and no others begin. `at_once`: matches that are being played away from
    the host are dropped, and played again after the pause.
    """
    with transaction.atomic():
        if at_once:
            work.open_of(tournament.pk)  # locked before the event, as by answers that are being stored
        with locked(tournament, actor, "pause at once" if at_once else "pause", reason=reason) as sheet:
            _must_be(sheet, State.RUNNING)
            update(sheet, state=State.PAUSED)
            if at_once:
                work.withdraw(work.open_of(tournament.pk))


def resume(tournament: Tournament, actor: str = "", reason: str = "") -> None:
    with locked(tournament, actor, "resume", reason=reason) as sheet:
        _must_be(sheet, State.PAUSED)
        update(sheet, state=State.RUNNING, why="")


def enter(
    tournament: Tournament, entry: EntrySpec, actor: str = "", excused: str = "", files: Mapping[int, str] | None = None
) -> Entry:
    """Add an entry. After the start of an all-play-all event it meets everyone who is left, in further rounds.

    `excused` is why it may enter without meeting the conditions. Whoever calls it in a transaction has read the `files`
    before that (`taking.files_of`).
    """
    files = files_of([entry]) if files is None else files
    with locked(tournament, actor, "enter", entry=entry.name, reason=excused) as sheet:
        must_take(sheet, entry, files, excused=bool(excused))
        last = max((other.seed for other in sheet.entries.values()), default=0)
        row = _add_entry(sheet.tournament, last + 1, entry, actor, sheet.round)
        if sheet.lines and sheet.tournament.format in ("round-robin", "gauntlet"):
            sheet.entries[row.pk] = row
            add(sheet, late_slots(sheet, row.pk))
    return row


def seed(tournament: Tournament, order: Sequence[int], actor: str = "") -> None:
    """Seed the entries in this order of their numbers, the best first. Only before the start."""
    names = dict(Entry.objects.filter(pk__in=order).values_list("pk", "name"))
    told = ", ".join(f"{number} {names.get(pk, '?')}" for number, pk in enumerate(order, 1))
    with locked(tournament, actor, "seeds", order=told) as sheet:
        if sheet.lines:
            raise Refusal("already_started", said("{event} has begun: its seeds cannot change.", event=tournament.name))
        if sorted(order) != sorted(sheet.entries):
            raise Refusal("other_entries", "The list has changed in the meantime. Check it again.")
        last = max((entry.seed for entry in sheet.entries.values()), default=0)
        for offset in (last, 0):  # no two may have the same seed at any moment
            for number, pk in enumerate(order, 1):
                Entry.objects.filter(pk=pk).update(seed=offset + number)


def agree(entry: Entry) -> None:
    """The person agrees to play in an event with bots."""
    Entry.objects.filter(pk=entry.pk).update(agrees=True)
    Tournament.objects.filter(pk=entry.tournament_id).update(version=F("version") + 1)


def call_missing(tournament: Tournament, actor: str = "", reason: str = "") -> None:
    """Forget the calls so far: missing players are called again, at once."""
    with locked(tournament, actor, "call missing", reason=reason) as sheet:
        Entry.objects.filter(tournament=sheet.tournament, absent=None).update(calls=0)
        Pairing.objects.filter(pk__in=[line.pk for line in sheet.lines if line.status == "waiting"]).update(calls=0)


def rerun(pairing: Pairing, reason: str, actor: str = "") -> Pairing:
    """Play a pairing once more. The old one stays on record with its matches, but no longer counts."""
    _must_say_why(reason)
    with locked(pairing.tournament, actor, "re-run", pairing=_place(pairing), reason=reason) as sheet:
        if sheet.tournament.deleted is not None:
            raise Refusal("not_there", f"{sheet.tournament} was deleted: none of its matches is played again.")
        line = next((line for line in sheet.lines if line.pk == pairing.pk), None)
        if line is None or line.b is None:
            why = said(
                "{pairing} cannot be played again: it was a bye, or it was replaced already.", pairing=str(pairing)
            )
            raise Refusal("not_there", why)
        if line.status in ("waiting", "running"):
            raise Refusal("not_over", said("{pairing} has not been played yet.", pairing=str(pairing)))
        _must_be_there(sheet, {line.a, line.b})
        if line.round < sheet.round and sheet.tournament.format in ("swiss", "knockout"):
            why = said(
                "Round {n} is over and the next one was paired from its results: decide the match.", n=line.round
            )
            raise Refusal("too_late", why)
        again = _replace(line, reason)
        if sheet.tournament.state == State.FINISHED:
            update(sheet, state=State.RUNNING, finished=None, published=None, why="")
    return again


def rerun_undecided(tournament: Tournament, reason: str, actor: str = "") -> None:
    """Play once more all pairings that wait for the organiser's decision."""
    _must_say_why(reason)
    with locked(tournament, actor, "re-run undecided", reason=reason) as sheet:
        for line in undecided(sheet):
            _replace(line, reason)


def undecided(sheet: Sheet) -> list[PairingLine]:
    """The pairings that wait for the organiser's decision and whose players are there."""
    return [line for line in sheet.lines if line.status == "handed" and not sheet.gone & {line.a, line.b}]


def _replace(line: PairingLine, reason: str) -> Pairing:
    old = Pairing.objects.get(pk=line.pk)
    old.state, old.forfeited_by, old.by_absence, old.reason = Pairing.State.REPLACED, "", False, reason[:200]
    old.save(update_fields=["state", "forfeited_by", "by_absence", "reason"])
    again = {"round": line.round, "number": line.number, "leg": line.leg, "attempt": line.attempt + 1}
    return Pairing.objects.create(
        tournament_id=old.tournament_id, a_id=line.a, b_id=line.b, opening=line.opening, **again
    )


def award(pairing: Pairing, to: str, reason: str, actor: str = "") -> None:
    """Decide a pairing that nobody has played: `a` or `b` has won, `draw`, `both` have lost, or `drop`: no match."""
    _must_say_why(reason)
    with locked(
        pairing.tournament, actor, "award", pairing=_place(pairing), to=_awarded(pairing, to), reason=reason
    ) as sheet:
        line = next((line for line in sheet.lines if line.pk == pairing.pk), None)
        if line is None or line.status not in ("handed", "waiting"):
            raise Refusal(
                "not_open", said("{pairing} has a result, is being played or was replaced.", pairing=str(pairing))
            )
        losers: dict[str, set[int | None]] = {"a": {line.b}, "b": {line.a}, "both": {line.a, line.b}}
        if to in AWARDED_AS:
            if to == "drop" and sheet.is_knockout:
                raise Refusal(
                    "wrong_award", "A knockout needs to know who goes through: let one of them win, or both lose."
                )
            Pairing.objects.filter(pk=line.pk).update(state=AWARDED_AS[to], reason=reason[:200])
        elif to in losers:
            _must_be_there(sheet, {line.a, line.b} - losers[to])
            forfeit(line.pk, sheet, losers[to], reason)
        else:
            raise Refusal("wrong_award", said("{what}: expected a, b, draw, both or drop.", what=repr(to)))


def delete(tournament: Tournament, actor: str = "", reason: str = "") -> None:
    """Delete a tournament that has not begun, or a sample, whose running matches are played to their end unseen."""
    with locked(tournament, actor, "delete", reason=reason) as sheet:
        if sheet.lines and sheet.tournament.settings.get(SAMPLE):
            now = timezone.now()
            update(sheet, state=State.FINISHED, finished=now, deleted=now, slug=free_slug(f"deleted {tournament.pk}"))
            return
        if sheet.lines:
            raise Refusal(
                "already_started", said("{event} has begun: its matches stay on record.", event=sheet.tournament)
            )
        sheet.tournament.delete()


def may_be_published(tournament: Tournament) -> bool:
    return tournament.state == State.FINISHED and tournament.published is None


def publish(tournament: Tournament, actor: str = "", reason: str = "") -> None:
    """Declare the table final. Playing one of the pairings again takes that back."""
    with locked(tournament, actor, "publish", reason=reason) as sheet:
        _must_be(sheet, State.FINISHED)
        if sheet.tournament.published is not None:
            why = said("The table of {event} is final already. Nothing was done.", event=tournament.name)
            raise Refusal("already_published", why)
        update(sheet, published=timezone.now())
        messages.tell_of_tournament(messages.FINAL, sheet.tournament)


# -- what the director reports -----------------------------------------------------------------------------------------


def go_on(tournament: Tournament) -> Sheet:
    """Pair the next round if the last one is over, finish, or pause if it cannot be paired. Returns how it stands."""
    with transaction.atomic():
        sheet = lock(tournament)
        if _hand_over_stopped(sheet):
            touch(tournament.pk)
            sheet = sheet_of(sheet.tournament)
        if sheet.tournament.state != State.RUNNING:
            return sheet
        if forfeit_of_gone(sheet):
            touch(tournament.pk)
            sheet = sheet_of(sheet.tournament)
        more = next_slots(sheet)
        if not (more.slots or more.finished or more.why):
            return sheet
        if more.finished or more.why:
            ended = {"state": State.FINISHED, "finished": timezone.now()} if more.finished else {"state": State.PAUSED}
            update(sheet, why=more.why[:200], **ended)
        add(sheet, more.slots)
        touch(tournament.pk)  # a page that was read between the last result and this shows the next round or the end
        return sheet_of(Tournament.objects.get(pk=tournament.pk))


def count_fault(pairing: int, *, hand_over: bool) -> None:
    """Count a match that ended without a result while the server stayed up; after the third the organiser decides."""
    with transaction.atomic():
        Tournament.every.select_for_update(of=("self",)).get(pairings=pairing)  # before its pairings, as by every act
        row = Pairing.objects.get(pk=pairing)
        if hand_over and row.state == Pairing.State.HANDED:
            return
        row.faults += 1
        if row.state == Pairing.State.OPEN and (hand_over or row.faults >= MOST_FAULTS):
            row.state = Pairing.State.HANDED
        row.save(update_fields=["faults", "state"])
        touch(row.tournament_id)


def _hand_over_stopped(sheet: Sheet) -> bool:
    """Whether staff have stopped matches of open pairings: the organiser decides these. The rows say so, whatever
    became of the process that played them.
    """
    stopped = [line.pk for line in sheet.lines if line.status == "waiting" and _is_stopped(line.match)]
    handed = {"state": Pairing.State.HANDED, "faults": F("faults") + 1}
    return bool(stopped) and bool(Pairing.objects.filter(pk__in=stopped).update(**handed))


def _is_stopped(match: PairingMatch | None) -> bool:
    return match is not None and match.termination == Termination.ADMIN_ABORT


# -- rows -------------------------------------------------------------------------------------------------------------


def _add_entry(tournament: Tournament, seed: int, entry: EntrySpec, caller: str, late: int = 0) -> Entry:
    return Entry.objects.create(
        tournament=tournament,
        seed=seed,
        name=entry.name,
        kind=entry.kind,
        player_id=entry.player,
        level=entry.level,
        protocol=entry.protocol,
        command=list(entry.command) or None,
        cwd=entry.cwd,
        agrees=entry.agrees,
        called_by=caller[:64],
        late=late,
    )


# -- what must hold ----------------------------------------------------------------------------------------------------


def _must_be(sheet: Sheet, state: str) -> None:
    if sheet.tournament.state != state:
        facts = {"event": sheet.tournament.name, "state": state_words(sheet.tournament.state)}
        raise Refusal(f"not_{state}", said("{event} is {state}, not {wanted}.", wanted=state_words(state), **facts))


def _already(sheet: Sheet, code: str) -> Refusal:
    facts = {"event": sheet.tournament.name, "state": state_words(sheet.tournament.state)}
    return Refusal(code, said("{event} is {state} already.", **facts))


def _place(pairing: Pairing) -> str:
    """`p1 - p2 (1.2.1)`, as `manage.py tournament award` takes it."""
    return f"{pairing} ({pairing.round}.{pairing.number}.{pairing.leg})"


def _awarded(pairing: Pairing, to: str) -> str:
    """Who is awarded the pairing, in the words of the audit."""
    nobody = {"both": "nobody, both have lost", "drop": "nobody, it is dropped"}
    return {"a": str(pairing.a), "b": str(pairing.b), **nobody}.get(to, to)


def _must_say_why(reason: str) -> None:
    if not reason.strip():
        raise Refusal("reason_required", "A decision needs a reason: everyone will read it.")


def _must_be_there(sheet: Sheet, entries: Set[int | None]) -> None:
    """Refuse what an entry that has left cannot do: play, or win."""
    if gone := sheet.gone & entries:
        names = " and ".join(sheet.names[pk] for pk in gone)
        why = said("{names} is no longer there: take back the withdrawal or the forfeits first.", names=names)
        raise Refusal("gone", why)
