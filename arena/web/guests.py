"""Who a visitor is: an account with its player, a guest whose player's number stands in their session, or nobody yet.

A guest is made by the first POST that needs a player, never by looking: a plain GET sets no session cookie.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Mapping
from contextlib import suppress
from http.cookies import CookieError
from typing import NamedTuple

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.middleware import get_user
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.contrib.auth.views import redirect_to_login
from django.contrib.sessions.backends.db import SessionStore
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, parse_cookie

from arena.core.hub import LiveMatch
from arena.match.state import SeatSetup
from arena.models import Player
from arena.web import languages, prefs
from arena.web.middleware import Middleware

COLOURS = ("Amber", "Azure", "Coral", "Cyan", "Ebony", "Ivory", "Jade", "Lilac", "Mauve", "Olive", "Rose", "Teal")
ANIMALS = (
    "Badger",
    "Bison",
    "Crane",
    "Dingo",
    "Egret",
    "Falcon",
    "Gecko",
    "Hare",
    "Heron",
    "Ibis",
    "Koala",
    "Lynx",
    "Marten",
    "Newt",
    "Otter",
    "Puffin",
    "Raven",
    "Seal",
    "Tapir",
    "Wren",
)
# A right of staff, defined with matches (arena/models/match.py).
SEES_PRIVATE = "arena.see_private"
PLAYER, NAME, ROOMS = "player", "name", "rooms"
# Limited, because all of them are read with every request of the visitor.
MOST_ROOMS = 200


class Visitor(NamedTuple):
    """The person who sent a request: their player's number and name, None and "" before they have played.

    `rooms` are the codes of private rooms whose link they have opened. `account` is the number of the logged-in user,
    `prefs` the preferences of that account; None for guests. `sees_private`: staff with the right to see private
    matches and wires.
    """

    player: int | None = None
    name: str = ""
    rooms: tuple[str, ...] = ()
    account: int | None = None
    staff: bool = False
    sees_private: bool = False
    prefs: Mapping[str, str] | None = None

    @property
    def guest(self) -> int | None:
        """The player's number, if they have no account."""
        return self.player if self.account is None else None


class LoginNeeded(Exception):
    """Only an account can do this. A login leads on to the page at this address."""

    def __init__(self, onward: str) -> None:
        super().__init__(onward)
        self.onward = onward


