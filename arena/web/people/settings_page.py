"""`/settings/`: a visitor's preferences, and the password of an account."""

from __future__ import annotations

from typing import Any

from asgiref.sync import sync_to_async
from django import forms
from django.conf import settings as django_settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as later
from django.views.decorators.debug import sensitive_variables

from arena.common.numbers import whole_number
from arena.match.commands import Refusal
from arena.models import Mute, Player
from arena.web import open_sockets, prefs
from arena.web.guests import account_of, person_of, visitor_of
from arena.web.people.account_forms import PasswordForm
from arena.web.people.accounts import LOGINS, local_next
from arena.web.views import page, view

SWITCHES = {
    "confirm": (later("Confirm my moves"), later("The first press shows the move, the second one plays it.")),
    "keys": (
        later("Single-letter keys"),
        later("B to the board, M to the moves, ? for the list. Arrows and digits always work."),
    ),
    "sound": (later("Sound"), later("Five short tones, each for something that you can also see.")),
    "aloud": (
        later("Read moves aloud"),
        later("For screen readers, while you watch others. Your own matches are always read."),
    ),
    "heights": (later("Heights"), later("Numbers on the buildings of Santorini.")),
    "talk": (later("Talk"), later("Reactions and the chat of matches; off hides both, and your own buttons.")),
    "challenges": (
        later("Challenges"),
        later("Others may challenge you by name. When off, you are shown no challenges."),
    ),
}


class PrefsForm(forms.Form):
    """A field for each preference: radio buttons for three values, a switch for two."""

    theme = forms.ChoiceField(
        label=later("Theme"),
        choices=[("system", later("As the system")), ("light", later("Light")), ("dark", later("Dark"))],
        widget=forms.RadioSelect,
    )
    view = forms.ChoiceField(
        label=later("Santorini board"),
        choices=[("auto", later("Automatic")), ("3d", "3D"), ("above", later("From above"))],
        widget=forms.RadioSelect,
    )

    language = forms.ChoiceField(
        label=later("Language"),
        choices=[("auto", later("As the browser")), *django_settings.LANGUAGES],
        required=False,
        widget=forms.RadioSelect,
    )

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        for name, (label, help_text) in SWITCHES.items():
            self.fields[name] = forms.BooleanField(label=label, help_text=help_text, required=False)

    def chosen(self) -> dict[str, str]:
        return {name: _value(self.cleaned_data[name]) or usual for name, usual in prefs.USUAL.items()}


@view("GET", "POST", hosted=False)
async def settings(request: HttpRequest) -> HttpResponse:
    shown = {name: value == "on" if name in SWITCHES else value for name, value in prefs.of(request).items()}
    form = PrefsForm(request.POST if request.method == "POST" else None, initial=shown)
    if form.is_bound and form.is_valid():
        response = HttpResponseRedirect("/settings/")
        await keep(request, response, form.chosen())
        messages.success(request, _("Your settings are kept."))
        return response
    return await _page(request, form, 422 if form.errors else 200)


@view("POST", hosted=False)
async def one(request: HttpRequest) -> HttpResponse:
    """A single preference, from a button on any page."""
    sent = {name: request.POST.get(name, "") for name in request.POST if name in prefs.CHOICES}
    for name, value in sent.items():
        if value not in prefs.CHOICES[name]:
            words = _("{name}: received {what}, expected {known}.")
            known = _(" or ").join(prefs.CHOICES[name])
            raise Refusal("invalid_form", words.format(name=name, what=repr(value[:20]), known=known))
    if not sent:
        words = _("Received no preference, expected one of {known}.")
        raise Refusal("invalid_form", words.format(known=", ".join(prefs.CHOICES)))
    quiet = "application/json" in request.headers.get("Accept", "")
    response = HttpResponse(status=204) if quiet else HttpResponseRedirect(local_next(request))
    await keep(request, response, {**prefs.of(request), **sent})
    return response


@view("POST", hosted=False)
async def unmute(request: HttpRequest) -> HttpResponse:
    """Read the lines of `who` (a player's number) again."""
    who, player = whole_number(request.POST.get("who", "")) or 0, (await visitor_of(request)).player
    if player is not None:
        await Mute.objects.filter(by=player, whom=who).adelete()
    return HttpResponseRedirect("/settings/")


@view("GET", "POST", hosted=False)
@sensitive_variables("form")
async def password(request: HttpRequest) -> HttpResponse:
    """Change the password, given the old one; other devices are logged out."""
    user = await account_of(request)
    form = PasswordForm(user, request.POST if request.method == "POST" else None)
    if form.is_bound:
        LOGINS.check(request)
        if await sync_to_async(form.is_valid)():
            before = request.session.session_key
            await sync_to_async(_change)(request, form.cleaned_data["password"])
            open_sockets.password_changed(user.pk, before)
            open_sockets.logged_in(before)
            messages.success(request, _("Your password is changed. Other devices are logged out."))
            return HttpResponseRedirect("/settings/")
    return await page(request, "arena/settings_password.html", {"form": form}, 422 if form.errors else 200)


async def keep(request: HttpRequest, response: HttpResponse, chosen: dict[str, str]) -> None:
    """Store the preferences in this browser, and with the account if there is one."""
    prefs.write(response, chosen)
    if (await visitor_of(request)).account is not None:
        await sync_to_async(_store)(await request.auser(), chosen)


def _store(user: Any, chosen: dict[str, str]) -> None:
    Player.objects.filter(pk=person_of(user).pk).update(prefs=prefs.chosen(chosen))


def _change(request: HttpRequest, new: str) -> None:
    """Sessions hold a hash of the password: all others end now, this one gets the new hash and a new key."""
    user = request.user
    assert isinstance(user, User), "only an account has a password"
    user.set_password(new)
    user.save(update_fields=["password"])
    update_session_auth_hash(request, user)


async def _page(request: HttpRequest, form: PrefsForm, status: int) -> HttpResponse:
    switches = [form[name] for name in SWITCHES]
    muted = (
        Mute.objects.filter(by=(await visitor_of(request)).player)
        .order_by("whom__name")
        .values_list("whom", "whom__name")
    )
    context = {"form": form, "switches": switches, "muted": [row async for row in muted]}
    return await page(request, "arena/settings.html", context, status)


def _value(said: bool | str) -> str:
    if isinstance(said, bool):
        return "on" if said else "off"
    return said
