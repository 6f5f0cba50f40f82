"""Entering players into an event from the administration, and the order of its entries."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from django import forms
from django.db import transaction

from arena.admin.acting import reason_field, told_by_host
from arena.models import Entry, Tournament
from arena.tournaments import actions
from arena.tournaments.sheet import Sheet
from arena.tournaments.spec import MOST_ENTRIES
from arena.tournaments.taking import asked, conditions_of, files_of
from arena.web.present import present
from arena.web.tournaments import entrants
from arena.web.tournaments.rights import callable_by

NOBODY = "Nobody is ticked: tick the players to enter. Nothing was done."


class Entering(forms.Form):
    """`found` are the players that can be ticked, by value; `named` finds one that is not listed, by its whole name."""

    found: dict[str, entrants.EntrantChoice]
    named: ClassVar[Callable[[Any, str], entrants.EntrantChoice | None]]
    who: forms.MultipleChoiceField

    def clean_who(self) -> list[entrants.EntrantChoice]:
        return [self.found[value] for value in self.cleaned_data["who"]]

    def clean(self) -> dict[str, Any]:
        said = super().clean() or self.cleaned_data
        names = dict.fromkeys(filter(None, map(str.strip, said.get("others", "").splitlines())))
        others = {name: self.named(name) for name in names}
        if unknown := [name for name, choice in others.items() if choice is None]:
            words = "Received %(name)r, expected a bot of this game that does not take part. Nothing was done."
            self.add_error("others", forms.ValidationError(words, params={"name": unknown[0]}))
        chosen = list(dict.fromkeys([*said.get("who", ()), *filter(None, others.values())]))
        if not chosen and not self.errors:
            self.add_error("who", NOBODY)
        why = " ".join(said.get("reason", "").split())
        if said.get("excused") and not why and "reason" not in self.errors:
            self.add_error("reason", "Say why they may enter without meeting the conditions. Nothing was done.")
        return said | {"who": chosen, "reason": why}


def enter_form(sheet: Sheet, target: Any, user: Any) -> type[forms.Form]:
    """The players who play its game, do not take part yet, and may be entered by this organiser. Raises Refusal."""
    taken = {entry.player_id for entry in sheet.entries.values() if entry.player_id}
    names = {entry.name.casefold() for entry in sheet.entries.values()}
    now = told_by_host(present)
    of = partial(entrants.choices, sheet.tournament.variant, callable_by(user.pk, True), now)

    def free(some: list[entrants.EntrantChoice]) -> dict[str, entrants.EntrantChoice]:
        return {each.value: each for each in some if each.player not in taken and each.name.casefold() not in names}

    def named(form: Any, name: str) -> entrants.EntrantChoice | None:
        some = free(of(find=name, builtin=False)).values()
        return next((each for each in some if each.name.casefold() == name.casefold()), None)

    every = of()
    found = free(every)
    who = forms.MultipleChoiceField(
        label="Players",
        required=False,
        choices=[(value, _in_words(each)) for value, each in found.items()],
        widget=forms.CheckboxSelectMultiple,
        help_text="People enter themselves on the page of the event.",
        error_messages={
            "invalid_choice": "Received the player %(value)s, expected one from the list. Nothing was done.",
        },
    )
    fields: dict[str, Any] = {"found": found, "named": named, "who": who}
    if entrants.to_find(every, "") is not None:
        fields["others"] = forms.CharField(
            label="Others, by name",
            required=False,
            widget=forms.Textarea(attrs={"rows": 3}),
            help_text=f"At most {MOST_ENTRIES} bots are listed. Write the names of others, one on each line.",
        )
    if asks := asked(conditions_of(sheet.tournament)):
        label = "Enter them although they do not meet the conditions"
        fields["excused"] = forms.BooleanField(label=label, required=False, help_text=" ".join(asks))
        fields["reason"] = reason_field(actions.LONGEST_REASON, required=False)
    return type("EnterForm", (Entering,), fields)


def _in_words(choice: entrants.EntrantChoice) -> str:
    now = choice.away or choice.what
    return f"{choice.name} ({now})" if now else choice.name


def enter(event: Tournament, target: Any, actor: str, reason: str, said: dict[str, Any]) -> None:
    """Enter all of them or nobody. Raises Refusal."""
    chosen = [choice.spec() for choice in said["who"]]
    files = files_of(chosen)
    with transaction.atomic():
        for each in chosen:
            actions.enter(event, each, actor, reason if said.get("excused") else "", files)


class Seeding(forms.Form):
    """`entries` in their present order; in the filled-in form, `order` holds their numbers, the best first."""

    entries: list[Entry]

    def clean(self) -> dict[str, Any]:
        said = super().clean() or self.cleaned_data
        seeds = {entry.pk: said[f"seed_{entry.pk}"] for entry in self.entries if f"seed_{entry.pk}" in said}
        if len(set(seeds.values())) < len(seeds):
            raise forms.ValidationError("Two players have the same seed: give each a number of its own.")
        return said | {"order": sorted(seeds, key=seeds.__getitem__)}


def seeds_form(sheet: Sheet, target: Any, user: Any) -> type[forms.Form]:
    entries = sorted(sheet.entries.values(), key=lambda entry: entry.seed)
    fields = {
        f"seed_{each.pk}": forms.IntegerField(label=each.name, min_value=1, max_value=9999, initial=each.seed)
        for each in entries
    }
    return type("SeedsForm", (Seeding,), {"entries": entries, **fields})


def seed(event: Tournament, target: Any, actor: str, reason: str, said: dict[str, Any]) -> None:
    """Seed the entries. Raises Refusal if entries have come or gone since."""
    actions.seed(event, said["order"], actor)
