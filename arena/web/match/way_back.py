"""The way back for a guest whose browser forgot them: a link that belongs to one seat of one match.

A guest is known by a cookie alone, which a private window loses when it is closed. The link is shown only to the guest
and works until the match is over or they end it; whoever opens it presses a button first, so that looking at it
changes nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from django.contrib import messages
from django.core import signing
from django.db.models import F
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.core.hub import LiveMatch
from arena.host import Host
from arena.match.commands import Refusal
from arena.models import Match, Player, Seat
from arena.web import open_sockets
from arena.web.guests import NAME, PLAYER, Visitor, audience_of, visitor_of
from arena.web.limits import Limit
from arena.web.people.accounts import check_not_playing
from arena.web.views import error_page, page, view

_SALT = "arena.way_back"
# Slows down anyone who guesses links, or opens them again and again.
RETURNS = Limit("ways back to a match", 30, 1 / 10)
OVER = gettext_lazy("Your link no longer works because the match is over. This is how it ended.")
ENDED = gettext_lazy("Its player has ended it, or has signed up and logs in now.")
LOGGED_IN = gettext_lazy("You are logged in as {name}. Log out to come back to this match as {guest}.")


class _Returning(NamedTuple):
    """The guest that a link brings back, and the opponent."""

    guest: Player
    opponent: str


async def address(live: LiveMatch, visitor: Visitor) -> str:
    """The address that brings this guest back to their seat; "" for anybody else, and once the match is over."""
    if live.over or visitor.account is not None or not audience_of(live, visitor.player):
        return ""
    ended = await Player.objects.filter(pk=visitor.player or 0).values_list("links_ended", flat=True).afirst()
    return f"/m/{live.id}/back/{signing.dumps([live.id, visitor.player, ended], salt=_SALT)}/"


@view("GET", "POST", rows=True)
async def way_back(request: HttpRequest, host: Host | None, match: str, token: str) -> HttpResponse:
    """A page with one button; with the button, the visitor is that guest again and at the match."""
    RETURNS.check(request)
    returning, visitor = await _returning(match, token), await visitor_of(request)
    if returning is None:
        return await _no_longer(request, match)
    guest = returning.guest
    if visitor.account is not None:
        raise Refusal("logged_in", LOGGED_IN.format(name=visitor.name, guest=guest.name))
    if request.method == "POST" and visitor.player != guest.pk:
        assert host is not None, "forms are sent to the host"
        check_not_playing(host, visitor)
        await _become(request, guest)
    if request.method == "POST" or visitor.player == guest.pk:
        return HttpResponseRedirect(f"/m/{match}/")
    return await page(request, "arena/way_back.html", {"guest": guest.name, "opponent": returning.opponent})


@view("POST")
async def end(request: HttpRequest, host: Host, match: str) -> HttpResponse:
    """Invalidate all links of the guest that were copied so far; the page shows a new one."""
    del host  # it only writes
    visitor = await visitor_of(request)
    number = visitor.player if visitor.account is None and visitor.player is not None else 0
    guest = Player.objects.filter(pk=number, kind=Player.Kind.GUEST)
    if not await guest.aupdate(links_ended=F("links_ended") + 1):
        raise Refusal("not_yours", _("Only guests have such links, and each guest has their own. Nothing was done."))
    messages.success(request, _("Your old links no longer work. The one on this page is new."))
    return HttpResponseRedirect(f"/m/{match}/?tab=info")


async def _no_longer(request: HttpRequest, match: str) -> HttpResponse:
    """Where a link leads that has ended: to the match, if that is over, else to a page that says why."""
    address = f"/m/{match}/"
    if await Match.objects.filter(pk=match, ended=None).aexists():
        return error_page(request, 410, str(ENDED), _("This link no longer works"), (address, _("Watch the match")))
    messages.info(request, OVER)
    return HttpResponseRedirect(address)


async def _returning(match: str, token: str) -> _Returning | None:
    """None for a link that has ended. Raises Http404 for what is no link to this match."""
    try:
        of, player, ended = signing.loads(token, salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError):
        of = player = ended = None
    if of != match:
        raise Http404(_("There is no such link. Copy all of it, to the last character."))
    seats = Seat.objects.filter(match=match, match__ended=None)
    mine = seats.filter(player=player, kind=Seat.Kind.HUMAN, player__kind=Player.Kind.GUEST)
    mine = mine.filter(player__links_ended=ended)
    seat = await mine.select_related("player").afirst()
    if seat is None or seat.player is None:
        return None
    other = await seats.exclude(pk=seat.pk).afirst()
    return _Returning(seat.player, other.name if other is not None else "")


async def _become(request: HttpRequest, guest: Player) -> None:
    """Make the session this guest's, under a new key; open pages connect again."""
    before = request.session.session_key
    await request.session.acycle_key()
    await request.session.aset(PLAYER, guest.pk)
    await request.session.aset(NAME, guest.name)
    await request.session.asave()
    if before is not None:
        open_sockets.logged_in(before)
