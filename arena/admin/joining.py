"""Staff declare that a guest was a person with an account, and take it back (docs/decisions.md says what follows)."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db import IntegrityError, transaction
from django.http import HttpRequest

from arena.admin.acting import Action, Reasoned
from arena.match.commands import Refusal
from arena.models import Entry, JoinedGuest, Player, Seat, Tournament
from arena.web.joined import called, numbers_of
from arena.web.match import staff


def why_not(guest: Player) -> str:
    """Why this player can be joined with nobody now, in words; "" if they can."""
    if guest.kind != Player.Kind.GUEST:
        return "It is not a guest: only guests can be joined with an account."
    if hasattr(guest, "joined"):
        return f"It is already joined with {guest.joined.person}."
    if Seat.objects.filter(player=guest, match__ended=None).exists():
        return "A match of theirs is not over: it must be finished, decided or aborted first."
    there = Entry.objects.filter(player=guest, withdrawn=None).exclude(tournament__state=Tournament.State.FINISHED)
    return "They take part in an unfinished event: withdraw them first." if there.exists() else ""


def why_not_with(guest: Player, person: Player) -> str:
    """Like `why_not`, for this person."""
    if wrong := why_not(guest):
        return wrong
    if person.kind != Player.Kind.PERSON or person.user_id is None:
        return f"{person} is not a person with an account."
    met = Seat.objects.filter(player=guest).values("match")
    if Seat.objects.filter(player__in=numbers_of(person.pk), match__in=met).exists():
        return f"{guest} and {person} played each other: they are two people, or one person played both sides."
    return ""


def matches_of(guest: Player) -> int:
    """How many matches they have played, all of which change hands."""
    return Seat.objects.filter(player=guest, match__started__isnull=False).values("match").distinct().count()


def join(guest: Player, person: Player) -> None:
    """Raises Refusal; then nothing was done."""
    if wrong := why_not_with(guest, person):
        raise Refusal("not_joined", f"{wrong} Nothing was done.")
    try:
        with transaction.atomic():
            JoinedGuest.objects.create(guest=guest, person=person)
    except IntegrityError:
        raise Refusal("not_joined", "It was joined with somebody else a moment ago. Nothing was done.") from None


def part(guest: Player) -> None:
    """Separate the guest again. Raises Refusal if that has been done already."""
    if not JoinedGuest.objects.filter(guest=guest).delete()[0]:
        raise Refusal("not_joined", "It is not joined with anybody. Nothing was done.")


# -- as staff actions --------------------------------------------------------------------------------------------------


class Joining(Reasoned):
    person = forms.CharField(label="Account", max_length=64, help_text="The name of the person, as on their profile.")
    field_order = ("person", "reason")

    def clean_person(self) -> Player:
        name = self.cleaned_data["person"]
        found = called(Player.slug_of(name))
        if found is None or found.kind != Player.Kind.PERSON:
            raise forms.ValidationError(f"Received {name!r}, expected the name of a person with an account.")
        return found


def _join_lists(guest: Player, form: Any) -> list[str]:
    """Raises Refusal."""
    person = form.cleaned_data["person"]
    if wrong := why_not_with(guest, person):
        raise Refusal("not_joined", f"{wrong} Nothing was done.")
    return [
        f"Matches that {guest} played: {matches_of(guest)}. On profiles, in the archive and in the API they are "
        f"those of {person}, who can also see the private ones.",
        f"The page of {guest} leads to that of {person}; a browser that still plays as {guest} begins as a new guest.",
        "No rating changes: guests play no rated matches. Points for puzzles, mutes and settings stay separate.",
        "Logs, records and exports still name the guest and verify as before. You can undo this.",
    ]


def _join(request: HttpRequest, guest: Player, said: dict[str, Any], stood: str) -> str:
    person, reason = said["person"], said["reason"]
    with transaction.atomic():
        join(guest, person)
        staff.record(request.user, "guest joined", guest, reason=reason, person=person.name)
        staff.record(request.user, "guest joined", person, reason=reason, guest=guest.name)
    return f"it is {person}."


def _part(request: HttpRequest, guest: Player, said: dict[str, Any], stood: str) -> str:
    person, reason = guest.joined.person, said["reason"]
    with transaction.atomic():
        part(guest)
        staff.record(request.user, "guest parted", guest, reason=reason, person=person.name)
        staff.record(request.user, "guest parted", person, reason=reason, guest=guest.name)
    return "it is a separate guest again."


def _may_join(user: Any) -> bool:
    return bool(user.has_perm("arena.change_player"))


JOINING_ACTIONS = (
    Action(
        *("join", "Join with an account", "Join with the account"),
        lambda guest: "Say which person this guest was; the changes are listed before they are made.",
        *(_join, Joining),
        one=True,
        may=_may_join,
        why_not=lambda user, player: why_not(player),
        lists=_join_lists,
    ),
    Action(
        *("part", "Undo the join", "Undo the join"),
        lambda guest: f"It is a separate guest again: its matches leave the profile of {guest.joined.person}.",
        _part,
        one=True,
        may=_may_join,
        why_not=lambda user, player: "" if hasattr(player, "joined") else "It is not joined with anybody.",
    ),
)
