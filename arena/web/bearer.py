"""Access tokens: a program sends one in `Authorization: Bearer …` to act for an account.

A cookie authorises nothing here, so a page of another site cannot act in a visitor's name.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils import timezone

from arena.bots.session.tokens import sha256_of
from arena.match.commands import Refusal
from arena.models import AccessToken
from arena.web.guests import speak_for

TOKEN = re.compile(r"arp_[a-z2-7]{32}")
_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
# The time of the last use is stored at most this often, however often a program asks.
USED_EVERY = timedelta(minutes=1)


class Unauthorised(Refusal):
    """The request has no valid token."""


def make(user: User, name: str, scopes: Sequence[str], ends: datetime) -> str:
    """A new token, which can be shown this once. Writes a row."""
    token = "arp_" + "".join(secrets.choice(_ALPHABET) for _ in range(32))
    AccessToken.objects.create(user=user, name=name, sha256=sha256_of(token), scopes=" ".join(scopes), ends=ends)
    return token


async def identify(request: HttpRequest, scope: str = "") -> AccessToken:
    """The token of this request, which from here on acts for its account.

    Raises Unauthorised without a valid token, and Refusal (`wrong_scope`) if the token lacks the scope.
    """
    token = await _shown(request)
    if scope and scope not in token.scopes.split():
        said = f"The token {token.name!r} has the scopes {token.scopes}, expected {scope}. Nothing was done."
        raise Refusal("wrong_scope", said)
    now = timezone.now()
    if token.used is None or now - token.used > USED_EVERY:
        await AccessToken.objects.filter(pk=token.pk).aupdate(used=now)
    await speak_for(request, token.user)
    request.token = token  # type: ignore[attr-defined]
    return token


def may(request: HttpRequest, scope: str) -> bool:
    """Whether the token of this request also has this scope."""
    token: AccessToken = request.token  # type: ignore[attr-defined]
    return scope in token.scopes.split()


async def _shown(request: HttpRequest) -> AccessToken:
    kind, _, value = request.headers.get("Authorization", "").partition(" ")
    if not kind:
        raise Unauthorised("token_missing", "Received no token, expected Authorization: Bearer arp_… Nothing was done.")
    if kind.lower() != "bearer" or not TOKEN.fullmatch(value.strip()):
        expected = "expected Bearer, a blank and arp_ with 32 letters and digits"
        raise Unauthorised("token_malformed", f"Received another Authorization header, {expected}. Nothing was done.")
    found = AccessToken.objects.select_related("user").filter(sha256=sha256_of(value.strip()))
    token = await found.afirst()
    if token is None:
        raise Unauthorised("token_unknown", "Nobody has this token: it was mistyped or revoked. Nothing was done.")
    if token.ends <= timezone.now():
        ended = f"The token {token.name!r} ended at {token.ends:%Y-%m-%dT%H:%M:%SZ}. Nothing was done."
        raise Unauthorised("token_ended", ended)
    if not token.user.is_active:
        raise Unauthorised("account_closed", "The account of this token is locked. Nothing was done.")
    return token
