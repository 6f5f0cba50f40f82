"""`/bots/<slug>/check/`: the owner has the server check a bot, as by `check_bot --record`, and reads what it found."""

from __future__ import annotations

from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

from arena.bots.conformance import steps_of
from arena.bots.failure.cards import Card
from arena.bots.seats.checking import BotCheck
from arena.host import Host
from arena.match.commands import Refusal
from arena.models import Audit, Bot
from arena.web import card_words
from arena.web.bots.bots import managed
from arena.web.library import connecting
from arena.web.limits import Limit
from arena.web.views import page, view
from arena.web.words import spoken

# One bot is checked at a time, and one that does not come takes two minutes: others should have their turn.
OFTEN = Limit("checks of bots", 6, 1 / 600)


@view("GET", "POST")
async def check(request: HttpRequest, host: Host, slug: str) -> HttpResponse:
    bot = await managed(request, slug)
    if request.method == "POST":
        if not bot.enabled:
            raise Refusal("bot_disabled", _("{name} does not play at present.").format(name=bot.player.name))
        OFTEN.check(request)
        await host.seat_ports.checks.begin(bot)
        await sync_to_async(Audit.objects.note)(await request.auser(), "bot check begun", bot.player)
        return HttpResponseRedirect(request.path)
    found = host.seat_ports.checks.of(bot.pk)
    return await page(request, "arena/bot_check.html", {"bot": bot, **_shown(request, bot, found)})


def _shown(request: HttpRequest, bot: Bot, found: BotCheck | None) -> dict[str, Any]:
    every = {step.name: step.sentence for step in steps_of(bot.protocol)}
    steps = [] if found is None else [{**step, "says": every.get(step["step"], "")} for step in found.steps]
    for step in steps:
        step["card"] = step["card"] and card_words.shown(Card.from_data(step["card"]))
    awaits = found is not None and not found.over and found.port is not None
    talk = {"host": connecting.host_of(request), "port": found.port} if found is not None and awaits else None
    return {
        "check": found,
        "steps": steps,
        "ok": sum(step["ok"] for step in steps),
        "all": len(every),
        "talk": talk and {**talk, "listen": connecting.listen_of(bot.protocol)},
        "why": spoken(found.why) if found is not None else "",
    }
