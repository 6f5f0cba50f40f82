"""The owner's tools on the page of a bot: make or revoke a token, retire the bot, bring it back. Each is a POST."""

from __future__ import annotations

from asgiref.sync import sync_to_async
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

from arena.bots.session import tokens
from arena.common.numbers import whole_number
from arena.match.commands import Refusal
from arena.models import Audit, Bot
from arena.web.bots.bots import RETIRED, managed, may_return, why_disabled
from arena.web.bots.forms import token_page
from arena.web.views import view


@view("POST", hosted=False)
async def new_token(request: HttpRequest, slug: str) -> HttpResponse:
    bot = await managed(request, slug)
    token = await tokens.rotate(bot)
    await _note(request, bot, "new token")
    return await token_page(request, bot, token)


@view("POST", hosted=False)
async def revoke(request: HttpRequest, slug: str) -> HttpResponse:
    bot = await managed(request, slug)
    await tokens.revoke(bot)
    words = _("The bot no longer has a token. Whatever was connected with it has been disconnected.")
    return await _done(request, bot, "token revoked", words)


@view("POST", hosted=False)
async def port(request: HttpRequest, slug: str) -> HttpResponse:
    """Give the bot a port of its own, or none."""
    bot, said = await managed(request, slug), request.POST.get("port", "").strip()
    number = whole_number(said)
    if said and number is None:
        words = _("Received the port {port}, expected a number, or nothing for none.").format(port=repr(said[:20]))
        raise Refusal("invalid_form", words)
    await tokens.give_port(bot, number)
    words = _("The arena listens for {name} on port {port}.") if said else _("{name} has no port of its own.")
    return await _done(request, bot, "port", words.format(name=bot.player.name, port=said))


@view("POST", hosted=False)
async def retire(request: HttpRequest, slug: str) -> HttpResponse:
    bot = await managed(request, slug)
    if bot.enabled:
        await tokens.disable(bot, RETIRED)
    words = _("{name} no longer plays. Its results stay.").format(name=bot.player.name)
    return await _done(request, bot, "retired", words)


@view("POST", hosted=False)
async def enable(request: HttpRequest, slug: str) -> HttpResponse:
    bot = await managed(request, slug)
    if bot.quarantined is not None:
        words = _("{name} is in quarantine: it comes back when check_bot passes.")
        raise Refusal("quarantined", words.format(name=bot.player.name))
    if not may_return(bot, (await request.auser()).is_superuser):
        why = why_disabled(bot) if bot.why_disabled else _("no reason given")
        words = _("{name} was disabled by staff: {why}.")
        raise Refusal("not_yours", words.format(name=bot.player.name, why=why))
    await tokens.enable(bot)
    return await _done(request, bot, "enabled", _("{name} may play again.").format(name=bot.player.name))


async def _done(request: HttpRequest, bot: Bot, act: str, words: str) -> HttpResponse:
    await _note(request, bot, act)
    messages.success(request, words)
    return HttpResponseRedirect(bot.player.get_absolute_url())


async def _note(request: HttpRequest, bot: Bot, act: str) -> None:
    await sync_to_async(Audit.objects.note)(await request.auser(), f"bot {act}", bot.player)
