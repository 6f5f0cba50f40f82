"""Tournaments in the admin: one page an event, from which it is run. Every act passes `arena.tournaments`."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from arena.admin import event_actions, event_page
from arena.admin.record import Record
from arena.match.commands import Refusal
from arena.models import Entry, Pairing, Tournament
from arena.tournaments.sheet import Sheet, sheet_of
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

    def get_urls(self) -> list[URLPattern]:
        act = path(
            "<path:object_id>/act/<slug:name>/", self.admin_site.admin_view(self.act), name="arena_tournament_act"
        )
        return [act, *super().get_urls()]

    def shown_with(self, request: HttpRequest, obj: Tournament) -> dict[str, Any]:
        """Settings in words, the table, entries and pairings with what can be done to them, in place of a form."""
        shown = event_page.shown(sheet_of(obj), request.GET.get("round", ""), acts=is_staff(request.user))
        return {**shown, "title": obj.name}

    def act(self, request: HttpRequest, object_id: str, name: str) -> HttpResponse:
        """The page that says what changes, and with its answer the act."""
        event = self.get_object(request, unquote(object_id))
        act = event_actions.by_name(name)
        if not is_staff(request.user):
            raise PermissionDenied
        if event is None or act is None:
            raise Http404("There is no such event, or nothing of this name can be done to it.")
        page = reverse("admin:arena_tournament_change", args=[event.pk])
        sheet = sheet_of(event)
        try:
            target = event_actions.target_of(act, sheet, request.GET.get(act.of, ""))
            done = request.method == "POST" and self._done(request, act, sheet, target)
        except Refusal as refusal:
            messages.error(request, refusal.sentence)
            return HttpResponseRedirect(page)
        if done:
            gone = act.name == "delete"
            messages.success(request, f"{act.button}: done.")
            return HttpResponseRedirect(reverse("admin:arena_tournament_changelist") if gone else page)
        return self._ask(request, act, sheet, target, page)

    def _done(self, request: HttpRequest, act: event_actions.EventAction, sheet: Sheet, target: Any) -> bool:
        """False where the form must be shown again. Raises Refusal."""
        form = act.form_for(sheet, target)(request.POST)
        seen = request.POST.get(f"stood-{sheet.tournament.pk}", "")
        if words := event_actions.meanwhile(sheet.tournament, seen, request.user):
            raise Refusal("stale", words)
        if not form.is_valid():
            return False
        event_actions.do(act, sheet, target, request.user, form.cleaned_data)
        return True

    def _ask(
        self, request: HttpRequest, act: event_actions.EventAction, sheet: Sheet, target: Any, page: str
    ) -> HttpResponse:
        if not act.may(sheet, target):
            messages.warning(request, f"{act.button}: this cannot be done now.")
            return HttpResponseRedirect(page)
        form = act.form_for(sheet, target)(request.POST if request.method == "POST" else None)
        history = event_actions.history(sheet.tournament)
        context = {
            **self.admin_site.each_context(request),
            "title": f"{act.button}: {sheet.tournament.name}",
            "opts": self.opts,
            "act": act,
            "told": [(sheet.tournament, act.says(sheet, target), str(history[0].pk) if history else "0")],
            "form": form,
            "back": False,
            "cancel": page,
        }
        return TemplateResponse(request, "admin/confirm_act.html", context, status=422 if form.errors else 200)


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
