"""The staff action on an API token: revoke it, and no other token of its account."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from arena.admin.acting import Action
from arena.models import AccessToken
from arena.web.match import staff


def _says(token: AccessToken) -> str:
    """What the account can still do, and what ends."""
    return f"It may act for {token.user} until {token.ends:%Y-%m-%d}. Programs that show it are refused from now on."


def _why_not(user: Any, token: AccessToken) -> str:
    return "Tokens of staff are revoked by superusers." if token.user.is_staff and not user.is_superuser else ""


def _revoke(request: HttpRequest, token: AccessToken, said: dict[str, Any], stood: str) -> str:
    staff.record(request.user, "token revoked", token, reason=said["reason"])
    token.delete()
    return "it is revoked."


TOKEN_ACTIONS = (Action("revoke", "Revoke", "Revoke", _says, _revoke, why_not=_why_not),)
