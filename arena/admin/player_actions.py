"""Staff actions on people: declare that a guest was a person, and close an account as its person can."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest

from arena.admin.acting import Action, on_loop
from arena.admin.joining import JOINING_ACTIONS
from arena.host import here_or_none
from arena.models import Player
from arena.web.match import staff
from arena.web.people import account_closing


def _why_not_closed(user: Any, player: Player) -> str:
    if player.kind != Player.Kind.PERSON or player.user is None:
        return "It does not belong to a person's account."
    if player.user == user:
        return "It is your own: close it in your settings."
    if (player.user.is_staff or player.user.is_superuser) and not user.is_superuser:
        return "Accounts of staff are closed by superusers."
    return ""


def _says(player: Player) -> str:
    matches, bots = account_closing.matches_of(player).count(), account_closing.bots_of(player.user_id).count()
    entered = _names(account_closing.entries_of(player).values_list("tournament__name", flat=True))
    organised = _names(account_closing.organised_by(player.user_id).values_list("name", flat=True))
    return (
        f"The account {player.user} is removed with its address, password, sessions, settings, chat lines and results "
        "of puzzles for good. Pages show a former player in place of its name; the records of matches keep it, and "
        f"nobody else can take it. {bots} of its bots {'is' if bots == 1 else 'are'} disabled and left without a "
        "token."
        + (f" Matches that it is playing, {matches}, are resigned." if matches else "")
        + (f" It and its bots are withdrawn from {entered}." if entered else "")
        + (f" Only staff run its events that are not over: {organised}." if organised else "")
    )


def _names(found: Iterable[str]) -> str:
    return ", ".join(sorted(set(found)))


def _close(request: HttpRequest, player: Player, said: dict[str, Any], stood: str) -> str:
    def record() -> None:
        staff.record(request.user, account_closing.ACT, player, reason=said["reason"])

    on_loop(lambda: account_closing.close(here_or_none(), player, record))
    return f"it is {player.name} now."


PLAYER_ACTIONS = (
    *JOINING_ACTIONS,
    Action(
        *("close account", "Close the account", "Close the account", _says, _close),
        one=True,
        may=lambda user: bool(user.has_perm("auth.delete_user")),
        why_not=_why_not_closed,
    ),
)