class GuestMiddleware(Middleware):
    """Sets `request.visitor` for every page, and lets the cookie of preferences say what the account says. It leads to
    the login where an account is needed.
    """

    def before(self, request: HttpRequest) -> None:
        _keep(request, _found(request))

    async def before_on_loop(self, request: HttpRequest) -> None:
        await visitor_of(request)

    def after(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        prefs.repeated(request, response)
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return redirect_to_login(exception.onward) if isinstance(exception, LoginNeeded) else None


async def visitor_of(request: HttpRequest) -> Visitor:
    """The visitor, looked up once for each request."""
    if not hasattr(request, "visitor"):
        _keep(request, await _looked_up(request))
    return known_visitor(request)


def known_visitor(request: HttpRequest) -> Visitor:
    """The visitor, after the middleware has run."""
    visitor: Visitor = request.visitor  # type: ignore[attr-defined]
    return visitor


def _keep(request: HttpRequest, visitor: Visitor) -> None:
    request.visitor = visitor  # type: ignore[attr-defined]
    if visitor.prefs is not None:
        languages.speak(request)  # an account may have another language than the cookie of this browser


async def _looked_up(request: HttpRequest) -> Visitor:
    """`_found`, all in one thread; whoever has no session needs none."""
    if request.session.session_key is None:
        return _found(request)
    visitor = await sync_to_async(_found)(request)
    if visitor.account is not None:
        _known_on_loop(request, request.user)
    return visitor


def visitor_of_headers(headers: Iterable[tuple[bytes, bytes]]) -> Visitor:
    """The visitor that opened a websocket. Reads the database: for a thread, not for the loop."""
    asked = HttpRequest()
    asked.session = SessionStore(session_key(headers))
    return _found(asked)


def _found(request: HttpRequest) -> Visitor:
    session = request.session
    rooms = tuple(session.get(ROOMS, ()))
    if SESSION_KEY not in session:
        player = session.get(PLAYER)
        is_guest = player is not None and _guests(player).exists()
        return Visitor(player, session.get(NAME, ""), rooms) if is_guest else Visitor(rooms=rooms)
    user = get_user(request)
    if not user.is_authenticated:
        return Visitor()
    player = Player.objects.filter(user=user, kind=Player.Kind.PERSON).first()
    return _account(user, player, rooms, bool(user.is_staff and user.has_perm(SEES_PRIVATE)))


def _guests(player: int) -> QuerySet[Player]:
    """The guest of this number, if it has no account: with one, or joined to one, they must log in."""
    return Player.objects.filter(pk=player, kind=Player.Kind.GUEST, joined=None)


def _account(
    user: AbstractBaseUser | AnonymousUser, player: Player | None, rooms: tuple[str, ...], sees_private: bool
) -> Visitor:
    """The player of an account is created when it first plays; until then the account goes by its username."""
    return Visitor(
        player=player.pk if player else None,
        name=player.name if player else user.get_username(),
        rooms=rooms,
        account=user.pk,
        staff=bool(getattr(user, "is_staff", False)),
        sees_private=sees_private,
        prefs=prefs.whole(player.prefs if player else {}),
    )


async def speak_for(request: HttpRequest, user: User) -> None:
    """The request now acts for this account, whatever its cookies say, without rights to private matches."""

    request.user = user
    _known_on_loop(request, user)
    _keep(request, _account(user, await sync_to_async(person_of)(user), (), False))


def _known_on_loop(request: HttpRequest, user: User | AnonymousUser) -> None:
    """What has been read in a thread is not read again: Django keeps the user of a request once for each."""

    async def named() -> User | AnonymousUser:
        return user

    request.auser = named


def audience_of(live: LiveMatch, player: int | None) -> str:
    """ "0" or "1" for the player on that seat, "" for everyone else."""
    seats = live.state.setup.seats
    if player is not None:
        for seat in (0, 1):
            if seats[seat].kind == "human" and seats[seat].player == player:
                return str(seat)
    return ""


async def player_of(request: HttpRequest) -> Player:
    """The visitor's player: that of their account, or their guest, which is created if there is none."""
    visitor = await visitor_of(request)
    player = await Player.objects.filter(pk=visitor.player).afirst() if visitor.player else None
    if player is None and visitor.account is not None:
        player = await sync_to_async(person_of)(await request.auser())
    elif player is None:
        player = await _new_guest()
        if await request.session.ahas_key(SESSION_KEY):
            await request.session.aflush()  # of an account that is locked or gone
        await request.session.aset(PLAYER, player.pk)
        await request.session.aset(NAME, player.name)
        await request.session.asave()
    _keep(request, visitor._replace(player=player.pk, name=player.name))
    return player


async def account_of(request: HttpRequest, onward: str = "") -> User:
    """The account of this visitor. Raises LoginNeeded without one: a login leads to `onward`, or back to this page."""
    if (await visitor_of(request)).account is None:
        raise LoginNeeded(onward or request.path)
    user = await request.auser()
    assert isinstance(user, User), "its number was just found"
    return user


def person_of(user: User | AnonymousUser) -> Player:
    """The player of an account, made from its username if there is none: `root`, or `root 2` if that is taken."""
    assert isinstance(user, User), "only an account has a player of its own"
    mine = Player.objects.filter(user=user, kind=Player.Kind.PERSON)
    wish = " ".join(user.get_username().split())[:20]
    wish = wish if Player.slug_of(wish) else "Player"
    number = 1
    while (found := mine.first()) is None:
        name = wish if number == 1 else f"{wish} {number}"
        number += 1
        with suppress(IntegrityError), transaction.atomic():  # the name is taken, or the player has just been created
            Player.objects.create(kind=Player.Kind.PERSON, name=name, slug=Player.slug_of(name), user=user)
    return found


async def keep_room(request: HttpRequest, code: str) -> None:
    """Remember that this visitor has the link of a private room; if there are very many, only the newest."""
    rooms = await request.session.aget(ROOMS, [])
    if code not in rooms:
        kept = [*rooms, code][-MOST_ROOMS:]
        await request.session.aset(ROOMS, kept)
        _keep(request, (await visitor_of(request))._replace(rooms=tuple(kept)))


def seat_setup(request: HttpRequest, player: Player) -> SeatSetup:
    """The player as the holder of a seat, proven by this session."""
    key = request.session.session_key or ""
    holder = hashlib.sha256(key.encode()).hexdigest()
    verified = player.kind != Player.Kind.GUEST
    return SeatSetup(
        name=player.name, kind="human", player=player.pk, verified=verified, holder=holder, owner=player.user_id
    )


async def _new_guest() -> Player:
    """Colour and animal, with a number when that name is taken; numbers grow longer the more there are."""
    most = 10
    name = _name()
    while True:
        try:
            return await Player.objects.acreate(kind=Player.Kind.GUEST, name=name, slug=Player.slug_of(name))
        except IntegrityError:
            name, most = f"{_name()} {random.randrange(2, most)}", most * 2


def _name() -> str:
    return f"{random.choice(COLOURS)} {random.choice(ANIMALS)}"


def session_key(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """The key of the session that these headers belong to, None without one."""
    lines = [value.decode("latin1") for name, value in headers if name == b"cookie"]
    try:
        return parse_cookie("; ".join(lines)).get(settings.SESSION_COOKIE_NAME)
    except CookieError:
        return None
