"""Tournaments in the admin: each event is run from one page. Every action goes through `arena.tournaments`."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from arena.admin import event_actions, event_page
from arena.admin.acting import told_by_host
from arena.admin.audit import meanwhile, newest_act
from arena.admin.event_form import EventForm
from arena.admin.known import page_of
from arena.admin.record import Record
from arena.match.commands import Refusal
from arena.models import Entry, Pairing, Tournament
from arena.tournaments.sheet import Sheet, sheet_of
from arena.web.present import present
from arena.web.tournaments.feed import cannot_start
from arena.web.tournaments.rights import is_staff


@admin.register(Tournament)
class TournamentAdmin(Record):
    list_display = ("name", "variant", "format", "state", "organiser", "created", "started", "finished")
    list_filter = ("state", "format", "variant")
    list_select_related = ("organiser",)
    finds = ("slug", "organiser__username")
    parts = ("name",)
    ordering = ("-id",)
    change_form_template = "admin/tournament.html"
    live_template = "admin/tournament_live.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Tournament]:
        """Includes deleted ones: their matches stay in the log, and staff can see where they belonged."""
        return Tournament.every.order_by(*self.ordering)

    def get_urls(self) -> list[URLPattern]:
        act = path(
            "<path:object_id>/act/<slug:name>/", self.admin_site.admin_view(self.act), name="arena_tournament_act"
        )
        return [act, *super().get_urls()]

    def shown_with(self, request: HttpRequest, obj: Tournament) -> dict[str, Any]:
        """Settings in words, the table, entries and pairings with their actions, instead of a form."""
        acts = is_staff(request.user) and obj.deleted is None
        asked, whole = request.GET.get("round", ""), request.GET.get("entries") == "all"
        sheet = sheet_of(obj)
        told_by_host(lambda host: cannot_start(host, sheet))  # which `present` says afterwards
        now = told_by_host(present)
        shown = event_page.shown(sheet, asked, acts=acts, all_entries=whole, now=now)
        socket = f"/ws/control/?{urlencode({'event': obj.slug})}"
        title = obj.name if obj.deleted is None else f"{obj.name} (deleted)"
        return {**shown, "title": title, "original": obj, "socket": socket}

    def act(self, request: HttpRequest, object_id: str, name: str) -> HttpResponse:
        """The page that says what changes and, once confirmed, does it."""
        event = self.get_object(request, unquote(object_id))
        act = event_actions.by_name(name)
        if not is_staff(request.user):
            raise PermissionDenied
        if event is None or event.deleted is not None or act is None:
            raise Http404("There is no such event, or it has no action with this name.")
        sheet, target, form = sheet_of(event), None, None
        try:
            target = event_actions.target_of(act, sheet, request.GET.get(act.of, ""))
            form = act.form_for(sheet, target, request.user)(request.POST if request.method == "POST" else None)
            if request.method != "POST" or not self._is_answered(request, act, sheet, form):
                return self._ask(request, act, sheet, target, form)
            event_actions.do(act, sheet, target, request.user, form.cleaned_data)
        except Refusal as refusal:
            return self._refused(request, act, event, target, form, refusal.sentence)
        messages.success(request, f"{act.button}: done.")
        return HttpResponseRedirect(
            reverse("admin:arena_tournament_changelist") if act.name == "delete" else page_of("tournament", event.pk)
        )

    def _refused(
        self,
        request: HttpRequest,
        act: event_actions.EventAction,
        event: Tournament,
        target: Any,
        form: Form | None,
        why: str,
    ) -> HttpResponse:
        """The form as it was filled in, with the refusal; the event's page if this cannot be done any more."""
        event.refresh_from_db()
        sheet = sheet_of(event)
        if form is None or not form.is_bound or not act.may(sheet, target):
            messages.error(request, f"{act.button}: {why}")
            return HttpResponseRedirect(page_of("tournament", event.pk))
        form.full_clean()
        form.add_error(None, why)
        return self._ask(request, act, sheet, target, form)

    def _is_answered(self, request: HttpRequest, act: event_actions.EventAction, sheet: Sheet, form: Form) -> bool:
        """False if the form must be shown again, or what it changes first. Raises Refusal."""
        seen = request.POST.get(f"stood-{sheet.tournament.pk}", "")
        if words := meanwhile(sheet.tournament.slug, seen, request.user):
            raise Refusal(
                "stale",
                f"Somebody else has acted on this event in the meantime ({words}). Nothing was done; look again.",
            )
        return form.is_valid() and (act.lists is None or request.POST.get("confirmed") == "yes")

    def _ask(
        self, request: HttpRequest, act: event_actions.EventAction, sheet: Sheet, target: Any, form: Form
    ) -> HttpResponse:
        event = sheet.tournament
        if not act.may(sheet, target):
            messages.warning(request, f"{act.button}: this cannot be done now.")
            return HttpResponseRedirect(page_of("tournament", event.pk))
        listed = act.lists(form) if act.lists is not None and form.is_bound and not form.errors else None
        if listed == []:
            messages.warning(request, f"{act.button}: nothing would change.")
            return HttpResponseRedirect(page_of("tournament", event.pk))
        context = {
            "title": f"{act.button}: {event.name}",
            "act": act,
            "told": [(event, act.says(sheet, target), newest_act(event.slug))],
            "cancel": page_of("tournament", event.pk),
        }
        return self._asked(request, form, listed, act.lists is not None, context)

    def _asked(
        self, request: HttpRequest, form: Form, listed: list[str] | None, lists: bool, context: dict[str, Any]
    ) -> HttpResponse:
        """`listed` is what the filled-in form changes; with `lists` that is shown first."""
        context |= {**self.admin_site.each_context(request), "opts": self.opts, "form": form, "back": False}
        context |= {"listed": listed, "looks": lists and listed is None}
        return TemplateResponse(request, "admin/confirm_act.html", context, status=422 if form.errors else 200)

    # -- a new one -----------------------------------------------------------------------------------------------------

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_staff(request.user)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The settings, then what they mean, then a draft that nobody else sees. Players are entered on its page."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = EventForm(request.POST if request.method == "POST" else None)
        valid = form.is_bound and form.is_valid()
        if valid and request.POST.get("confirmed") == "yes":
            event = event_actions.create(form, request.user)
            messages.success(request, f"{event.name} is a draft. Enter its players, then open or start it.")
            return HttpResponseRedirect(page_of("tournament", event.pk))
        context = {
            "title": "New event",
            "act": {"name": "new", "title": "New event", "button": "Make the event"},
            "told": [],
            "cancel": reverse("admin:arena_tournament_changelist"),
        }
        return self._asked(request, form, form.everything() if valid else None, True, context)


@admin.register(Entry)
class EntryAdmin(Record):
    list_display = ("tournament", "seed", "name", "kind", "player", "level", "protocol", "late", "withdrawn")
    list_filter = ("kind", "protocol")
    list_select_related = ("tournament", "player")
    finds = ("tournament__slug", "player__slug")
    parts = ("name",)
    ordering = ("-id",)


@admin.register(Pairing)
class PairingAdmin(Record):
    list_display = ("tournament", "round", "number", "leg", "attempt", "a", "b", "state", "faults", "calls", "reason")
    list_filter = ("state",)
    list_select_related = ("tournament", "a", "b")
    finds = ("tournament__slug",)
    parts = ("a__name", "b__name")
    ordering = ("-id",)
