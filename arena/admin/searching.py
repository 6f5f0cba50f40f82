"""Lists of the admin take the same time however long the table is.

A term is looked up whole in an index: a name, a number, a code. Only if that finds nothing are parts of names looked
for, in the newest rows. Filters list only the newest rows as well: hardly any of them has an index, and an index for
each would cost every match a write.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import IntegerField, Q, QuerySet
from django.forms import ModelMultipleChoiceField
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst

from arena.common.numbers import whole_number

LOOKED_THROUGH = 5_000
# Nobody turns twenty pages; counting a million rows costs more than everything else on the page.
MOST_COUNTED = 2000
# Parameters of a list that are not filters: Django's names for search, page, order, popup and errors.
NO_FILTERS = {"q", "p", "o", "all", "_popup", "_to_field", "e"}
# What the filters of a field, and of one that refers to other rows, ask of it.
FILTERS_ASK, RELATED_FILTERS_ASK = {"", "exact", "isnull", "gte", "lt"}, {"id__exact", "isnull"}


class AtLeast(int):
    """A number of rows that was not counted to the end."""

    def __str__(self) -> str:
        return f"more than {int(self):d}"


class BoundedPaginator(Paginator):  # type: ignore[type-arg]  # generic in its stubs only
    """Counts at most `MOST_COUNTED` rows; later ones are found by filters and search."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        some = rows.order_by().values("pk")[: MOST_COUNTED + 1]
        number: int = some.count()
        return number if number <= MOST_COUNTED else AtLeast(MOST_COUNTED)


class KnownRows(ModelMultipleChoiceField):  # type: ignore[type-arg]  # generic in its stubs only
    """A number that no column holds is none of the choices: Django asks the database for it, and SQLite raises."""

    def clean(self, value: Any) -> QuerySet[Any]:
        for key in value or ():
            if whole_number(str(key)) is None:
                raise ValidationError(self.error_messages["invalid_choice"], "invalid_choice", {"value": key})
        found: QuerySet[Any] = super().clean(value)
        return found


class OpenOrOver(admin.SimpleListFilter):
    """What is open, or over since the time in the field `over`: Django would say "empty" and "not empty"."""

    title = parameter_name = "state"
    over = ""

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> list[tuple[str, str]]:
        return [("open", "open"), (self.over, self.over)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() is None:
            return queryset
        return queryset.filter(**{f"{self.over}__isnull": self.value() == "open"})


class Searched(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in its stubs only
    """`finds`: indexed fields that a term may equal. `parts`: fields that may contain it, in the newest rows."""

    finds: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    # The part of a row's page that changes while it is open; requested with `?part=live`.
    live_template = ""
    # A column that grows with every row, and has an index.
    age = "pk"
    paginator = BoundedPaginator
    # Counting a log of millions a second time, only to say "of how many", is not worth its cost.
    show_full_result_count = False
    # Sorting by a column without an index reads the whole table.
    sortable_by: ClassVar[tuple[str, ...]] = ()
    show_facets = admin.ShowFacets.NEVER

    def shown_with(self, request: HttpRequest, obj: Any) -> dict[str, Any]:
        """Context for the template of a row besides its form; `obj` is None for a new row."""
        return {}

    def render_change_form(
        self,
        request: HttpRequest,
        context: dict[str, Any],
        add: bool = False,
        change: bool = False,
        form_url: str = "",
        obj: Any = None,
    ) -> HttpResponse:
        if obj is not None:
            context |= {"title": str(obj), "subtitle": None}  # what it is comes before what may be done to it
        # Such rows have no history: the button would lead to an empty page.
        context["untouched"] = not self.has_change_permission(request) and not getattr(self, "own_actions", ())
        context |= self.shown_with(request, obj)
        if self.live_template and request.GET.get("part") == "live":
            return TemplateResponse(request, self.live_template, {**context, "opts": self.opts})
        return super().render_change_form(request, context, add, change, form_url, obj)

    def action_checkbox(self, obj: Any) -> SafeString:
        """Django's, which renders two templates for each row: a tenth of the time of a list."""
        box = '<input type="checkbox" name="{}" value="{}" class="action-select" aria-label="Select {}">'
        return format_html(box, ACTION_CHECKBOX_NAME, obj.pk, obj)

    def formfield_for_manytomany(self, db_field: Any, request: Any, **more: Any) -> Any:
        return super().formfield_for_manytomany(db_field, request, form_class=KnownRows, **more)

    def get_search_fields(self, request: HttpRequest) -> tuple[str, ...]:
        """Any value shows the search field; `get_search_results` does the search."""
        return self.finds or self.parts

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        """Allow what the filters ask, and nothing else: any other lookup in an address could read the whole table, or
        reveal secrets, as what a group leads to: `groups__user__password__startswith`.
        """
        listed = [each[0] if isinstance(each, tuple) else each for each in self.get_list_filter(request)]
        name, _, asks = lookup.partition("__")
        related = any(field.name == name and field.is_relation for field in self.opts.get_fields())
        known = asks in (RELATED_FILTERS_ASK if related else FILTERS_ASK)
        return known and name in [getattr(each, "parameter_name", each) for each in listed]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        term = search_term.strip()
        if not term:
            return (self.newest(queryset) if self.is_part(request) else queryset), False
        for lookup in self.finds:
            try:
                found = queryset.filter(**{lookup: term})
                if found.exists():
                    return found, False
            except ValueError:  # the term is not a number, or not an address, for which PostgreSQL has a type
                continue
        named = Q(pk__in=[])
        for part in self.parts:
            named |= Q(**{f"{part}__icontains": term})
        return self.newest(queryset).filter(named), False

    def is_part(self, request: HttpRequest) -> bool:
        """Whether the list leaves rows out."""
        return not NO_FILTERS.issuperset(request.GET)

    def newest(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        ages = self.model._base_manager.order_by(f"-{self.age}").values_list(self.age, flat=True)
        oldest = ages[LOOKED_THROUGH : LOOKED_THROUGH + 1].first()
        return queryset if oldest is None else queryset.filter(**{f"{self.age}__gt": oldest}).order_by(f"-{self.age}")

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        return super().get_object(request, object_id, from_field) if self._may_be_key(object_id) else None

    def _may_be_key(self, text: str) -> bool:
        """Whether a row may have this key: for some numbers the database raises, through rows that refer to others."""
        key: Any = self.opts.pk
        while key.remote_field is not None:
            key = key.target_field
        return whole_number(text) is not None if isinstance(key, IntegerField) else "\0" not in text

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Say so if rows may be missing because they are too old."""
        wrong = [key for key in request.POST.getlist(ACTION_CHECKBOX_NAME) if not self._may_be_key(key)]
        if wrong:
            messages.error(
                request, f"Received the row {wrong[0][:20]!r}, expected rows of this list. Nothing was done."
            )
            return HttpResponseRedirect(request.get_full_path())
        if self.search_help_text is None and (self.parts or self.list_filter):
            self.search_help_text = f"Parts of names, and filters, look through the newest {LOOKED_THROUGH} rows."  # type: ignore[misc]
        title = capfirst(str(self.opts.verbose_name_plural))
        return super().changelist_view(request, {"title": title, **(extra_context or {})})
