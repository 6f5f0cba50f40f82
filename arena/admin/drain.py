"""`/admin/drain/`: from a set time, play running matches to their end and then stop the server; or cancel that."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from arena.admin.acting import Unasked
from arena.models import Match
from arena.rooms import draining
from arena.web.match.staff import actor_of

PERMISSION = "arena.add_drain"


class DrainForm(Unasked):
    """`at` is empty for now."""

    at = forms.DateTimeField(
        label="From (UTC)",
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
        help_text="Leave empty to start now.",
    )
    field_order = ("at", "reason")

    def clean_at(self) -> datetime:
        at: datetime | None = self.cleaned_data["at"]
        if at is not None and at < timezone.now():
            raise forms.ValidationError(f"{at:%Y-%m-%d %H:%M} UTC has passed: expected a time in the future.")
        return at or timezone.now()


@require_http_methods(["GET", "POST"])
def drain(request: HttpRequest) -> HttpResponse:
    """The page that says what will happen and, once confirmed, gives the order."""
    if not request.user.has_perm(PERMISSION):
        raise PermissionDenied
    before = draining.ordered()
    form = (Unasked if before else DrainForm)(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        _ordered(request, form.cleaned_data, before)
        return HttpResponseRedirect(reverse("admin:index"))
    return _asked(request, form, before)


def _ordered(request: HttpRequest, said: dict[str, Any], before: datetime | None) -> None:
    actor, reason = actor_of(request.user), said["reason"]
    if request.POST.get("action") != ("call off" if before else "drain"):
        messages.error(request, "Somebody else has given or cancelled this order in the meantime. Nothing was done.")
    elif before:
        draining.call_off(actor, reason)
        messages.success(request, "Called off: new matches begin again.")
    else:
        draining.order(said["at"], actor, reason)
        messages.success(request, f"Nothing new begins from {said['at'].astimezone(UTC):%H:%M} UTC on.")


def _asked(request: HttpRequest, form: forms.Form, before: datetime | None) -> HttpResponse:
    left = Match.objects.filter(ended=None, started__isnull=False).exclude(clock="none").count()
    if before:
        act = {"name": "call off", "title": "Call off the restart", "button": "Call it off"}
        listed = [f"Nothing new begins from {before:%H:%M} UTC on. If you cancel it, everything continues as before."]
    else:
        act = {"name": "drain", "title": "Drain and stop", "button": "Drain and stop"}
        listed = [
            "No rooms are opened and no rounds or pairings begin; every page says so.",
            f"{left} running {'match' if left == 1 else 'matches'} with a clock "
            "will be played to the end. The others continue after the restart where they stopped.",
            "Then the server stops without an error, and you can start the new version.",
        ]
    context = {
        **admin.site.each_context(request),
        "title": act["title"],
        "act": act,
        "effects": listed,
        "form": form,
        "cancel": reverse("admin:index"),
    }
    return TemplateResponse(request, "admin/confirm_act.html", context, status=422 if form.errors else 200)
