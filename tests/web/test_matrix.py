"""Every address and every act of the pages, tried by everybody: one table, and an address that is not in it fails.

The admin has tables of its own, of addresses and acts (tests/admin/test_acting.py) and of every field
(tests/admin/test_fields.py). What may not be done leaves every row as it was.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from asgiref.sync import sync_to_async
from django.apps import apps
from django.contrib.auth.models import User
from django.db import connection
from django.http import HttpResponse
from django.urls import URLPattern, URLResolver, get_resolver

import games
from arena.host import Host
from arena.models import Player, Puzzle, Room
from arena.tournaments import actions
from tests.kit.browsing import Person, match_of
from tests.kit.history import a_bot
from tests.kit.tournaments import a_spec
from tests.web.people.test_accounts import a_guest, account

WHO = ("nobody", "guest", "other", "owner", "staff", "superuser")
# Status of GET and of an empty POST by who asks, in the order of WHO, or one for all; `login` leads there.
# A private match is 404 for who may not see it; what is the owner's is 404 or 403 for others, staff among them.
TABLE = """
                                       | 200                           | 405
watch/                                 | 200                           | 405
watch/projector/                       | 200                           | 405
offline/                               | 200                           | 405
sw.js                                  | 200                           | 405
matches/                               | 200                           | 405
matches/feed.atom                      | 200                           | 405
t/feed.atom                            | 200                           | 405
t/<str:slug>/results.atom              | 200                           | 405
puzzles/                               | 200                           | 405
puzzles/daily/                         | 302                           | 405
puzzles/next/                          | 302                           | 405
mistakes/                              | 200                           | 405
mistakes/<int:number>/                 | 404                           | 404
puzzles/<int:number>/                  | 200                           | 422
rank/<slug:variant>/                   | 200                           | 405
t/                                     | 200                           | 405
t/<str:slug>/                          | 200                           | 405
t/<str:slug>/<int:a>/<int:b>/          | 200                           | 405
t/<str:slug>/projector/                | 200                           | 405
t/<str:slug>/crosstable/               | 200                           | 405
t/<str:slug>/in-full/                  | 200                           | 405
t/<str:slug>/all.json                  | 200                           | 405
t/<str:slug>/table.csv                 | 200                           | 405
t/<str:slug>/pairings.csv              | 200                           | 405
@/<str:slug>/                          | 200                           | 405
@/<str:slug>/challenge/                | 405                           | 422
challenges/<str:code>/<slug:what>/     | 405                           | 409
bots/                                  | 200                           | 405
bots/<str:slug>/                       | 200                           | 405
bots/<str:slug>/mistakes.json          | 200                           | 405
protocols/                             | 200                           | 405
protocols/errors/                      | 200                           | 405
protocols/<slug:slug>/                 | 200                           | 405
samples/<str:name>                     | 200                           | 405
work/programs/<slug:sha256>            | 403                           | 405
about/                                 | 200                           | 405
games/                                 | 200                           | 405
games/<slug:slug>/                     | 200                           | 405
api/                                   | 200                           | 405
api/matches/                           | 200                           | 405
api/bots/                              | 200                           | 405
api/bots/<str:slug>/                   | 200                           | 405
api/players/                           | 200                           | 405
api/players/<str:slug>/                | 200                           | 405
api/tournaments/                       | 200                           | 405
api/tournaments/<str:slug>/            | 200                           | 405
api/openapi.json                       | 200                           | 405
api/rooms/                             | 405                           | 401
api/rooms/<str:code>/                  | 200                           | 405
api/tournaments/<str:slug>/enter/      | 405                           | 401
api/tournaments/<str:slug>/withdraw/   | 405                           | 401
api/tournaments/<str:slug>/award/      | 405                           | 401
api/tournaments/<str:slug>/pairs/      | 405                           | 401
api/tournaments/<str:slug>/again/      | 405                           | 401
api/tournaments/<str:slug>/do/<slug:name>/ | 405                       | 401
api/bulk/matches/                      | 200                           | 405
api/leaderboards/                      | 200                           | 405
api/leaderboards/<slug:variant>/       | 200                           | 405
api/players/<str:slug>/history/        | 200                           | 405
api/stream/lobby/                      | 200                           | 405
metrics                                | 200                           | 405
r/<str:code>/                          | 200                           | 405
play/                                  | 405                           | 404
play/here/                             | 405                           | 404
m/<slug:match>/                        | 404 404 404 200 404 200       | 405
m/<slug:match>/board/                  | 404 404 404 302 404 302       | 405
m/<slug:match>/back/                   | 405                           | 403 302 403 403 403 403
m/<slug:match>/back/<str:token>/       | 404                           | 404
m/<slug:match>/embed/                  | 404                           | 405
m/<slug:match>/live/                   | 404 404 404 200 404 200       | 405
m/<slug:match>/move/                   | 405                           | 404 404 404 422 404 403
m/<slug:match>/offer/                  | 405                           | 404 404 404 422 404 403
m/<slug:match>/react/                  | 405                           | 404 404 404 422 404 403
m/<slug:match>/chat/                   | 404 404 404 302 404 302       | 404 404 404 422 404 422
m/<slug:match>/card.png                | 404 404 404 200 404 200       | 405
m/<slug:match>/resign/                 | 405                           | 404 404 404 302 404 403
m/<slug:match>/abort/                  | 405                           | 404 404 404 409 404 403
m/<slug:match>/rematch/                | 405                           | 404 404 404 302 404 403
m/<slug:match>/decide/                 | login login 403 403 403 200   | login login 403 403 403 422
m/<slug:match>/black-box.jsonl         | 404 404 404 200 404 404       | 405
m/<slug:match>/log.json                | 404 404 404 200 404 200       | 405
m/<slug:match>/log.txt                 | 404 404 404 200 404 200       | 405
m/<slug:match>/record.jsonl            | 404 404 404 200 404 404       | 405
m/<slug:match>/thoughts/               | 404                           | 405
m/<slug:match>/wire/<int:seat>.jsonl   | 404                           | 405
m/<slug:match>/wire/<int:seat>.txt     | 404                           | 405
m/<slug:match>/wire/<int:seat>/        | 404                           | 405
m/<slug:match>/why/<int:seat>/         | 404                           | 405
r/friend/                              | 405                           | 422
r/<str:code>/settings/                 | 405                           | 404 404 404 422 404 404
r/<str:code>/card.png                  | 200                           | 405
r/new/                                 | 200                           | 422
login/                                 | 200 200 302 302 302 302       | 422 422 302 302 302 302
login/code/                            | 200                           | 422
signup/                                | 200 200 302 302 302 302       | 422 422 302 302 302 302
settings/                              | 200                           | 422
settings/one/                          | 405                           | 422
m/<slug:match>/feature/                | 405                           | 403 403 403 403 403 422
m/<slug:match>/analysis/               | 404 404 404 200 404 302       | 404 404 404 302 404 302
m/<slug:match>/analysis/play/          | 405                           | 404 404 404 302 404 409
analysis/<slug:variant>/values/        | 422                           | 405
settings/close/                        | 302 200 200 200 200 200       | 302 422 422 422 422 422
settings/name/                         | login login 200 200 200 200   | login login 422 422 422 422
settings/unmute/                       | 405                           | 302
settings/password/                     | login login 200 200 200 200   | login login 422 422 422 422
settings/tokens/                       | login login 200 200 200 200   | login login 422 422 422 422
settings/tokens/revoke/                | 405                           | login login 302 302 302 302
settings/webhooks/                     | login login 200 200 200 200   | login login 422 422 422 422
settings/webhooks/do/                  | 405                           | login login 302 302 302 302
rank/                                  | 302                           | 405
t/sample/                              | 405                           | login
t/new/                                 | login login 200 200 200 200   | login login 422 422 422 422
t/<str:slug>/do/<slug:name>/           | 405                           | 403 403 403 409 403 409
t/<str:slug>/enter/                    | login login 409 200 409 200   | login login 409 422 409 422
t/<str:slug>/withdraw/                 | login login 403 200 403 200   | login login 403 422 403 422
t/<str:slug>/pairs/                    | 403 403 403 200 403 200       | 403 403 403 422 403 422
t/<str:slug>/seeds/                    | 403 403 403 200 403 200       | 403 403 403 422 403 422
t/<str:slug>/again/                    | 405                           | 403 403 403 422 403 422
t/<str:slug>/award/                    | 405                           | 403 403 403 422 403 422
me/                                    | 302                           | 405
bots/new/                              | login login 200 200 200 200   | login login 422 422 422 422
bots/<str:slug>/edit/                  | 404 404 404 200 404 200       | 404 404 404 422 404 422
bots/<str:slug>/version/               | 404 404 404 200 404 200       | 404 404 404 422 404 422
bots/<str:slug>/token/                 | 405                           | 404 404 404 200 404 200
bots/<str:slug>/revoke/                | 405                           | 404 404 404 302 404 302
bots/<str:slug>/port/                  | 405                           | 404 404 404 302 404 302
bots/<str:slug>/retire/                | 405                           | 404 404 404 302 404 302
bots/<str:slug>/enable/                | 405                           | 404 404 404 302 404 302
bots/<str:slug>/check/                 | 404 404 404 200 404 200       | 404 404 404 409 404 409
api/matches/<slug:match>/              | 404 404 404 200 404 200       | 405
api/stream/matches/<slug:match>/       | 404 404 404 200 404 200       | 405
api/<anything:rest>                    | 404                           | 404
admin/login/                           | 200 200 200 200 302 302       | 200
admin/password_change/                 | 302                           | 302
healthz                                | 200                           | 200
static/<slug:number>/<path:name>       | 302                           | 405
readyz                                 | 200                           | 200
admin/search/                          | 302 302 302 302 200 200       | 302 302 302 302 405 405
admin/live/                            | 302 302 302 302 200 200       | 302 302 302 302 405 405
admin/machines/                        | 302 302 302 302 403 200       | 302 302 302 302 405 405
admin/drain/                           | 302 302 302 302 403 200       | 302 302 302 302 403 302
admin/claim/                           | 200 200 200 200 200 302       | 200 200 200 200 200 302
r/<str:code>/state/                    | 302                           | 405
r/<str:code>/sit/                      | 405                           | 302
r/<str:code>/leave/                    | 405                           | 409 409 409 302 409 409
r/<str:code>/change/<int:side>/        | 405                           | 404 404 404 422 404 404
r/<str:code>/connect/<int:side>/       | 404 404 404 200 404 404       | 404 404 404 302 404 404
r/<str:code>/connect/<int:side>/state/ | 404 404 404 302 404 404       | 405
bots/connect/                          | 200                           | 302
logout/                                | 405                           | 302
"""
# Not for everybody, although everybody gets 200: the page belongs to the visitor, or to people with the link.
OWN = ("settings/", "mistakes/", "login/code/", "admin/claim/", "r/<str:code>/", "api/rooms/<str:code>/")
# Not one of the pages: Django's own, and files.
ELSEWHERE = ("admin/", "api/v1/")


class World(NamedTuple):
    """What belongs to the owner: a bot, a side of a private match that runs, a tournament, which is paused."""

    owner: Person
    match: str
    room: str

    def address(self, route: str) -> str:
        """The route with these in it."""
        parts = {
            "<slug:match>": self.match,
            "<str:code>": self.room,
            "<slug:variant>": "connect-four-7x6",
            "<str:slug>": "winter-cup" if route.startswith(("t/", "api/tournaments/")) else "gravity-9",
            "<slug:slug>": "droidcon" if route.startswith("protocols/") else "connect-four",
            "<slug:name>": "pause",
            "<slug:what>": "accept",
            "<slug:number>": "0",
            "<path:name>": "js/prefs.js",
            "<str:name>": "droidcon_bot.py",
            "<str:token>": "forged",
            "<int:number>": "1",
            "<int:side>": "1",
            "<int:seat>": "0",
            "<int:a>": "1",
            "<int:b>": "2",
            "<anything:rest>": "nowhere",
            "<slug:sha256>": "0" * 64,
        }
        if route.startswith(("@/", "api/players/")):
            parts["<str:slug>"] = "mira-k"
        for name, value in parts.items():
            route = route.replace(name, value)
        assert "<" not in route, f"{route}: this kind of part is not known here"
        return f"/{route}"


def routes(patterns: list[URLPattern | URLResolver] | None = None, before: str = "") -> Iterator[str]:
    """Every route there is, once: those below `api/v1/` are those below `api/`."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = f"{before}{pattern.pattern}"
        if isinstance(pattern, URLPattern):
            yield route
        elif not route.startswith(ELSEWHERE):
            yield from routes(pattern.url_patterns, route)


