"""What staff may do to a token of the API: revoke it, and no other one of its account."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from arena.admin.acting import Action
from arena.match.commands import Refusal
from arena.models import AccessToken
from arena.web.match import staff


def _says(token: AccessToken) -> str:
    """What it may do still, and what ends."""
    return f"It may act for {token.user} until {token.ends:%Y-%m-%d}. Programs that show it are refused from now on."


def _revoke(request: HttpRequest, token: AccessToken, said: dict[str, Any], stood: str) -> str:
    if token.user.is_staff and not request.user.is_superuser:
        raise Refusal("not_yours", "Tokens of staff are revoked by superusers. Nothing was done.")
    staff.record(request.user, "token revoked", token, reason=" ".join(said["reason"].split()))
    token.delete()
    return "it is revoked."


TOKEN_ACTIONS = (Action("revoke", "Revoke", "Revoke", _says, _revoke),)
