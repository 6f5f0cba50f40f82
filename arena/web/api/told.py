"""The contents of webhook messages: the subject as lists of the API show it, at the time of the first attempt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.bots.session import tokens
from arena.models import Bot, Match, Rating, Tournament
from arena.web.api import shapes
from arena.web.api.lines import bot_line, match_line, tournament_line, with_lines
from arena.web.people import ratings
from arena.work.webhooks import rows

# The API's document describes the messages by these shapes.
SHAPES: Mapping[str, Any] = {
    rows.MATCH_OVER: shapes.MatchMessage,
    rows.BOT_OFFLINE: shapes.BotMessage,
    rows.BOT_QUARANTINED: shapes.BotMessage,
    rows.BEGUN: shapes.TournamentMessage,
    rows.FINAL: shapes.TournamentMessage,
    rows.TEST: shapes.TestMessage,
}


def told(kind: str, subject: str) -> Mapping[str, Any] | None:
    """The contents of a message of this kind, None if its subject is gone. For a thread of the host."""
    if kind == rows.MATCH_OVER:
        match = with_lines(Match.objects.filter(pk=subject)).first()
        return match_line(match) if match is not None else None
    if kind in (rows.BOT_OFFLINE, rows.BOT_QUARANTINED):
        bot = Bot.objects.select_related("player").filter(pk=int(subject)).first()
        return _bot(bot) if bot is not None else None
    if kind in (rows.BEGUN, rows.FINAL):
        event = Tournament.objects.filter(pk=int(subject)).first()
        return tournament_line(event) if event is not None else None
    return {}


def _bot(bot: Bot) -> shapes.BotLine:
    wanted = Rating.objects.filter(player=bot.pk, variant=bot.variant)
    rated = next(iter(ratings.rows(wanted.values_list(*ratings.COLUMNS))), None)
    return bot_line(bot, bot.pk in tokens.players(), rated)
