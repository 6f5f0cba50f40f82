"""The forms of accounts, and their error messages."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import Any

from asgiref.sync import sync_to_async
from django import forms
from django.contrib.auth import get_user_model, password_validation
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Q
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as later
from django.utils.translation import gettext_noop

from arena.common import names
from arena.models import KeptName, Player
from arena.web.limits import Limit

User = get_user_model()
LONGEST_PASSWORD = 200
# Longer than any name, so that the message for a longer one can state its length.
LONGEST_TYPED = 400


def _name(**attributes: str) -> forms.CharField:
    widget = forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none", **attributes})
    return forms.CharField(label=later("Name"), max_length=LONGEST_TYPED, widget=widget)


def a_code(**more: Any) -> forms.CharField:
    """Typed from what the server has said: a phone begins with capitals and corrects nothing."""
    typed = {"autocomplete": "one-time-code", "autocapitalize": "characters", "spellcheck": "false"}
    return forms.CharField(label=later("Code"), max_length=40, widget=forms.TextInput(attrs=typed), **more)


def _password(label: str, autocomplete: str) -> forms.CharField:
    widget = forms.PasswordInput(attrs={"autocomplete": autocomplete})
    return forms.CharField(label=later(label), max_length=LONGEST_PASSWORD, strip=False, widget=widget)


class ArenaForm(forms.Form):
    """A form with our own words for missing answers."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        for field in self.fields.values():
            field.error_messages["required"] = _("{field} is missing.").format(field=field.label)


async def made_with(kind: Callable[..., Any], request: HttpRequest, user: Any, often: Limit) -> tuple[Any, str]:
    """A form of this kind, empty again once it has made something, and what is shown of that: once, here."""
    form = kind(user, request.POST if request.method == "POST" else None)
    if form.is_bound:
        often.check(request)
        if await sync_to_async(form.is_valid)():
            return kind(user), await sync_to_async(form.made)()
    return form, ""


class LoginForm(ArenaForm):
    name = _name()
    password = _password(gettext_noop("Password"), "current-password")

    def username(self) -> str:
        """The username that the typed name stands for."""
        return username_of(self.cleaned_data["name"])


class SignupForm(ArenaForm):
    """`keep` is the guest's player, which becomes the account's and may keep its name."""

    name = _name()
    password = _password(gettext_noop("Password"), "new-password")

    def __init__(self, *arguments: Any, keep: Player | None = None, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._keep = keep
        help_text = _("At least 8 characters. A sentence is easy to remember and hard to guess.")
        self.fields["password"].help_text = help_text

    def clean_name(self) -> str:
        return _checked(self.cleaned_data["name"], self._keep)

    def clean(self) -> dict[str, Any]:
        if "password" in self.cleaned_data:
            check_password(self, "password", User(username=self.cleaned_data.get("name", "")))
        return self.cleaned_data


class NameForm(ArenaForm):
    """A new name for `player`; its current one is allowed."""

    name = _name()

    def __init__(self, player: Player, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._player = player
        self.fields["name"].help_text = _("You log in with it. Letters and digits of any script, blanks and . _ -")

    def clean_name(self) -> str:
        return _checked(self.cleaned_data["name"], self._player)


class CodeForm(ArenaForm):
    name = _name()
    code = a_code()
    password = _password(gettext_noop("New password"), "new-password")


class PasswordForm(ArenaForm):
    old = _password(gettext_noop("Current password"), "current-password")
    password = _password(gettext_noop("New password"), "new-password")

    def __init__(self, user: AbstractBaseUser, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._user = user

    def clean_old(self) -> str:
        return _checked_own(self._user, self.cleaned_data["old"])

    def clean(self) -> dict[str, Any]:
        if "password" in self.cleaned_data:
            check_password(self, "password", self._user)
        return self.cleaned_data


class ClosingForm(ArenaForm):
    """Proves that it is really meant: the password of the account, or the name of whoever has none."""

    password = _password(gettext_noop("Password"), "current-password")
    name = _name()

    def __init__(self, user: AbstractBaseUser | None, name: str, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._user, self._own = user, name
        has_password = user is not None and user.has_usable_password()
        del self.fields["name" if has_password else "password"]
        if not has_password:
            self.fields["name"].help_text = _("Type {name} to confirm.").format(name=name)

    def clean_password(self) -> str:
        return _checked_own(self._user, self.cleaned_data["password"])

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if names.slug(name) != names.slug(self._own):
            raise forms.ValidationError(_("This is not your name."))
        return name


def _checked_own(user: AbstractBaseUser | None, password: str) -> str:
    if user is None or not user.check_password(password):
        raise forms.ValidationError(_("This is not your password."))
    return password


def check_password(form: forms.Form, field: str, user: Any) -> None:
    """Add to the form what Django's validators say against this password."""
    try:
        password_validation.validate_password(form.cleaned_data[field], user)
    except forms.ValidationError as why:
        form.add_error(field, why)


def username_of(name: str) -> str:
    """The username for a typed name: that of the player with this name, else the name itself (for staff)."""
    player = Player.objects.filter(slug=Player.slug_of(name), kind=Player.Kind.PERSON, user__isnull=False)
    return player.values_list("user__username", flat=True).first() or name


def is_taken(name: str, but: Player | None = None) -> bool:
    """Whether another player has this or a confusable name, logs in with it, or had it when closing an account."""
    spelled = names.alike(name)
    slugs = {Player.slug_of(each) for each in spelled}
    called = (Q(username__iexact=each) for each in spelled | slugs)
    players, users = Player.objects.filter(slug__in=slugs), User.objects.filter(reduce(or_, called))
    if but is not None:
        players = players.exclude(pk=but.pk)
        users = users if but.user_id is None else users.exclude(pk=but.user_id)
    return players.exists() or users.exists() or KeptName.objects.filter(slug__in=slugs).exists()


def _checked(typed: str, own: Player | None) -> str:
    """The name as it is stored. Raises ValidationError if it is invalid or taken."""
    try:
        name = names.person(typed, may_be_office=own is not None and own.user is not None and own.user.is_staff)
    except names.BadName as why:
        raise forms.ValidationError(_(why.template).format(**why.values)) from None
    if is_taken(name, own):
        raise forms.ValidationError(taken_words(name, own))
    return name


def taken_words(name: str, but: Player | None = None) -> str:
    """Says that a name is taken, and suggests a similar free one."""
    most = 10
    while True:
        number = random.randrange(2, most)
        free = f"{name[: names.PERSON_LENGTH[1] - len(str(number)) - 1].rstrip()} {number}"
        if not is_taken(free, but):
            return _("That name is taken. {free} is free.").format(free=free)
        most *= 2
