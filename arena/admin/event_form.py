"""The settings of an event as a form of the administration, for a new event or an existing one."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from typing import Any

from django import forms
from django.utils import timezone

import games
from arena.tournaments.editing import ALWAYS, spec_of
from arena.tournaments.sheet import Sheet
from arena.tournaments.spec import MOST_RATING, Conditions, TournamentSpec
from arena.tournaments.taking import unmet_in
from arena.tournaments.tiebreaks import TIE_BREAKS
from arena.tournaments.words import FORMATS, in_a_sentence
from arena.web.tournaments.form import PACES, PLACES, labels
from arena.work.state import classes

Choices = list[tuple[str, str]]

NUMBERS = ("legs", "rounds", "pace_ms", "concurrency", "opening_plies", "adjudicate")
SWITCHES = ("rated", "offers", "third_place")
BREAKS = tuple(f"{place.lower()}_tie_break" for place in PLACES)
_NEW = TournamentSpec("", games.variants()[0].slug, "round-robin", (), concurrency=2)


def _rating(label: str, help_text: str = "") -> forms.IntegerField:
    """A bound; empty for none."""
    bounds: Any = {"min_value": 0, "max_value": MOST_RATING}
    return forms.IntegerField(label=label, required=False, help_text=help_text, **bounds)


class EventForm(forms.Form):
    """`sheet` is the event that has these settings, None for a new one. `spec` is what the form asks for."""

    name = forms.CharField(max_length=64, required=False, help_text="Leave empty to name it after its game and kind.")
    variant = forms.ChoiceField(label="Game")
    format = forms.ChoiceField(label="Kind")
    legs = forms.ChoiceField(label="Matches per pairing")
    rounds = forms.ChoiceField(label="Rounds of a Swiss event")
    clock = forms.ChoiceField()
    pace_ms = forms.ChoiceField(label="Speed")
    concurrency = forms.ChoiceField(label="Matches at a time")
    opening_plies = forms.ChoiceField(label="Openings")
    adjudicate = forms.ChoiceField(label="End a match whose result is proved and has held for")
    machines = forms.ChoiceField(
        label="Class of machines that play it",
        required=False,
        error_messages={"invalid_choice": "No machine of the class “%(value)s” is known. Choose one from the list."},
        help_text="Matches between programs wait until a machine of this class is free.",
    )
    starts = forms.DateTimeField(
        label="Starts at (UTC)", required=False, widget=forms.DateTimeInput(attrs={"type": "datetime-local"})
    )
    rated = forms.BooleanField(required=False, label="Matches change ratings")
    offers = forms.BooleanField(required=False, label="Takebacks and draw offers are allowed")
    third_place = forms.BooleanField(required=False, label="Knockout: play for third place")
    checked = forms.BooleanField(required=False, label="Only bots that have passed their check may enter")
    rating_from = _rating("Rating from")
    rating_to = _rating("Rating to", help_text="Of those who enter; a limit asks for a rating that is not provisional.")

    def __init__(self, data: Any = None, *, sheet: Sheet | None = None) -> None:
        self.sheet = sheet
        self.before = spec_of(sheet) if sheet else _NEW
        super().__init__(data, initial=_initial(self.before, sheet))
        for name, choices in _choices().items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField), "it is chosen from a list"
            field.choices = _with(choices, str(self.initial[name]))
        for n, name in enumerate(BREAKS):
            breaks: Choices = [("", "None"), *((each.slug, each.title) for each in TIE_BREAKS.values())]
            self.fields[name] = forms.ChoiceField(label=f"Tie-break {n + 1}", choices=breaks, required=False)
        self.order_fields(["name", "variant", "format", "legs", "rounds", *BREAKS])
        if sheet is not None and sheet.lines:
            for name in set(self.fields) - ALWAYS:
                self.fields[name].disabled = True
                self.fields[name].help_text = "Settled by the first pairing."

    @property
    def spec(self) -> TournamentSpec:
        """The spec as it was filled in. Anything without a field, such as the entries, is taken from the event."""
        said = self.cleaned_data
        values: dict[str, Any] = {name: int(said[name]) for name in NUMBERS} | {
            name: bool(said[name]) for name in SWITCHES
        }
        breaks = tuple(said[name] for name in BREAKS if said[name])
        values["rounds"] *= said["format"] == "swiss"
        return dataclasses.replace(
            self.before,
            name=" ".join(said["name"].split()) or _usual_name(said["variant"], said["format"]),
            tie_breaks=() if said["format"] == "knockout" else breaks,
            conditions=Conditions(said["checked"], said["rating_from"] or 0, said["rating_to"] or 0),
            settings=self.before.settings if self.before.variant == said["variant"] else {},
            **{name: said[name] for name in ("variant", "format", "clock", "machines")},
            **values,
        )

    def clean(self) -> dict[str, Any]:
        said = super().clean() or self.cleaned_data
        if self.errors:
            return said
        twice = [name for name in BREAKS if said[name] and [said[each] for each in BREAKS].count(said[name]) > 1]
        if twice:
            self.add_error(twice[1], f"{TIE_BREAKS[said[twice[1]]].title} is chosen twice: choose each tie-break once.")
            return said
        if "starts" in self.changed_data and said["starts"] and said["starts"] <= timezone.now():
            self.add_error("starts", f"{said['starts']:%Y-%m-%d %H:%M} UTC has passed: expected a time in the future.")
        for problem in self.spec.problems() if not self.errors else ():
            if problem.key != "entries":
                field = problem.key if problem.key in self.fields and problem.entry is None else None
                self.add_error(field, f"{problem.sentence[:1].upper()}{problem.sentence[1:]}.")
        return said if self.errors else said | {"spec": self.spec, "changed": "; ".join(self.changes())}

    def changes(self) -> list[str]:
        """The changes, a line each: `Speed: Full speed → Watchable, 0.7 s a move`."""
        lines = []
        for name in self.changed_data:
            before, after = self._words(name, self.initial.get(name)), self._words(name, self.cleaned_data[name])
            if before != after:
                lines.append(f"{self[name].label}: {before} → {after}")
        if self.sheet is not None and {*Conditions._fields} & {*self.changed_data}:
            lines += self._staying(self.sheet)
        return lines

    def _staying(self, sheet: Sheet) -> list[str]:
        """Who takes part without meeting the conditions, in a line."""
        names = ", ".join(sheet.names[pk] for pk in unmet_in(sheet, self.spec.conditions))
        return [f"These take part already and stay without meeting the conditions: {names}"] if names else []

    def everything(self) -> list[str]:
        """The settings of a new event, a line each."""
        spec = self.spec
        shown = [name for name in self.fields if name not in ("name", *BREAKS) or self.cleaned_data[name]]
        lines = [
            f"{self[name].label}: {self._words(name, self.cleaned_data[name])}" for name in shown if name != "name"
        ]
        return [f"Name: {spec.name}", *lines]

    def _words(self, name: str, value: Any) -> str:
        field = self.fields[name]
        if isinstance(field, forms.BooleanField):
            return "yes" if value else "no"
        if isinstance(value, datetime):
            return f"{value.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        if isinstance(field, forms.ChoiceField):
            return str(dict(field.choices).get(str(value or ""), value))  # type: ignore[arg-type]
        return str(value or "none")


def _usual_name(variant: str, format: str) -> str:
    return f"{games.variant(variant).title} {in_a_sentence(FORMATS[format])}"


def _initial(spec: TournamentSpec, sheet: Sheet | None) -> dict[str, Any]:
    values = {each.name: getattr(spec, each.name) for each in dataclasses.fields(spec)}
    values |= {name: str(values[name]) for name in NUMBERS}
    values |= dict(zip(BREAKS, spec.tie_breaks, strict=False))
    values |= {name: bound or None for name, bound in spec.conditions._asdict().items()}
    return values | {"starts": sheet.tournament.starts if sheet else None}


def _choices() -> dict[str, Choices]:
    listed = {name: list(words.items()) for name, words in labels(classes()).items() if name != "pace"}
    return listed | {
        "rounds": [("0", "As many as needed to find a winner"), *((str(n), str(n)) for n in range(1, 51))],
        "pace_ms": [(str(ms), words) for words, ms in PACES.values()],
    }


def _with(choices: Choices, value: str) -> Choices:
    """The choices with this value, which may come from a file and not be among them: it is kept."""
    return choices if value in dict(choices) else [*choices, (value, value)]
