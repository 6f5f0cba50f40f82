"""`/settings/tokens/`: tokens with which programs act for an account through the API. Each value is shown once."""

from __future__ import annotations

from datetime import timedelta

from asgiref.sync import sync_to_async
from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as later

from arena.common import names
from arena.common.numbers import whole_number
from arena.models import AccessToken, Audit
from arena.web.bearer import make
from arena.web.guests import account_of
from arena.web.limits import Limit
from arena.web.people.account_forms import ArenaForm, made_with
from arena.web.views import page, view

MOST_TOKENS = 20
NEW_TOKENS = Limit("new tokens", 20, 1 / 60)
SCOPES = [
    (AccessToken.Scope.PLAY, later("Open rooms and challenge bots")),
    (AccessToken.Scope.EVENTS, later("Enter my bots and me into events, and withdraw them")),
    (AccessToken.Scope.ORGANISE, later("Run my events: start, pause, decide pairings")),
]
DAYS = [("30", later("30 days")), ("90", later("90 days")), ("365", later("a year"))]
HOME = "/settings/tokens/"


class TokenForm(ArenaForm):
    name = forms.CharField(
        label=later("Name"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text=later("What it is for, so that you recognise it."),
    )
    scopes = forms.MultipleChoiceField(label=later("It may"), choices=SCOPES, widget=forms.CheckboxSelectMultiple)
    days = forms.ChoiceField(label=later("It ends after"), choices=DAYS, initial="90")

    def __init__(self, user: User, data: object = None) -> None:
        super().__init__(data)
        self._user = user
        self.fields["scopes"].error_messages["required"] = _("Choose at least one thing that it may do.")

    def clean_name(self) -> str:
        name = names.printable(self.cleaned_data["name"]).strip()
        if not name:
            raise forms.ValidationError(_("Expected visible characters."))
        return name

    def clean(self) -> dict[str, object]:
        live = AccessToken.objects.filter(user=self._user, ends__gt=timezone.now())
        if live.count() >= MOST_TOKENS:
            said = _("You have {n} tokens, which is the maximum. Revoke one first.")
            raise forms.ValidationError(said.format(n=MOST_TOKENS))
        return self.cleaned_data

    def made(self) -> str:
        """Create a token, and delete expired ones."""
        said, now = self.cleaned_data, timezone.now()
        AccessToken.objects.filter(user=self._user, ends__lte=now).delete()
        token = make(self._user, said["name"], said["scopes"], now + timedelta(days=int(said["days"])))
        Audit.objects.note(self._user, "token made", said["name"])
        return token


@view("GET", "POST", hosted=False)
async def index(request: HttpRequest) -> HttpResponse:
    """The tokens of an account, and the form of a new one, which is shown on the page that answers."""
    user = await account_of(request)
    form, made = await made_with(TokenForm, request, user, NEW_TOKENS)
    rows = [row async for row in AccessToken.objects.filter(user=user).order_by("-made")]
    context = {"form": form, "made": made, "tokens": rows, "now": timezone.now()}
    return await page(request, "arena/settings_tokens.html", context, 422 if form.errors else 200)


@view("POST", hosted=False)
async def revoke(request: HttpRequest) -> HttpResponse:
    """Revoke the token: requests with it are refused from now on."""
    user, number = await account_of(request, HOME), whole_number(request.POST.get("token", "")) or 0
    token = await AccessToken.objects.filter(user=user.pk, pk=number).afirst()
    if token is not None:
        await token.adelete()
        await sync_to_async(Audit.objects.note)(user, "token revoked", token.name)
        messages.success(request, _("{name} is revoked and no longer works.").format(name=token.name))
    return HttpResponseRedirect(HOME)
