"""`/admin/claim/`: the person who started the server becomes its first administrator with the code that it printed.

The code is typed, never part of an address, so no log and no history holds it. It works once, and only while there is
no administrator; only its SHA-256 is kept, in the data folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth import get_user_model, login
from django.contrib.auth.forms import UserCreationForm
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as later
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from arena.match.commands import Refusal
from arena.web.people.account_forms import a_code
from arena.web.people.accounts import BACKEND, LOGINS
from arena.web.people.codes import digest, new_code
from arena.web.views import refused

KEPT = "admin_code"


def offer(data: Path) -> str | None:
    """A new code, which replaces the old one; None if there is an administrator already."""
    kept = data / KEPT
    if get_user_model().objects.filter(is_superuser=True).exists():
        kept.unlink(missing_ok=True)
        return None
    code = new_code()
    kept.touch(mode=0o600)
    kept.write_text(digest(code), encoding="ascii")
    return code


class ClaimForm(UserCreationForm):  # type: ignore[type-arg]  # generic in its stubs only
    """Django's fields for name and password, and the code."""

    code = a_code(help_text=later("The server printed it when it started."))
    field_order = ("code", "username", "password1", "password2")

    class Meta(UserCreationForm.Meta):
        model = get_user_model()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Django's form would begin with the name, also where the code was wrong.
        self.fields["code"].widget.attrs["autofocus"] = self.fields["username"].widget.attrs.pop("autofocus", True)

    def clean_code(self) -> str:
        code = str(self.cleaned_data["code"])
        kept = settings.ARENA_DATA / KEPT
        if not kept.is_file() or not constant_time_compare(digest(code), kept.read_text(encoding="ascii")):
            raise forms.ValidationError(_("That is not the code. Start the server again and it prints a new one."))
        return code


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def claim(request: HttpRequest) -> HttpResponse:
    """The form; with the right code a superuser, logged in. Once there is one, this page is gone for good."""
    if get_user_model().objects.filter(is_superuser=True).exists():
        return redirect("/admin/")
    if request.method == "POST":
        try:
            LOGINS.check(request)
        except Refusal as refusal:
            return refused(request, refusal)
    form = ClaimForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        login(request, _first_administrator(form), backend=BACKEND)
        return redirect("/admin/")
    return render(request, "arena/claim.html", {"form": form}, status=422 if form.errors else 200)


@transaction.atomic
def _first_administrator(form: ClaimForm) -> Any:
    user = form.save(commit=False)
    user.is_staff = user.is_superuser = True
    user.save()
    (settings.ARENA_DATA / KEPT).unlink(missing_ok=True)
    return user
