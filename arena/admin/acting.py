"""Staff actions in the admin: a page that lists what will change, an answer for each row, a record of each.

An action is chosen in a list for many rows, or on the page of one. Nothing happens until its page is confirmed. Actions
on live matches run on the host's loop, like everybody else's.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from asgiref.sync import async_to_sync
from django import forms
from django.contrib import messages
from django.contrib.admin.utils import quote
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse

from arena.admin.audit import meanwhile, newest_act, newest_acts
from arena.admin.searching import Searched
from arena.host import Host, NoHost, here, here_or_none
from arena.match.commands import Refusal
from arena.web.match.staff import LONGEST_REASON

DEADLINE_S = 20
MOST_AT_ONCE = 100

T = TypeVar("T")


def in_host(work: Callable[[Host], Coroutine[Any, Any, T]]) -> T:
    """Do `work` on the loop of the host, and wait for it. Raises Refusal if that cannot be, or takes too long."""

    try:
        host = here()
    except NoHost:
        words = "This process serves no matches: open the administration of the server that does. Nothing was done."
        raise Refusal("no_host", words) from None
    return on_loop(lambda: work(host))


def told_by_host(ask: Callable[[Host | None], Awaitable[T]]) -> T | None:
    """The host's answer to a question of pages, also in a process that only makes pages; None if it gives none."""

    async def asked() -> T:
        return await ask(here_or_none())

    try:
        return on_loop(asked)
    except (NoHost, Refusal):
        return None


