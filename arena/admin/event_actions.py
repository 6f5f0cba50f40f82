"""Staff actions on an event: those of `arena.tournaments`, each with a page that asks for confirmation.

What cannot be done now is neither offered nor done. Staff who act are told what others have done to the event since.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from django import forms
from django.db import transaction

from arena.admin import entering
from arena.admin.acting import Reasoned, Unasked, reason_field
from arena.admin.event_form import EventForm
from arena.match.commands import Refusal
from arena.models import Audit, Entry, Pairing, Tournament
from arena.tournaments import actions, by_hand, leaving, setting_pairs
from arena.tournaments.actions import ASKS_RATING, LONGEST_REASON, may_be_published
from arena.tournaments.editing import edit
from arena.tournaments.sheet import PairingLine, Sheet
from arena.web.match.staff import actor_of
from arena.web.tournaments.rights import may_come_back

State = Tournament.State
MakeForm = Callable[..., forms.Form]


@dataclass(frozen=True, slots=True)
class EventAction:
    """`of`: its target, an event, entry or pairing. `may(sheet, target)`: whether it can be done now; `says` what will
    change; `do(tournament, target, actor, reason, said)` does it or raises Refusal. `form(sheet, target, user)` makes
    its form; with `lists(form)`, what that changes is shown first.
    """

    name: str
    button: str
    of: str
    may: Callable[[Sheet, Any], bool]
    says: Callable[[Sheet, Any], str]
    do: Callable[[Tournament, Any, str, str, dict[str, Any]], Any]
    needs_reason: bool = False
    form: Callable[[Sheet, Any, Any], MakeForm] | None = None
    lists: Callable[[Any], list[str]] | None = None

    @property
    def title(self) -> str:
        """The title, with an ellipsis if the page asks for more than a confirmation."""
        return f"{self.button} …" if self.needs_reason or self.form else self.button

    def form_for(self, sheet: Sheet, target: Any, user: Any) -> MakeForm:
        if self.form is not None:
            return self.form(sheet, target, user)
        return EventReason if self.needs_reason else Unasked


class EventReason(Reasoned):
    """A reason, at most as long as its column allows."""

    reason = reason_field(LONGEST_REASON)


def by_name(name: str) -> EventAction | None:
    return next((act for act in EVENT_ACTIONS if act.name == name), None)


def offered(sheet: Sheet, of: str, target: Any = None) -> list[EventAction]:
    """The actions that can be done now."""
    return [act for act in EVENT_ACTIONS if act.of == of and act.may(sheet, target)]


def target_of(act: EventAction, sheet: Sheet, text: str) -> Any:
    """The entry or pairing with this number, or the event itself for actions on it. Raises Refusal."""
    if act.of == "event":
        return None
    rows: list[Any] = list(sheet.entries.values()) if act.of == "entry" else [*sheet.lines, *sheet.replaced]
    for row in rows:
        if str(row.pk) == text:
            return row
    raise Refusal("not_there", f"Received the {act.of} {text[:20]!r}, expected one of this event. Nothing was done.")


def do(act: EventAction, sheet: Sheet, target: Any, user: Any, said: dict[str, Any]) -> None:
    """Carry out the action. If it raises Refusal, nothing was done."""
    if not act.may(sheet, target):
        raise Refusal("not_now", "this cannot be done now. Nothing was done.")
    if act.name in ("undo", "take-back") and not may_come_back(target, user.pk, True):
        raise Refusal(
            "not_yours", f"{target.name} is not open to your events: its owner can enter it. Nothing was done."
        )
    reason = said.get("reason", "")[:LONGEST_REASON]
    act.do(sheet.tournament, target, actor_of(user), reason, said)


def create(form: EventForm, user: Any) -> Tournament:
    """Create the requested event as a draft."""
    with transaction.atomic():
        event = actions.create(form.cleaned_data["spec"], user, form.cleaned_data["starts"])
        Audit.objects.note(user, "tournament create", event.slug)
    return event


# -- on the event ------------------------------------------------------------------------------------------------------


def _when(*states: str) -> Callable[[Sheet, Any], bool]:
    return lambda sheet, target: sheet.tournament.state in states


def _on_event(
    name: str, button: str, may: Callable[[Sheet, Any], bool], words: str, act: Callable[[Tournament, str, str], None]
) -> EventAction:
    return EventAction(
        *(name, button, "event", may, lambda sheet, target: words),
        lambda event, target, actor, reason, said: act(event, actor, reason),
    )


def _can_begin(sheet: Sheet, target: Any) -> bool:
    return sheet.tournament.state in (State.DRAFT, State.WAITING) and len(sheet.entries) >= 2


def _takes_more(sheet: Sheet, target: Any) -> bool:
    begun = bool(sheet.lines)
    return sheet.tournament.state != State.FINISHED and not (begun and sheet.tournament.format == "knockout")


def _asks_rating(sheet: Sheet, target: Any) -> bool:
    return bool(sheet.tournament.state != State.FINISHED and sheet.tournament.settings.get(ASKS_RATING))


def _rerun_undecided_says(sheet: Sheet, target: Any) -> str:
    count = len(actions.undecided(sheet))
    return "1 match is played once more." if count == 1 else f"{count} matches are played once more."


# -- on an entry -------------------------------------------------------------------------------------------------------


def _on_entry(
    name: str,
    button: str,
    may: Callable[[Sheet, Entry], bool],
    says: Callable[[Sheet, Entry], str],
    act: Callable[[Tournament, Entry, str, str], None],
) -> EventAction:
    return EventAction(
        *(name, button, "entry", may, says),
        lambda event, entry, actor, reason, said: act(event, entry, actor, reason),
        needs_reason=True,
    )


# -- on a pairing ------------------------------------------------------------------------------------------------------


def _can_be_replayed(sheet: Sheet, line: PairingLine) -> bool:
    late = line.round < sheet.round and sheet.tournament.format in ("swiss", "knockout")
    over = line.b is not None and line.status not in ("waiting", "running", "bye", "replaced")
    return over and not late and not sheet.gone & {line.a, line.b}


def _undecided(sheet: Sheet, line: PairingLine) -> bool:
    return line.status in ("handed", "waiting") and sheet.tournament.state != State.FINISHED


def _row(line: PairingLine) -> Pairing:
    return Pairing.objects.select_related("tournament", "a", "b").get(pk=line.pk)


def _can_set_pairs(sheet: Sheet, target: Any) -> bool:
    return sheet.tournament.format == "swiss" and not setting_pairs.why_none(sheet) and len(sheet.entries) >= 2


def _pairs_say(sheet: Sheet, target: Any) -> str:
    kept = (
        (by_hand.next_pairs(sheet), f"So far paired in round {sheet.round + 1}"),
        (by_hand.apart(sheet), "So far kept apart"),
    )
    told = [
        f"{what}: {', '.join(f'{sheet.names[a]} – {sheet.names[b]}' for a, b in pairs)}."
        for pairs, what in kept
        if pairs
    ]
    return " ".join(told) or "Nothing is set so far: the next round is paired as usual."


def _pairs_form(sheet: Sheet, target: Any, user: Any) -> MakeForm:
    there = [(entry.pk, entry.name) for entry in sheet.entries.values()]  # who has left may be in what is taken back
    choices = [("pair", f"Pair them in round {sheet.round + 1}"), ("apart", "Keep them apart")]
    choices += [("unpair", "Take back that they are paired"), ("together", "Take back that they are kept apart")]
    fields: dict[str, Any] = {
        "what": forms.ChoiceField(label="What", choices=choices, widget=forms.RadioSelect),
        "first": forms.TypedChoiceField(label="First player, who moves first", choices=there, coerce=int),
        "second": forms.TypedChoiceField(label="Second player", choices=there, coerce=int),
        "round": forms.IntegerField(widget=forms.HiddenInput, initial=sheet.round + 1),
    }
    return type("SetPairs", (EventReason,), {**fields, "field_order": (*fields, "reason")})


def _set_pairs(event: Tournament, target: Any, actor: str, reason: str, said: dict[str, Any]) -> None:
    first, second = (Entry.objects.get(pk=said[name]) for name in ("first", "second"))
    setting_pairs.change(event, said["what"], first, second, reason, actor, said["round"])


def _names(sheet: Sheet, line: PairingLine) -> tuple[str, str]:
    return sheet.names[line.a], sheet.names[line.b] if line.b is not None else "bye"


def _rerun_says(sheet: Sheet, line: PairingLine) -> str:
    return f"{' – '.join(_names(sheet, line))} is played once more. Earlier matches stay on record but no longer count."


def _award_says(sheet: Sheet, line: PairingLine) -> str:
    return f"{' – '.join(_names(sheet, line))} is decided without a match. It can still be played again later."


def _award_form(sheet: Sheet, line: PairingLine, user: Any) -> MakeForm:
    a, b = _names(sheet, line)
    choices = [("a", f"{a} wins"), ("b", f"{b} wins"), ("draw", "a draw"), ("both", "both lose")]
    if not sheet.is_knockout:
        choices.append(("drop", "nothing; it is not played"))
    to = forms.ChoiceField(label="Counts as", choices=choices, widget=forms.RadioSelect)
    return type("Award", (EventReason,), {"to": to, "field_order": ("to", "reason")})


EVENT_ACTIONS = (
    _on_event(
        *("open", "Open for entries", _when(State.DRAFT)),
        *("It is shown to everybody, and players may enter.", actions.open_for_entries),
    ),
    EventAction(
        *("enter", "Enter players", "event", _takes_more, lambda sheet, target: "They take part from now on."),
        *(entering.enter, False, entering.enter_form),
    ),
    EventAction(
        *("seed", "Change the seeds", "event"),
        lambda sheet, target: not sheet.lines and len(sheet.entries) >= 2,
        lambda sheet, target: "Pairings go by the seeds; 1 is the best.",
        *(entering.seed, False, entering.seeds_form),
    ),
    EventAction(
        *("edit", "Edit settings", "event"),
        lambda sheet, target: sheet.tournament.state != State.FINISHED,
        lambda sheet, target: "Your changes are listed before they are made.",
        lambda event, target, actor, reason, said: edit(
            event, said["spec"], said["starts"], actor, reason, said["changed"]
        ),
        form=lambda sheet, target, user: partial(EventForm, sheet=sheet),
        lists=EventForm.changes,
    ),
    EventAction(
        *("pairs", "Set pairings", "event", _can_set_pairs, _pairs_say, _set_pairs),
        needs_reason=True,
        form=_pairs_form,
    ),
    _on_event("start", "Start", _can_begin, "The first round is paired and played.", actions.start),
    _on_event(
        *("gather", "Start when everyone is here", _can_begin),
        *("It starts by itself as soon as every entered player is connected.", actions.start_when_here),
    ),
    _on_event(
        *("pause", "Pause", _when(State.RUNNING)),
        *("Running matches are played to their end, and no others begin.", actions.pause),
    ),
    _on_event("resume", "Resume", _when(State.PAUSED), "Matches begin again.", actions.resume),
    _on_event(
        *("call", "Call missing players", _when(State.RUNNING)),
        *(
            "Missing players are called again at once. The calls that they missed no longer count.",
            actions.call_missing,
        ),
    ),
    EventAction(
        *("rerun-undecided", "Re-run what could not be played", "event"),
        lambda sheet, target: bool(actions.undecided(sheet)),
        _rerun_undecided_says,
        lambda event, target, actor, reason, said: actions.rerun_undecided(event, reason, actor),
        needs_reason=True,
    ),
    _on_event(
        *("rate", "Let it change ratings", _asks_rating),
        *("Matches that begin from now on count for ratings.", actions.allow_rating),
    ),
    _on_event(
        *("publish", "Publish the table", lambda sheet, target: may_be_published(sheet.tournament)),
        *(
            "The table is final: its page says since when, and everybody who follows the event is told.",
            actions.publish,
        ),
    ),
    _on_event(
        *("delete", "Delete", lambda sheet, target: not sheet.lines),
        *("The event and its entries are removed. None of its matches was played.", actions.delete),
    ),
    _on_entry(
        *("withdraw", "Withdraw"),
        lambda sheet, entry: entry.withdrawn is None and sheet.tournament.state != State.FINISHED,
        *(leaving.withdrawal_says, leaving.withdraw),
    ),
    _on_entry(
        *("undo", "Undo withdrawal"),
        lambda sheet, entry: entry.withdrawn is not None and not leaving.why_it_stays(sheet, entry),
        lambda sheet, entry: f"{entry.name} replays the matches that it lost by withdrawing.",
        leaving.undo_withdrawal,
    ),
    _on_entry(
        *("take-back", "Take back forfeits"),
        lambda sheet, entry: leaving.may_be_taken_back(entry),
        lambda sheet, entry: f"{entry.name} replays the matches that it lost by not coming.",
        leaving.take_back,
    ),
    EventAction(
        *("rerun", "Re-run", "pairing", _can_be_replayed, _rerun_says),
        lambda event, line, actor, reason, said: actions.rerun(_row(line), reason, actor),
        needs_reason=True,
    ),
    EventAction(
        *("award", "Decide", "pairing", _undecided, _award_says),
        lambda event, line, actor, reason, said: actions.award(_row(line), said["to"], reason, actor),
        needs_reason=True,
        form=_award_form,
    ),
)