async def a_world(host: Host) -> World:
    owner = await account("Mira K")
    user = await User.objects.aget()
    await a_bot(owner=user)
    room = {"variant": "connect-four-7x6", "clock": "none", "rounds": "1", "private": "on"}
    made = await owner.post("/r/new/", **room)
    match = match_of(await Person().post(f"{made['Location']}sit/"))
    position = str(games.variant("connect-four-7x6").start())
    puzzle = {"variant": "connect-four-7x6", "position": position, "values": [1, -2, -2, -2, -2, -2, -2]}
    await Puzzle.objects.acreate(pk=1, match_id=match, ply=0, key="0", **puzzle)
    cup = await sync_to_async(actions.create)(a_spec(3, name="Winter cup"), user)
    for act in (actions.start, actions.pause):
        await sync_to_async(act)(cup)
    return World(owner, match, (await Room.objects.aget()).shown_code)


async def somebody(who: str, world: World, host: Host) -> Person:
    if who == "nobody":
        return Person()
    if who == "guest":
        return await a_guest(host)
    if who == "other":
        return await account("Bob")
    if who == "owner":
        return world.owner
    person = Person()
    user = await User.objects.acreate_user(who, is_staff=True, is_superuser=who == "superuser")
    await person.client.aforce_login(user)
    return person