def on_loop(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Do `work` on the loop that serves this request, and wait for it. Raises Refusal if it takes too long."""

    async def done() -> T:
        async with asyncio.timeout(DEADLINE_S):
            return await work()

    try:
        return async_to_sync(done)()
    except TimeoutError:
        raise Refusal("late", f"No answer within {DEADLINE_S} s. Look at the row again before you repeat it.") from None


def reason_field(longest: int = LONGEST_REASON, required: bool = True) -> forms.CharField:
    missing = "A reason is missing: those whom it concerns will read it. Nothing was done."
    rows = forms.Textarea(attrs={"rows": 3})
    return forms.CharField(max_length=longest, required=required, widget=rows, error_messages={"required": missing})


class Unasked(forms.Form):
    """For actions that need no reason, though one may be given."""

    reason = reason_field(required=False)

    def clean_reason(self) -> str:
        return " ".join(self.cleaned_data["reason"].split())


class Reasoned(Unasked):
    """The reason: shown to the people concerned, and kept in the audit."""

    reason = reason_field()


@dataclass(frozen=True, slots=True)
class Action:
    """`title` heads its page, `label` is on the button that leads there, `button` confirms it. `one`: for one row only.
    `may(user)`: whether this user may do it to any row.

    `why_not(user, row)` is why this user cannot do it to this row now, "" if they can: in that case it is offered and
    done. `says(row)` describes the row and what will change, `stands(row)` the state that it must still have when the
    action is done, "" for any. `reads(rows)` returns what both get instead of the rows, read in a few queries for all
    of them; a Refusal takes the place of a row that cannot be read. `lists(row, form)` says what the filled-in form
    changes: the page asks once more, with that list. `do(request, row, said, stood)` does it, records it, and returns
    the outcome in words, or as a page to be shown once; `says`, `lists` and `do` raise Refusal.
    """

    name: str
    title: str
    button: str
    says: Callable[[Any], str]
    do: Callable[[HttpRequest, Any, dict[str, Any], str], str | HttpResponse]
    form: type[forms.Form] = Reasoned
    stands: Callable[[Any], str] = lambda row: ""
    reads: Callable[[list[Any]], list[Any]] = list
    one: bool = False
    may: Callable[[Any], bool] = lambda user: True
    why_not: Callable[[Any, Any], str] = lambda user, row: ""
    lists: Callable[[Any, Any], list[str]] | None = None

    @property
    def label(self) -> str:
        """The label, with an ellipsis if a reason is asked for."""
        return f"{self.title} …" if issubclass(self.form, Reasoned) else self.title


def only_superusers(user: Any) -> bool:
    return bool(user.is_superuser)


class ToldFirst(forms.BaseForm):
    """For a row that others have acted on since its page was made: saving says so first, and works the second time."""

    meanwhile = ""

    def clean(self) -> Any:
        said = super().clean()
        if self.meanwhile:
            self.add_error(None, f"Meanwhile: {self.meanwhile}. Nothing was saved; save again to confirm.")
        return said


class Acting(Searched):
    """A table with actions. They are offered only to people who may do them; others are refused when they try.

    People who save a row or act on it are told what others have done to it since their page was made.
    """

    change_form_template = "admin/with_acts.html"
    own_actions: tuple[Action, ...] = ()

    def subject_of(self, row: Any) -> str:
        """The name of this row in the audit; "" if its actions check its state by themselves."""
        return str(row)

    def acted_on(self, chosen: QuerySet[Any]) -> QuerySet[Any]:
        """The chosen rows, with everything that `why_not` asks for."""
        return chosen

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **more: Any) -> Any:
        made = super().get_form(request, obj, change, **more)
        subject = self.subject_of(obj) if obj is not None and "since" in request.POST else ""
        if words := meanwhile(subject, request.POST["since"], request.user) if subject else "":
            made = type(made.__name__, (ToldFirst, made), {"meanwhile": words})
        return made

    @abstractmethod
    def may_act(self, request: HttpRequest) -> bool:
        """Whether these actions are offered to this user."""

    def acts_of(self, request: HttpRequest) -> list[Action]:
        """The actions that this user may do at all."""
        if not self.may_act(request):
            return []
        return [act for act in self.own_actions if act.may(request.user)]

    def offered(self, request: HttpRequest, row: Any) -> list[Action]:
        """The actions that this user can do to this row now."""
        return [act for act in self.acts_of(request) if not act.why_not(request.user, row)]

    def acts_on_page(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        """The actions that the page of this row offers (`admin/with_acts.html`), and the last one it knows of."""
        return {"acts": self.offered(request, row), "since": newest_act(self.subject_of(row))}

    def get_actions(self, request: HttpRequest, *place: Any, **named: Any) -> dict[str, Any]:
        """`place` is what later releases of Django tell: where on the page the actions will stand."""
        own = {act.name: (partial(_chosen, act), act.name, act.label) for act in self.acts_of(request)}
        return dict(super().get_actions(request, *place, **named)) | own

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Refuse an action that this user may not do; Django would only say that none was chosen."""
        names = {act.name for act in self.own_actions} - {act.name for act in self.acts_of(request)}
        if request.POST.get("action") in names:
            raise PermissionDenied
        shown: HttpResponse = super().changelist_view(request, extra_context)
        return shown


def _chosen(act: Action, model_admin: Acting, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
    """The page that asks for confirmation or, once confirmed, the outcome row by row. If what is to be done to one row
    is refused, its form comes again as it was filled in.
    """
    most = 1 if act.one else MOST_AT_ONCE
    rows = list(model_admin.acted_on(queryset)[: most + 1])
    if len(rows) > most:
        words = f"{act.title}: choose {'one row' if act.one else f'at most {most} rows'}. Nothing was done."
        messages.error(request, words)
        return None
    can = [row for row in rows if not _is_refused(act, model_admin, request, row)]
    if not can:
        return HttpResponseRedirect(_way_back(model_admin, request, rows))
    form = act.form(request.POST if "confirmed" in request.POST else None)
    if not form.is_valid():
        return _ask(act, model_admin, request, can, form)
    try:
        listed = act.lists(can[0], form) if act.lists is not None else []
    except Refusal as refusal:
        form.add_error(None, refusal.sentence)
        return _ask(act, model_admin, request, can, form)
    if request.POST["confirmed"] != "yes":
        return _ask(act, model_admin, request, can, form, listed)
    for row in can:
        try:
            page = _do(act, request, row, form.cleaned_data)
        except Refusal as refusal:
            if len(rows) == 1:
                form.add_error(None, refusal.sentence)
                return _ask(act, model_admin, request, can, form)
            messages.error(request, f"{act.button}, {row}: {refusal.sentence}")
            continue
        if page is not None:
            return page
    return HttpResponseRedirect(_way_back(model_admin, request, rows))


def _is_refused(act: Action, model_admin: Acting, request: HttpRequest, row: Model) -> bool:
    """Say why nothing can be done to this row now: its state forbids it, or somebody else has acted on it."""
    subject, seen = model_admin.subject_of(row), request.POST.get(f"since-{row.pk}")
    words = meanwhile(subject, seen, request.user) if subject and seen is not None else ""
    why = f"Meanwhile: {words}." if words else act.why_not(request.user, row)
    if why:
        messages.error(request, f"{act.button}, {row}: {why} Nothing was done.")
    return bool(why)


def _do(act: Action, request: HttpRequest, row: Model, said: dict[str, Any]) -> HttpResponse | None:
    whom = str(row)  # which may be another afterwards: a closed account has lost its name
    came = act.do(request, row, said, request.POST.get(f"stood-{row.pk}", ""))
    if isinstance(came, HttpResponse):
        return came
    messages.success(request, f"{act.button}, {whom}: {came}")
    return None


def _ask(
    act: Action,
    model_admin: Acting,
    request: HttpRequest,
    rows: list[Any],
    form: forms.Form,
    listed: list[str] | None = None,
) -> HttpResponse:
    """`listed` is what the filled-in form changes."""
    told = [(row, *_told(act, seen)) for row, seen in zip(rows, act.reads(rows), strict=True)]
    subjects = {row.pk: subject for row in rows if (subject := model_admin.subject_of(row))}
    acts = newest_acts(subjects.values())
    context = {
        **model_admin.admin_site.each_context(request),
        "title": act.title,
        "opts": model_admin.opts,
        "act": act,
        "told": told,
        "since": [(key, acts[subject]) for key, subject in subjects.items()],
        "form": form,
        "listed": listed,
        "looks": act.lists is not None and listed is None,
        "back": "back" in request.POST,
        "cancel": _way_back(model_admin, request, rows),
    }
    status = 422 if form.errors else 200
    return TemplateResponse(request, "admin/confirm_act.html", context, status=status)


def _told(act: Action, seen: Any) -> tuple[str, str]:
    """What the page says about a row, and the state that it must still have when the action is done."""
    if isinstance(seen, Refusal):
        return seen.sentence, ""
    try:
        return act.says(seen), act.stands(seen)
    except Refusal as refusal:
        return refusal.sentence, ""


def _way_back(model_admin: Acting, request: HttpRequest, rows: list[Any]) -> str:
    """The page of the row if the action was chosen there and the row still exists, else the list as it was."""
    if "back" in request.POST and len(rows) == 1 and rows[0].pk is not None:
        meta = model_admin.opts
        return reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[quote(rows[0].pk)])
    return request.get_full_path()
