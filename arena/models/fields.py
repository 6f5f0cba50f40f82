"""Columns that keep one spelling of a name, so that looking it up and `UNIQUE` mean the same in every database."""

from __future__ import annotations

from typing import Any

from django.db import models


class _OneSpelling(models.CharField):  # type: ignore[type-arg]  # Django's fields take none at run time
    """Spelled by `spell` when it is stored and when it is looked up."""

    def spell(self, text: str) -> str:
        raise NotImplementedError

    def get_prep_value(self, value: Any) -> Any:
        prepared = super().get_prep_value(value)
        return self.spell(prepared) if isinstance(prepared, str) else prepared

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        stored = self.get_prep_value(super().pre_save(model_instance, add))
        setattr(model_instance, self.attname, stored)
        return stored


class LowerCaseField(_OneSpelling):
    def spell(self, text: str) -> str:
        return text.lower()


class UpperCaseField(_OneSpelling):
    def spell(self, text: str) -> str:
        return text.upper()