@sync_to_async
def rows() -> dict[str, Any]:
    """All that a page could have changed; not that somebody has become a guest, who is nobody until they sit down."""
    by_the_clock = ("Lease", "Minute")  # the host writes them whatever is requested
    models = (model for model in apps.get_app_config("arena").get_models() if model.__name__ not in by_the_clock)
    found = {model.__name__: list(model._default_manager.order_by("pk").values()) for model in models}
    return found | {"Player": [row for row in found["Player"] if row["kind"] != Player.Kind.GUEST]}


class Database:
    """Whether anything was committed since it was last asked: reading all rows costs more than most pages."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect(str(connection.settings_dict["NAME"]))
        self._version = self._asked()

    def has_changed(self) -> bool:
        before, self._version = self._version, self._asked()
        return before != self._version

    def close(self) -> None:
        self._connection.close()

    def _asked(self) -> int:
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])


# What opens rooms, shows somebody a private room, or makes somebody nobody.
# A sample begins to be played at once, so by then everybody is nobody; who has an account makes one after all the rest.
LAST = ("m/<slug:match>/analysis/play/", "r/<", "bots/connect/", "logout/", "t/sample/")


def in_order() -> list[str]:
    """Every route, LAST at the end."""
    return sorted(routes(), key=lambda route: next((n for n, last in enumerate(LAST, 1) if route.startswith(last)), 0))


async def asked_of(person: Person, method: str, address: str) -> HttpResponse:
    answer = await (person.get(address) if method == "GET" else person.post(address))
    if answer.streaming:
        answer.close()
    return answer


def status_of(answer: HttpResponse) -> str:
    asked = answer.get("Location", "").startswith("/login/")
    return "login" if asked else str(answer.status_code)


def table() -> dict[str, dict[str, list[str]]]:
    """By route and method, who gets what."""
    found = {}
    for line in TABLE.strip("\n").splitlines():
        route, read, written = (part.strip() for part in line.split("|"))
        found[route] = {"GET": _each(read.split()), "POST": _each(written.split())}
    return found


def _each(statuses: list[str]) -> list[str]:
    return statuses if len(statuses) > 1 else statuses * len(WHO)


def is_private(route: str) -> bool:
    """What not everybody gets, and what is somebody's own."""
    return route in OWN or len(set(table()[route]["GET"])) > 1 or len(set(table()[route]["POST"]) - {"405"}) > 1


