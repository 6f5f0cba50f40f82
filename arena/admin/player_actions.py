"""Staff actions on people: declare that a guest was a person, and close an account.

Closing removes the account's data. Its matches stay, because their logs belong to the opponents as well and are proven
by their heads. They keep the name of that time; everything else that identifies the person is removed.
"""

from __future__ import annotations

from itertools import chain, count
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest

from arena.admin.acting import Action, on_loop
from arena.admin.joining import JOINING_ACTIONS
from arena.bots.session import tokens
from arena.models import Bot, ChatLine, ChatReport, Entry, Mute, Player, Seat, Tournament
from arena.web import joined, open_sockets
from arena.web.match import staff
from arena.web.people.account_forms import is_taken

State = Tournament.State
# Nobody is called for a match of such an event.
_NOT_CALLED = (State.DRAFT, State.FINISHED)
OWNER_GONE = "the account of its owner was closed"


def _why_not_closed(user: Any, player: Player) -> str:
    if player.kind != Player.Kind.PERSON or player.user is None:
        return "It does not belong to a person's account."
    if player.user == user:
        return "It is your own: another superuser can close it."
    if (player.user.is_staff or player.user.is_superuser) and not user.is_superuser:
        return "Accounts of staff are closed by superusers."
    if Seat.objects.filter(player=player, match__ended=None).exists():
        return "A match of theirs is not over: decide or abort it first."
    theirs = Q(player=player) | Q(player__bot__owner=player.user)
    entry = Entry.objects.filter(theirs, withdrawn=None).exclude(tournament__state__in=_NOT_CALLED)
    if (found := entry.select_related("tournament").first()) is not None:
        return f"{found.name} takes part in {found.tournament}, which is not over: withdraw it there first."
    return ""


def _says(player: Player) -> str:
    bots = Bot.objects.filter(owner=player.user_id, enabled=True).count()
    open_events = Tournament.objects.filter(organiser=player.user_id).exclude(state=State.FINISHED)
    events = ", ".join(open_events.order_by("name").values_list("name", flat=True))
    return (
        f"The account {player.user} is removed with its address, password, sessions, settings and chat lines for "
        f"good. Its profile becomes {_name_of(player)}; match logs keep the name that it played under. "
        f"{bots} of its bots {'is' if bots == 1 else 'are'} disabled and left without a token."
        + (f" Only staff run its events that are not over: {events}." if events else "")
    )


def _name_of(player: Player) -> str:
    """`Former player 7`, with a number if somebody has that name."""
    name = f"Former player {player.pk}"
    free = (each for each in chain([name], (f"{name} {n}" for n in count(2))) if not is_taken(each, player))
    return next(free)


def _close(request: HttpRequest, player: Player, said: dict[str, Any], stood: str) -> str:
    user = player.user
    assert user is not None, "it is offered for no other player"
    number, bots = user.pk, list(Bot.objects.filter(owner=user))
    with transaction.atomic():
        _forget(player, user)
        staff.record(request.user, "account closed", player, reason=said["reason"])
    on_loop(lambda: _let_go(number, bots))
    return f"it is {player.name} now."


def _forget(player: Player, user: User) -> None:
    own = joined.numbers_of(player.pk)
    ChatLine.objects.filter(player__in=own).delete()
    ChatReport.objects.filter(by__in=own).delete()
    Mute.objects.filter(Q(by__in=own) | Q(whom__in=own)).delete()
    player.name, player.user, player.prefs = _name_of(player), None, {}
    player.slug = Player.slug_of(player.name)
    player.save(update_fields=["name", "slug", "user", "prefs"])
    user.delete()


async def _let_go(account: int, bots: list[Bot]) -> None:
    """End at once everything that they have open."""
    open_sockets.end(open_sockets.SocketsEnd(open_sockets.LOGGED_OUT, "the account was closed", account=account))
    for bot in bots:
        await bot.arefresh_from_db()
        await tokens.revoke(bot)
        await tokens.disable(bot, OWNER_GONE)


PLAYER_ACTIONS = (
    *JOINING_ACTIONS,
    Action(
        *("close account", "Close the account", "Close the account", _says, _close),
        one=True,
        may=lambda user: bool(user.has_perm("auth.delete_user")),
        why_not=_why_not_closed,
    ),
)
