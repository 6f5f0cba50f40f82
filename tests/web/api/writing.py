"""Programs for tests: they send JSON with a token, and their answers are what the OpenAPI document says."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.contrib.auth.models import User
from django.urls import resolve
from django.utils import timezone

from arena.web.api.shapes import RefusalShape
from arena.web.bearer import make
from tests.kit.browsing import Person, text
from tests.web.api.conforming import conforms

ROOM = {"variant": "connect-four-7x6", "first": "me", "second": "anyone"}


async def a_token(scopes: str, name: str = "mira-k") -> str:
    """A token of the account of this name, which is made if there is none."""
    user, _ = await User.objects.aget_or_create(username=name)
    return await sync_to_async(make)(user, "a program", scopes.split(), timezone.now() + timedelta(days=1))


async def sent(
    path: str, said: Any, token: str = "", *, header: str = "", who: Person | None = None, **headers: str
) -> tuple[int, dict[str, Any]]:
    """Status and content of the answer to this POST. Text and bytes are sent as they are, the rest as JSON."""
    body = said if isinstance(said, str | bytes) else json.dumps(said)
    if shown := header or (f"Bearer {token}" if token else ""):
        headers["Authorization"] = shown
    kind = headers.pop("kind", "application/json")
    async with ThreadSensitiveContext():
        client = (who or Person()).client
        answer = await client.post(path, body, content_type=kind, headers=headers)
    assert answer["Content-Type"].startswith("application/json"), text(answer)[:500]
    content = json.loads(text(answer))
    shape = vars(resolve(path).func)["shape"] if answer.status_code < 400 else RefusalShape
    conforms(shape, content)
    return answer.status_code, content