def test_every_address_is_in_the_table() -> None:
    assert sorted(table()) == sorted(routes())


async def test_what_anybody_commits_is_noticed(transactional_db: None) -> None:
    database = Database()
    await Player.objects.acreate(kind="person", name="Ada", slug="ada")
    assert [database.has_changed(), database.has_changed()] == [True, False]
    database.close()


@pytest.mark.cases(3)
@pytest.mark.parametrize("who", WHO)
async def test_everybody_gets_what_is_theirs_and_leaves_the_rest_as_it_was(host: Host, who: str) -> None:
    world = await a_world(host)
    person = await somebody(who, world, host)
    expected, wrong = table(), []
    database = Database()
    before = await rows()
    for route in in_order():
        for method in ("GET", "POST"):
            answer = await asked_of(person, method, world.address(route))
            status = status_of(answer)
            after = await rows() if database.has_changed() else before
            wanted = expected[route][method][WHO.index(who)]
            if status != wanted:
                wrong.append(f"{method} {route}: {status}, expected {wanted}")
            if (status == "login" or status >= "4") and after != before:
                changed = [name for name in after if after[name] != before[name]]
                wrong.append(f"{method} {route}: {status}, but {changed} changed")
            if status == "200" and is_private(route) and answer.get("Cache-Control") != "private, no-store":
                wrong.append(f"{method} {route}: may be kept on the way: {answer.get('Cache-Control')}")
            before = after
    database.close()
    assert wrong == []
    if who not in ("nobody", "guest"):  # who has an account makes a sample, which changes rows from then on
        user = await User.objects.aget(username={"other": "bob", "owner": "mira-k"}.get(who, who))
        await person.client.aforce_login(user)
        assert (await person.post("/t/sample/"))["Location"].startswith("/t/")
