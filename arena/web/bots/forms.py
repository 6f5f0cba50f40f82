"""`/bots/new/`, `/bots/<slug>/edit/` and `/version/`: registering a bot, changing it, and adding its next version.

Each version of a bot has its own row, player and ratings: results stay with the version that achieved them. Only a
superuser can set the command that this server runs for a bot, here as in the admin.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from asgiref.sync import sync_to_async
from django import forms
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as later
from django.utils.translation import pgettext_lazy

import games
from arena import protocols
from arena.bots.process.commands import check_command
from arena.bots.session import tokens
from arena.common import names
from arena.common.numbers import whole_number
from arena.match.commands import Refusal
from arena.models import Audit, Bot, Player
from arena.web.bots.bots import REPLACED, events_of, managed
from arena.web.guests import account_of
from arena.web.limits import Limit
from arena.web.people.account_forms import LONGEST_TYPED, ArenaForm, is_taken
from arena.web.privacy import keep_private
from arena.web.views import page, view
from arena.web.words import game_title, spoken, title

MOST_BOTS = 50
LONGEST_COMMAND = 2000
NEW_BOTS = Limit("new bots", 20, 1 / 60)
WIRES = [
    (Bot.Wire.OWNER, later("Only me and staff")),
    (Bot.Wire.AFTER, later("Everyone, after the match")),
    (Bot.Wire.PUBLIC, later("Everyone, also while it plays")),
]

OPEN_TO = [
    (Bot.OpenTo.NOBODY, later("Nobody: I enter it myself")),
    (Bot.OpenTo.STAFF, pgettext_lazy("people", "Staff")),
    (Bot.OpenTo.EVERYONE, later("Everyone")),
]


class BotForm(ArenaForm):
    """Shows the fields in `only`; the command is for superusers. `bot` is the one being changed, None for a new one."""

    name = forms.CharField(
        label=later("Name"),
        max_length=LONGEST_TYPED,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text=later("1 to 32 letters a to z, digits, blanks and\u00a0.\u00a0_\u00a0-"),
    )
    variant = forms.ChoiceField(label=later("Game"))
    protocol = forms.ChoiceField(label=later("How it talks"))
    wire = forms.ChoiceField(label=later("Who may read its wire"), choices=WIRES, initial=Bot.Wire.OWNER)
    open_to = forms.ChoiceField(
        label=later("Open to events of"),
        choices=OPEN_TO,
        initial=Bot.OpenTo.STAFF,
        required=False,
        help_text=later(
            "Who may enter it into a tournament without asking you. Its page says who has; you can always leave."
        ),
    )
    retire = forms.BooleanField(label=later("Retire the previous version"), required=False, initial=True)
    command = forms.CharField(
        label=later("Command that this server runs"),
        required=False,
        max_length=LONGEST_COMMAND,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text=later(
            "A program and its arguments, such as python3 bot.py; the bot's page then names the folder for its files. "
            "Empty for a bot that connects by itself."
        ),
    )

    def __init__(self, user: Any, *arguments: Any, bot: Bot | None = None, only: tuple[str, ...], **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._user, self._bot = user, bot
        _choice(self, "variant").choices = [(each.slug, title(each)) for each in games.variants()]
        _choice(self, "protocol").choices = protocols.choices()
        for name in list(self.fields):
            if name not in only or (name == "command" and not user.is_superuser):
                del self.fields[name]

    def clean_name(self) -> str:
        try:
            name = names.bot(self.cleaned_data["name"], may_be_office=self._user.is_staff)
        except names.BadName as why:
            raise forms.ValidationError(_(why.template).format(**why.values)) from None
        if is_taken(name) or Bot.objects.filter(family__iexact=name).exists():
            raise forms.ValidationError(_("That name is taken."))
        return name

    def clean_open_to(self) -> str:
        """If it is missing, nothing changes."""
        return self.cleaned_data["open_to"] or (self._bot.open_to if self._bot else Bot.OpenTo.STAFF)

    def clean_command(self) -> list[str] | None:
        typed = self.cleaned_data["command"]
        try:
            words = shlex.split(typed) or None
            check_command(self._user, words, self._bot.command if self._bot else None)
        except ValueError as why:
            said = _("{typed} cannot be split into words: {why}.").format(typed=repr(typed[:60]), why=why)
            raise forms.ValidationError(said) from None
        except Refusal as refusal:
            raise forms.ValidationError(spoken(refusal.sentence)) from None
        return words

    def clean(self) -> dict[str, Any]:
        said = self.cleaned_data
        protocol = said.get("protocol") or (self._bot.protocol if self._bot else "")
        variant = said.get("variant") or (self._bot.variant if self._bot else "")
        if protocol and variant and not protocols.plays(protocol, variant):
            known = ", ".join(game_title(games.variant(slug).title) for slug in protocols.protocol(protocol).variants)
            words = _("{protocol} does not play this game, but {games}.")
            self.add_error("protocol", words.format(protocol=protocols.protocol(protocol).title, games=known))
        return said


# -- pages -------------------------------------------------------------------------------------------------------------


@view("GET", "POST", hosted=False)
async def new(request: HttpRequest) -> HttpResponse:
    user, only = await account_of(request), ("name", "variant", "protocol", "wire", "open_to", "command")
    asked = {name: request.GET[name] for name in ("variant", "protocol", "name") if name in request.GET}
    form = BotForm(user, request.POST if request.method == "POST" else None, only=only, initial=asked)
    if form.is_bound:
        NEW_BOTS.check(request)
        if await sync_to_async(form.is_valid)() and (made := await sync_to_async(_register)(form, user)) is not None:
            return await token_page(request, made, await tokens.rotate(made))
    context = {"form": form, "title": _("Add a bot"), "action": "/bots/new/", "button": _("Add it"), "back": "/bots/"}
    return await page(request, "arena/bot_form.html", context, 422 if form.errors else 200)


@view("GET", "POST", hosted=False)
async def edit(request: HttpRequest, slug: str) -> HttpResponse:
    bot, user = await managed(request, slug), await request.auser()
    shown = {"wire": bot.wire, "open_to": bot.open_to, "command": shlex.join(bot.command or ())}
    sent = request.POST if request.method == "POST" else None
    form = BotForm(user, sent, bot=bot, only=("wire", "open_to", "command"), initial=shown)
    if form.is_bound and await sync_to_async(form.is_valid)():
        await sync_to_async(_change)(form, bot, user)
        return HttpResponseRedirect(bot.player.get_absolute_url())
    return await _form_of(request, form, bot, _("Edit {name}").format(name=bot.player.name), "edit", _("Save"))


@view("GET", "POST", hosted=False)
async def version(request: HttpRequest, slug: str) -> HttpResponse:
    """The next version of a bot: a new player that begins its own ladder."""
    bot, user = await managed(request, slug), await request.auser()
    sent = request.POST if request.method == "POST" else None
    events = [entry.tournament.name async for entry in events_of(bot)]
    shown = {"protocol": bot.protocol, "wire": bot.wire, "command": shlex.join(bot.command or ()), "retire": not events}
    form = BotForm(user, sent, bot=bot, only=("protocol", "wire", "retire", "command"), initial=shown)
    if form.is_bound:
        NEW_BOTS.check(request)
        if await sync_to_async(form.is_valid)() and (made := await sync_to_async(_follow)(form, bot)) is not None:
            if form.cleaned_data["retire"] and bot.enabled:
                await tokens.disable(bot, REPLACED.format(name=made.player.name))
            return await token_page(request, made, await tokens.rotate(made))
    heading = _("A new version of {name}").format(name=bot.family)
    return await _form_of(request, form, bot, heading, "version", _("Add it"), events)


async def token_page(request: HttpRequest, bot: Bot, token: str) -> HttpResponse:
    """The only page that ever shows the token: no address leads here again, and no proxy may store it."""
    keep_private(request)
    heading = _("The token of {name}").format(name=bot.player.name)
    return await page(request, "arena/bot_token.html", {"bot": bot, "title": heading, "token": token})


async def _form_of(
    request: HttpRequest,
    form: BotForm,
    bot: Bot,
    title: str,
    action: str,
    button: str,
    events: Sequence[str] = (),
) -> HttpResponse:
    back = bot.player.get_absolute_url()
    context = {"form": form, "bot": bot, "title": title, "action": f"{back}{action}/", "button": button, "back": back}
    context["events"] = events
    return await page(request, "arena/bot_form.html", context, 422 if form.errors else 200)


# -- what they do ------------------------------------------------------------------------------------------------------


def _register(form: BotForm, user: Any) -> Bot | None:
    said = form.cleaned_data
    if Bot.objects.filter(owner=user).count() >= MOST_BOTS and not user.is_superuser:
        words = _("You have {number} bots, the maximum for one account. Versions count.")
        form.add_error(None, words.format(number=MOST_BOTS))
        return None
    kept = {name: said[name] for name in ("variant", "protocol", "wire", "open_to")}
    return _create(form, said["name"], owner=user, family=said["name"], command=said.get("command"), **kept)


def _follow(form: BotForm, bot: Bot) -> Bot | None:
    """Add the next version, numbered after the highest one."""
    said = form.cleaned_data
    family = Bot.objects.filter(family=bot.family)
    if family.filter(owner=bot.owner).count() >= MOST_BOTS:
        words = _("{name} has {number} versions, the maximum for a bot.")
        form.add_error(None, words.format(name=bot.family, number=MOST_BOTS))
        return None
    number = 1 + max(whole_number(text) or 1 for text in family.values_list("version", flat=True))
    name = f"{bot.family} v{number}"
    if len(name) > names.BOT_LENGTH[1]:
        words = _("{name} has {length} characters, and {most} is the most that fits. Add a new bot.")
        form.add_error(None, words.format(name=name, length=len(name), most=names.BOT_LENGTH[1]))
        return None
    kept = {
        "variant": bot.variant,
        "owner": bot.owner,
        "open_to": bot.open_to,
        "family": bot.family,
        "version": str(number),
    }
    command = said.get("command", bot.command)
    return _create(form, name, command=command, protocol=said["protocol"], wire=said["wire"], **kept)


def _create(form: BotForm, name: str, **fields: Any) -> Bot | None:
    """Create the player and the bot; if that fails, None, and the form says why."""
    try:
        with transaction.atomic():
            player = Player.objects.create(kind=Player.Kind.BOT, name=name, slug=Player.slug_of(name))
            return Bot.objects.create(player=player, **fields)
    except IntegrityError:
        form.add_error(None, _("The name {name} is taken.").format(name=name))
        return None


def _change(form: BotForm, bot: Bot, user: Any) -> None:
    """Save the fields of the form, which holds the command for a superuser only: one may be changing it meanwhile."""
    before = bot.command
    for name, value in form.cleaned_data.items():
        setattr(bot, name, value)
    bot.save(update_fields=[*form.cleaned_data])
    if bot.command != before:
        Audit.objects.note(user, "command of a bot", bot.player, before=before, after=bot.command)


def _choice(form: forms.Form, name: str) -> forms.ChoiceField:
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    return field
