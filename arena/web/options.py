"""What a form lets people choose from, as templates/arena/fragments/options.html lists it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Option(NamedTuple):
    """One choice; `why` it cannot be chosen here, "" if it can."""

    value: str
    label: str
    why: str
    current: bool


def options(labels: Mapping[str, str], current: str) -> list[Option]:
    """A choice for each value, with its label."""
    return [Option(value, label, "", value == current) for value, label in labels.items()]
