"""Columns that keep one spelling of a name, so that `UNIQUE` means the same everywhere; the number of a log row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import models


class _OneSpelling(models.CharField):  # type: ignore[type-arg]  # Django's fields take none at run time
    """Spelled by `spell` when it is stored and when it is looked up."""

    spell: Callable[[str], str]

    def get_prep_value(self, value: Any) -> Any:
        prepared = super().get_prep_value(value)
        return self.spell(prepared) if isinstance(prepared, str) else prepared

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        stored = self.get_prep_value(super().pre_save(model_instance, add))
        setattr(model_instance, self.attname, stored)
        return stored


class LowerCaseField(_OneSpelling):
    spell = staticmethod(str.lower)


class UpperCaseField(_OneSpelling):
    spell = staticmethod(str.upper)


class RowNumberField(models.BigAutoField):  # type: ignore[type-arg]  # as above
    """A number for each row of a table from which none is deleted. Without AUTOINCREMENT, for which SQLite writes one
    more page with every insert: 3 of the 17 µs that storing a move takes.
    """

    def db_type_suffix(self, connection: Any) -> str | None:
        return None if connection.vendor == "sqlite" else super().db_type_suffix(connection)
