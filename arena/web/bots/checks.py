"""`/bots/<slug>/check/`: the owner has the server check a bot, as by `check_bot --record`, and reads what it found."""

from __future__ import annotations

from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

from arena.bots.conformance import steps_of
from arena.bots.failure.cards import Card
from arena.bots.seats.checking import LONGEST_S, SHARED_S, BotCheck, Checks
from arena.host import Host
from arena.match.commands import Refusal
from arena.models import Audit, Bot
from arena.web import card_words
from arena.web.bots.bots import managed, passed_on
from arena.web.library import connecting
from arena.web.limits import Limit
from arena.web.views import page, view
from arena.web.words import spoken

# Every turn takes some minutes, and one that does not come takes two: others should have theirs.
OFTEN = Limit("checks of bots", 6, 1 / 600)


@view("GET", "POST")
async def check(request: HttpRequest, host: Host, slug: str) -> HttpResponse:
    bot, checks = await managed(request, slug), host.seat_ports.checks
    found = checks.of(bot.pk)
    if request.method == "POST":
        if found is None or found.over:
            await _begin(request, checks, bot)
        return HttpResponseRedirect(request.path)
    is_over = found is None or found.over is not None
    ahead, shared = checks.ahead_of(found) if found is not None else 0, round(SHARED_S / 60)
    line = {"ahead": ahead, "within": ahead * shared, "shared": shared, "longest": round(LONGEST_S / 60)}
    passed = await sync_to_async(passed_on)(bot) if is_over else ""
    context = {"bot": bot, "check": found, "passed": passed, **line, **_went(request, bot, found)}
    return await page(request, "arena/bot_check.html", context)


async def _begin(request: HttpRequest, checks: Checks, bot: Bot) -> None:
    if not bot.enabled:
        raise Refusal("bot_disabled", _("{name} does not play at present.").format(name=bot.player.name))
    OFTEN.check(request)
    user = await request.auser()
    assert user.pk is not None, "somebody manages the bot"
    checks.begin(bot, user.pk)
    await sync_to_async(Audit.objects.note)(user, "bot check begun", bot.player)


def _went(request: HttpRequest, bot: Bot, found: BotCheck | None) -> dict[str, Any]:
    """How far it is, and where the bot is awaited."""
    every = steps_of(bot.protocol)
    says = {step.name: step.sentence for step in every}
    steps = [] if found is None else [{**step, "says": says.get(step["step"], "")} for step in found.steps]
    for step in steps:
        step["card"] = step["card"] and card_words.shown(Card.from_data(step["card"]))
    awaits = found is not None and not found.over and found.port is not None
    talk = {"host": connecting.host_of(request), "port": found.port} if found is not None and awaits else None
    return {
        "steps": steps,
        "next": every[len(steps)].sentence if len(steps) < len(every) else "",
        "number": len(steps) + 1,
        "ok": sum(step["ok"] for step in steps),
        "all": len(every),
        "talk": talk and {**talk, "listen": connecting.listen_of(bot.protocol)},
        "why": spoken(found.why) if found is not None else "",
    }
