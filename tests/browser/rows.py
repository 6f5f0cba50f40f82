"""Rows in the database of a server that runs, read and written from here.

Another process could do it as well, and needs a second to begin. A server reads rows like those of any other process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TypeVar

from django.contrib.auth.models import User
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.utils import load_backend
from django.test import Client
from playwright.async_api import BrowserContext

from arena.models import Player
from tests.kit.hashing import Quick
from tests.kit.server import Server

Given = TypeVar("Given")

PASSWORD = "seven-blue-otters"
# The superuser of every server that was given one; it logs in with PASSWORD.
ROOT_NAME = "ada"


class Rows:
    """`await rows(server, act)` is what `act` returns; what it asks of models is asked of the rows of this server."""

    def __init__(self, unblocked: Callable[[], AbstractContextManager[None]]) -> None:
        self._unblocked = unblocked

    async def __call__(self, server: Server, act: Callable[[], Given]) -> Given:
        return await asyncio.to_thread(self._act, server, act)

    def _act(self, server: Server, act: Callable[[], Given]) -> Given:
        # A connection belongs to its thread, so that the tables of other tests stay where they are.
        settings = {**connections.settings[DEFAULT_DB_ALIAS], "NAME": str(server.data / "arena.sqlite3")}
        own = load_backend(settings["ENGINE"]).DatabaseWrapper(settings, DEFAULT_DB_ALIAS)
        connections[DEFAULT_DB_ALIAS] = own
        try:
            with self._unblocked():
                return act()
        finally:
            own.close()
            del connections[DEFAULT_DB_ALIAS]

    async def log_in(self, server: Server, context: BrowserContext, name: str = ROOT_NAME) -> None:
        """Let this browser be logged in as `name`, whose account is made where there is none; `ada` is a superuser."""
        key = await self.session(server, name)
        await context.add_cookies([{"name": "sessionid", "value": key, "url": server.address}])

    async def session(self, server: Server, name: str = ROOT_NAME) -> str:
        """The key of a session of `name`, as their cookie has it."""
        return await self(server, lambda: _session(_root() if name == ROOT_NAME else account(name)))

    async def make_root(self, server: Server) -> None:
        """The superuser, for who logs in by the form."""
        await self(server, _root)


def _session(user: User) -> str:
    client = Client()
    client.force_login(user)
    return client.cookies["sessionid"].value


def account(name: str) -> User:
    """As signing up makes it; it has no password."""
    user, made = User.objects.get_or_create(username=Player.slug_of(name))
    if made:
        Player.objects.create(kind=Player.Kind.PERSON, name=name, slug=user.username, user=user)
    return user


def _root() -> User:
    user, made = User.objects.get_or_create(username=ROOT_NAME, defaults={"is_staff": True, "is_superuser": True})
    if made:
        user.password = Quick().encode(PASSWORD, "salt")
        user.save(update_fields=["password"])
    return user
