"""Staff actions on bots: they close or allow the bot's connections at once."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from arena.admin.acting import Action, Unasked, on_loop, only_superusers
from arena.bots.failure import quarantine
from arena.bots.process import programs
from arena.bots.process.packing import NotPacked
from arena.bots.session import tokens
from arena.match.commands import Refusal
from arena.models import Bot
from arena.web.match import staff

On = Callable[[Bot, str, str], Coroutine[Any, Any, Any]]

# Owners may bring back a bot that they retired, so a reason given by staff must not look like theirs.
OWNERS = "retired"


def _standing(bot: Bot) -> dict[str, Any]:
    return {
        "enabled": bot.enabled,
        "why_disabled": bot.why_disabled,
        "has_token": bot.token_sha256 is not None,
        "connections": len(tokens.connections_of(bot.pk)),
    }


def _says(what: str, bot: Bot) -> str:
    stands = "enabled" if bot.enabled else f"disabled ({bot.why_disabled or 'no reason given'})"
    number = len(tokens.connections_of(bot.pk))
    return f"{stands}, {number} connection{'' if number == 1 else 's'} now. {what}"


def _do(name: str, on: On, came: str, request: HttpRequest, bot: Bot, said: dict[str, Any], stood: str) -> str:
    before, reason = _standing(bot), said["reason"]
    on_loop(lambda: on(bot, reason, staff.actor_of(request.user)))
    staff.record(request.user, f"bot {name}", bot, reason=reason, before=before, after=_standing(bot))
    return came


async def _disable(bot: Bot, reason: str, actor: str) -> None:
    await tokens.disable(bot, f"by staff: {reason}" if reason.startswith(OWNERS) else reason)


async def _enable(bot: Bot, reason: str, actor: str) -> None:
    if bot.quarantined is not None:
        await quarantine.reenter(bot, actor)
    else:
        await tokens.enable(bot)


async def _revoke(bot: Bot, reason: str, actor: str) -> None:
    await tokens.revoke(bot)


async def _kick(bot: Bot, reason: str, actor: str) -> None:
    tokens.end(bot.pk, "kicked", f"A referee has disconnected this bot: {reason.rstrip('.')}.")


def _token(request: HttpRequest, bot: Bot, said: dict[str, Any], stood: str) -> HttpResponse:
    before = _standing(bot)
    token = on_loop(lambda: tokens.rotate(bot))
    staff.record(request.user, "bot new token", bot, reason=said["reason"], before=before, after=_standing(bot))
    context = {**admin.site.each_context(request), "title": f"Token of {bot.player}", "token": token, "bot": bot}
    return TemplateResponse(request, "admin/bot_token.html", context, headers={"Cache-Control": "no-store"})


def _act(name: str, title: str, button: str, what: str, on: On, came: str, **more: Any) -> Action:
    return Action(name, title, button, partial(_says, what), partial(_do, name, on, came), **more)


def _files(bot: Bot) -> str:
    folder = settings.ARENA_BOTS / bot.player.slug
    return f"The files now in {folder} become its program, packed under their SHA-256; workers may fetch it."


def _pack(request: HttpRequest, bot: Bot, said: dict[str, Any], stood: str) -> str:
    """Pack only files in its own folder: a superuser of the site need not be allowed to read this whole machine."""
    try:
        sha256 = programs.add(bot, settings.ARENA_BOTS / bot.player.slug, staff.actor_of(request.user))
    except NotPacked as why:
        raise Refusal("not_packed", f"{why}. Nothing was changed.") from None
    stays, lacks = programs.why_stays(bot), programs.why_not_here(bot)
    where = f"It stays on this machine: {stays}." if stays else "It may go to workers."
    return f"its program is {sha256[:12]}. {where}{f' It does not start here: {lacks}.' if lacks else ''}"


def _unpack(request: HttpRequest, bot: Bot, said: dict[str, Any], stood: str) -> str:
    try:
        programs.remove(bot, staff.actor_of(request.user))
    except NotPacked as why:
        raise Refusal("not_packed", f"{why}. Nothing was changed.") from None
    return f"it runs from {programs.folder_of(bot)}, on this machine only."


BOT_ACTIONS = (
    _act(
        "disabled",
        "Disable",
        "Disable",
        "It cannot play until it is enabled again, and is told why. Its connections end at once: a match that it plays "
        "over one is lost unless you enable it again within the usual minute.",
        _disable,
        "it no longer plays.",
        why_not=lambda user, bot: "" if bot.enabled else "It is already disabled.",
    ),
    _act(
        "enabled",
        "Enable",
        "Enable",
        "It may play again; a quarantine ends, and its failures are forgiven.",
        _enable,
        "it may play again.",
        form=Unasked,
        why_not=lambda user, bot: "It is already enabled." if bot.enabled else "",
    ),
    _act(
        "kicked",
        "Disconnect",
        "Disconnect",
        "All its connections end at once. It may come back; its match waits as after any lost connection.",
        _kick,
        "all its connections have ended.",
        why_not=lambda user, bot: "" if tokens.connections_of(bot.pk) else "It is not connected.",
    ),
    _act(
        "token revoked",
        "Revoke the token",
        "Revoke",
        "The bot's token stops working, and everything connected with it is disconnected at once.",
        _revoke,
        "it no longer has a token.",
        why_not=lambda user, bot: "" if bot.token_sha256 is not None else "It has no token.",
    ),
    Action(
        "new token",
        "Make a new token",
        "Make a new token",
        partial(_says, "It gets a new token, which is shown once. Connections with the old one end at once."),
        _token,
        form=Unasked,
        one=True,
    ),
    Action(
        *("program added", "Pack its program", "Pack", _files, _pack, Unasked),
        one=True,
        may=only_superusers,
        why_not=lambda user, bot: "" if bot.command else "It connects from elsewhere, so its files are not here.",
    ),
    Action(
        "program removed",
        "Keep its program on this machine",
        "Keep it here",
        lambda bot: "It runs from its folder on this machine again, and workers no longer get it.",
        _unpack,
        form=Unasked,
        one=True,
        may=only_superusers,
        why_not=lambda user, bot: "" if bot.program else "It already runs from its folder on this machine.",
    ),
)
