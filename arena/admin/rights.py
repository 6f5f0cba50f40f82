"""The permissions of an account or a group as boxes to tick, a line for each table."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from django.forms import CheckboxSelectMultiple
from django.template.loader import render_to_string
from django.utils.text import capfirst

USUAL = ("view", "add", "change", "delete")


class TickedRights(CheckboxSelectMultiple):
    """For a field of permissions, whose rows come with their table."""

    template_name = "admin/rights.html"

    def optgroups(self, name: str, value: list[str], attrs: dict[str, Any] | None = None) -> list[Any]:
        """By table, in the order of `USUAL`; any other right comes last, in its own words."""
        groups: list[Any] = []
        choices: Any = self.choices
        number = 0
        for table, rights in groupby(choices, key=lambda choice: choice[0].instance.content_type):
            options = []
            for right, _ in sorted(rights, key=lambda choice: _place(choice[0].instance.codename)):
                ticked = str(right) in value
                options.append(self.create_option(name, right, _words(right.instance), ticked, number, attrs=attrs))
                number += 1
            groups.append((capfirst(table.name), options, len(groups)))
        return groups

    def _render(self, template_name: str, context: dict[str, Any], renderer: Any = None) -> str:
        """Uses the template engine of the pages: that of Django's forms knows none of our templates."""
        return render_to_string(template_name, context)


def _place(codename: str) -> int:
    kind = codename.partition("_")[0]
    return USUAL.index(kind) if kind in USUAL else len(USUAL)


def _words(permission: Any) -> str:
    kind, _, table = permission.codename.partition("_")
    usual = kind in USUAL and table == permission.content_type.model
    return kind if usual else str(permission.name)
