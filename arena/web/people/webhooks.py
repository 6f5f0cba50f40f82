"""`/settings/webhooks/`: addresses of programs that receive messages. Each secret is shown once."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from asgiref.sync import sync_to_async
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as later
from django.utils.translation import gettext_noop

from arena.common.limits import networks
from arena.common.numbers import whole_number
from arena.models import Audit, Delivery, Webhook
from arena.models.webhook import new_nonce
from arena.web.guests import account_of
from arena.web.limits import Limit
from arena.web.people.account_forms import ArenaForm, made_with
from arena.web.views import page, view
from arena.web.words import spoken
from arena.work.webhooks import address, rows, signing

MOST_WEBHOOKS = 10
SHOWN = 5
BY_STAFF = gettext_noop("Staff have switched it off, and only they can switch it on again: ask them. Nothing was done.")
NEW_WEBHOOKS = Limit("new webhooks", 20, 1 / 60)
TESTS = Limit("tests of webhooks", 10, 1 / 10)
EVENTS = [
    (rows.MATCH_OVER, gettext_noop("A match is over: one that I or my bots played, or of my events")),
    (rows.BOT_OFFLINE, gettext_noop("A bot of mine has been offline for a minute")),
    (rows.BOT_QUARANTINED, gettext_noop("A bot of mine is put into quarantine")),
    (rows.BEGUN, gettext_noop("An event begins: one of mine, or that I or my bots take part in")),
    (rows.FINAL, gettext_noop("The table of such an event is final")),
]
HOME = "/settings/webhooks/"


class WebhookForm(ArenaForm):
    url = forms.CharField(
        label=later("Address"),
        max_length=2 * address.LONGEST,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "inputmode": "url", "placeholder": "https://"}
        ),
        help_text=later("The address of your program, with https:// in front."),
    )
    events = forms.MultipleChoiceField(
        label=later("Tell it when"),
        choices=[(kind, later(words)) for kind, words in EVENTS],
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, user: User, data: object = None) -> None:
        super().__init__(data)
        self._user = user
        self.fields["events"].error_messages["required"] = _("Choose at least one event to be sent.")

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        try:
            host = address.read(url).host
        except address.WrongAddress as why:
            raise forms.ValidationError(spoken(why.args[0])) from None
        if address.literal(host) and not address.is_allowed(host, networks(settings.ARENA_WEBHOOK_NETS)):
            said = _("Received {host}, expected a public address: webhooks are not sent to private networks.")
            raise forms.ValidationError(said.format(host=host))
        if Webhook.objects.filter(user=self._user, receiver=address.read(url).receiver, by_staff=True).exists():
            said = _("Staff have switched off messages to {host}. Ask them to switch them on.")
            raise forms.ValidationError(said.format(host=host))
        return url

    def clean(self) -> dict[str, object]:
        if Webhook.objects.filter(user=self._user).count() >= MOST_WEBHOOKS:
            said = _("You have {n} webhooks, which is the maximum. Delete one first.")
            raise forms.ValidationError(said.format(n=MOST_WEBHOOKS))
        return self.cleaned_data

    def made(self) -> str:
        """The secret of the new webhook."""
        url, events, nonce = self.cleaned_data["url"], " ".join(self.cleaned_data["events"]), new_nonce()
        secret, receiver = signing.secret_of(nonce), address.read(url).receiver
        known = {"nonce": nonce, "sha256": signing.fingerprint(secret)}
        Webhook.objects.create(user=self._user, url=url, receiver=receiver, events=events, **known)
        Audit.objects.note(self._user, "webhook made", receiver)
        return signing.shown(secret)


class ShownWebhook(NamedTuple):
    """A webhook with its last messages, the newest first."""

    row: Webhook
    events: list[str]
    last: list[Delivery]


@view("GET", "POST", hosted=False)
async def index(request: HttpRequest) -> HttpResponse:
    """The webhooks of an account, and the form of a new one; its secret is shown on the page that answers."""
    user = await account_of(request)
    form, secret = await made_with(WebhookForm, request, user, NEW_WEBHOOKS)
    found = [_shown(row) async for row in Webhook.objects.filter(user=user).order_by("-pk")]
    context = {"form": form, "secret": secret, "webhooks": [await each for each in found]}
    return await page(request, "arena/settings_webhooks.html", context, 422 if form.errors else 200)


@view("POST", hosted=False)
async def act(request: HttpRequest) -> HttpResponse:
    """Send a test, switch on again, or delete one of one's own."""
    user, number = await account_of(request, HOME), whole_number(request.POST.get("webhook", "")) or 0
    done = ACTS.get(request.POST.get("act", ""))
    if done is not None:
        webhook = await Webhook.objects.filter(user=user.pk, pk=number).afirst()
        if webhook is not None:
            TESTS.check(request)
            messages.info(request, await sync_to_async(done)(webhook, str(user)))
    return HttpResponseRedirect(HOME)


def _test(webhook: Webhook, user: str) -> str:
    if webhook.off is not None:
        return _("It is switched off: switch it on first.")
    if not rows.send_test(webhook):
        return _("A test is on its way already.")
    return _("A test is on its way. Reload this page to see the result.")


def _switch_on(webhook: Webhook, user: str) -> str:
    if webhook.by_staff:
        return _(BY_STAFF)
    rows.switch_on(webhook)
    Audit.objects.note(user, "webhook switched on", webhook.receiver)
    return _("{receiver} gets messages again from now on.").format(receiver=webhook.receiver)


def _delete(webhook: Webhook, user: str) -> str:
    if webhook.by_staff:
        return _(BY_STAFF)
    webhook.delete()
    Audit.objects.note(user, "webhook deleted", webhook.receiver)
    said = _("The webhook is deleted: {receiver} gets no more messages.")
    return said.format(receiver=webhook.receiver)


ACTS: dict[str, Callable[[Webhook, str], str]] = {"test": _test, "on": _switch_on, "delete": _delete}


async def _shown(row: Webhook) -> ShownWebhook:
    last = [each async for each in Delivery.objects.filter(webhook=row).order_by("-pk")[:SHOWN]]
    return ShownWebhook(row, [_(words) for kind, words in EVENTS if kind in row.events.split()], last)
