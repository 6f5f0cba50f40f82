"""The home page: a board to play at once, and what others play. `/play/` makes guest, match and first move."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

import games
from arena.host import Host
from arena.match.commands import Refusal
from arena.match.said import said_by_rules
from arena.rooms.plan import Plan
from arena.web import challenges, words
from arena.web.guests import player_of, seat_setup, visitor_of
from arena.web.limits import address_of
from arena.web.lobby import feed
from arena.web.lobby.one_screen import begin_at_one_screen
from arena.web.match import fragments
from arena.web.match.acts import LONGEST_MOVE, actor_of, joined
from arena.web.people.open_matches import ON_HOME, open_matches
from arena.web.privacy import keep_private
from arena.web.views import chosen_in, page, view
from arena.web.words import LEVELS, spoken
from games import RefusedMove, Variant
from games.players import LEVELS as EVERY_LEVEL

USUAL_LEVEL = "club"


@view("GET", rows=True)
async def home(request: HttpRequest, host: Host | None) -> HttpResponse:
    """`?game=` is a game or one of its variants, `?level=` of the opponent, `?sel=` the targets chosen so far, other
    names are settings."""
    variant, level = variant_named(request.GET.get("game") or _usual()), request.GET.get("level", "")
    settings = _settings(variant, request.GET.dict())
    return await _home(request, host, variant, settings, level if level in EVERY_LEVEL else USUAL_LEVEL)


@view("POST")
async def play(request: HttpRequest, host: Host) -> HttpResponse:
    """Begin a match against a built-in player with this first move, and go there."""
    form = request.POST
    variant, level = variant_named(form.get("variant", "")), form.get("level", USUAL_LEVEL)
    move = joined(form.getlist("move"))
    settings = _settings(variant, form.dict())
    try:
        _check(variant, settings, level, move)
    except Refusal as refusal:
        kept = level if level in EVERY_LEVEL else USUAL_LEVEL
        return await _home(request, host, variant, settings, kept, refusal)
    host.lobby.check_loose(address_of(request))
    player = await player_of(request)
    plan = Plan(variant=variant.slug, settings=settings, offers=True)
    room = await host.lobby.play_builtin(seat_setup(request, player), level, 0, plan, address_of(request))
    assert room.live is not None, "play_builtin has begun it"
    await host.referee.play(room.live, 0, 1, move, actor_of(player.pk))
    return HttpResponseRedirect(f"/m/{room.live.id}/")


@view("POST")
async def at_one_screen(request: HttpRequest, host: Host) -> HttpResponse:
    """Begin a match of two people who share this screen, and go there."""
    variant = variant_named(request.POST.get("variant", ""))
    settings = _settings(variant, request.POST.dict())
    room = await begin_at_one_screen(request, host, Plan(variant=variant.slug, settings=settings))
    assert room.live is not None, "it has been begun"
    return HttpResponseRedirect(f"/m/{room.live.id}/")


async def _home(
    request: HttpRequest,
    host: Host | None,
    variant: Variant,
    settings: dict[str, Any],
    level: str,
    refusal: Refusal | None = None,
) -> HttpResponse:
    chosen = chosen_in(request)
    stage = fragments.empty_stage(words.title(variant), variant.game, variant.start(**settings), chosen)
    player = (await visitor_of(request)).player
    yours = await open_matches(player, ON_HOME)
    asked = await challenges.waiting(host, player) if player is not None else {}
    if yours.shown or any(asked.values()):
        keep_private(request)  # private ones are among them
    context = {
        "games": [_tab(game.slug, words.game_title(game.title), variant.game == game.slug) for game in games.games()],
        "sizes": [_tab(size.slug, _size(size), size == variant) for size in _game(variant).variants],
        "variant": variant,
        "levels": [_level(name, name == level) for name in EVERY_LEVEL if name in (*LEVELS, level)],
        "more_levels": f"/?game={variant.slug}&level=best" if level in LEVELS else "",
        "stage": stage,
        "fields": {"variant": variant.slug, **{name: _written(value) for name, value in settings.items()}},
        "step_fields": {"game": variant.slug},
        "refusal": words.spoken(refusal.sentence) if refusal else "",
        "open": yours,
        "asked": asked,
        **await feed.lobby(host),
    }
    return await page(request, "arena/home.html", context, 422 if refusal else 200)


def _check(variant: Variant, settings: dict[str, Any], level: str, move: str) -> None:
    """Check the request before a guest or match is created. Raises Refusal if it cannot be played."""
    if level not in EVERY_LEVEL:
        expected = _("Received the level {what}, expected {known}.")
        raise Refusal("invalid_form", expected.format(what=repr(level[:20]), known=", ".join(EVERY_LEVEL)))
    if not 0 < len(move) <= LONGEST_MOVE or not move.isprintable():
        expected = _("Received {what}, expected a move such as those on the board.")
        raise Refusal("invalid_move", expected.format(what=repr(move[:20])))
    try:
        variant.start(**settings).play(move)
    except RefusedMove as why:
        forbids = spoken(said_by_rules(why))
        raise Refusal("illegal_move", _("{why}. Choose another one.").format(why=forbids)) from None


def _settings(variant: Variant, form: dict[str, str]) -> dict[str, Any]:
    """The settings of this variant that the form names, read and checked. Raises Refusal."""
    try:
        return {each.name: each.read(form[each.name]) for each in variant.settings if each.name in form}
    except ValueError as why:
        raise Refusal("invalid_form", f"{why}.") from None


def _written(value: Any) -> str:
    return "unlimited" if value is None else str(value)


def _usual() -> str:
    """The default game: Connect Four if it exists, else any."""
    known = games.slugs()
    return "connect-four-7x6" if "connect-four-7x6" in known else known[0]


def variant_named(name: str) -> Variant:
    """The variant of this name, or the first of the game of this name. Raises Http404 naming the known."""
    found = [variant for variant in games.variants() if name in (variant.slug, variant.game)]
    if not found:
        known = ", ".join(games.slugs())
        raise Http404(_("There is no game {name}. There are: {known}.").format(name=repr(name[:40]), known=known))
    return found[0]


def _game(variant: Variant) -> games.Game:
    return next(game for game in games.games() if game.slug == variant.game)


def _tab(slug: str, title: str, current: bool) -> dict[str, Any]:
    return {"slug": slug, "title": title, "address": f"/?game={slug}", "current": current}


def _size(variant: Variant) -> str:
    """`7 × 6`: the variant's title without its game's."""
    return words.title(variant).removeprefix(words.game_title(_game(variant).title)).strip() or words.title(variant)


def _level(name: str, current: bool) -> dict[str, Any]:
    return {"name": name, "title": words.level_name(name), "current": current}
