"""Every address of accounts, profiles and bots, asked for by everybody: one table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from django.contrib.auth.models import User

from arena.host import Host
from tests.kit.browsing import Person
from tests.kit.history import a_bot
from tests.web.people.test_accounts import a_guest, account

WHO = ("nobody", "guest", "other", "owner", "staff", "superuser")
# Status by who asks, in the order of WHO.
TABLE = {
    "/login/": (200, 200, 302, 302, 302, 302),
    "/login/code/": (200, 200, 200, 200, 200, 200),
    "/signup/": (200, 200, 302, 302, 302, 302),
    "/logout/": (405, 405, 405, 405, 405, 405),
    "/settings/": (200, 200, 200, 200, 200, 200),
    "/settings/one/": (405, 405, 405, 405, 405, 405),
    "/settings/password/": (302, 302, 200, 200, 200, 200),
    "/me/": (302, 302, 302, 302, 302, 302),
    "/@/mira-k/": (200, 200, 200, 200, 200, 200),
    "/@/nobody/": (404, 404, 404, 404, 404, 404),
    "/bots/": (200, 200, 200, 200, 200, 200),
    "/bots/new/": (302, 302, 200, 200, 200, 200),
    "/bots/gravity-9/": (200, 200, 200, 200, 200, 200),
    "/bots/gravity-9/edit/": (404, 404, 404, 200, 404, 200),
    "/bots/gravity-9/version/": (404, 404, 404, 200, 404, 200),
    "/bots/gravity-9/token/": (405, 405, 405, 405, 405, 405),
    "/bots/gravity-9/revoke/": (405, 405, 405, 405, 405, 405),
    "/bots/gravity-9/port/": (405, 405, 405, 405, 405, 405),
    "/bots/gravity-9/retire/": (405, 405, 405, 405, 405, 405),
    "/bots/gravity-9/enable/": (405, 405, 405, 405, 405, 405),
    "/bots/gravity-9/check/": (404, 404, 404, 200, 404, 200),
    "/bots/nobody/edit/": (404, 404, 404, 404, 404, 404),
    "/admin/": (302, 302, 302, 302, 200, 200),
    "/admin/auth/user/": (302, 302, 302, 302, 403, 200),
}


async def stranger(person: Person | None = None) -> Person:
    """Nobody, or who came before."""
    return person or Person()


async def known(name: str, **fields: Any) -> Person:
    person = Person()
    await person.client.aforce_login(await User.objects.acreate_user(name, **fields))
    return person


async def test_everybody_gets_what_is_theirs(host: Host) -> None:
    owner = await account("Mira K")
    await a_bot(owner=await User.objects.aget())
    comes: dict[str, Callable[[], Awaitable[Person]]] = {
        "nobody": stranger,
        "guest": lambda: a_guest(host),
        "other": lambda: account("Bob"),
        "owner": lambda: stranger(owner),
        "staff": lambda: known("helper", is_staff=True),
        "superuser": lambda: known("root", is_staff=True, is_superuser=True),
    }
    for n, who in enumerate(WHO):
        asking = await comes[who]()
        found = {path: (await asking.get(path)).status_code for path in TABLE}
        assert found == {path: statuses[n] for path, statuses in TABLE.items()}, who
