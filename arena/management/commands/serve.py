"""`manage.py serve`: the arena in one process and one loop: pages, websockets, bot doors, child processes, timers."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path
from typing import Any

from channels.db import database_sync_to_async
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection

from arena import host as hosting
from arena.admin.roles import make_roles
from arena.bots.failure.evidence import blamed_seat
from arena.cluster.lease import Fence, lease_of_host, who_stays
from arena.cluster.pages import Pages
from arena.cluster.roles import Roles
from arena.common.logs import about
from arena.core.hub import LiveMatch
from arena.core.storage_watch import why_not_start
from arena.management import arguments, page_worker
from arena.management.console import write_no_more
from arena.management.fronting import FRONTING
from arena.management.serving import server_options, why_too_few_threads
from arena.management.tables import check_tables, make_new_database
from arena.management.webhooks import Webhooks
from arena.match.endings import result
from arena.protocols import protocols
from arena.server.server import ArenaServer, run
from arena.web.api import streams
from arena.web.host_names import EVERYWHERE, Listening, is_let_in, own_address
from arena.web.people import claim

log = logging.getLogger("arena.serve")
MOST_PAGE_WORKERS = 64


class Command(BaseCommand):
    help = "Serve the arena: pages, websockets and the doors for bots."
    # These check code, which does not change once it is installed: the tests run them, so a start need not wait for
    # them.
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        doors = ", ".join(f"{slug}={adapter.port}" for slug, adapter in protocols().items())
        parser.add_argument(
            "--host", default="127.0.0.1", help="address of the pages (127.0.0.1; :: is every address of this machine)"
        )
        arguments.add_port(parser)
        parser.add_argument(
            "--pages",
            type=arguments.whole(0, MOST_PAGE_WORKERS, "a number of processes"),
            default=str(settings.ARENA_PAGES),
            metavar="N",
            help="processes that make pages, 0: this one does (ARENA_PAGES, or 1)",
        )
        parser.add_argument("--bots-host", default="127.0.0.1", help="address of the doors (127.0.0.1)")
        arguments.add_pairs(parser, "--door", arguments.door, "PROTOCOL=PORT", f"default: {doors}")
        clocks = "for rooms that its bots open: 10s (a move), 2m (in total), 1m+1s; default: the protocol's"
        arguments.add_pairs(parser, "--clock", arguments.clock, "PROTOCOL=CLOCK", clocks)
        parser.add_argument("--no-doors", action="store_true", help="open no port for bots")

    def handle(self, *args: Any, **options: Any) -> None:
        lease = lease_of_host("")
        try:
            holder = "" if _redis_url() else who_stays(lease)
        except OSError as why:
            raise CommandError(str(why)) from None
        if holder:
            raise CommandError(lease.taken(holder))  # before a complaint about a port that it also has
        if connection.vendor == "sqlite" and (wrong := why_not_start(Path(connection.settings_dict["NAME"]))):
            raise CommandError(wrong)
        if wrong := why_too_few_threads():
            raise CommandError(wrong)
        make_new_database()
        check_tables()
        _roles_of_staff()
        sys.exit(Serving(options).run())


def _roles_of_staff() -> None:
    """A server whose database cannot be written starts nevertheless, and reports that itself."""
    try:
        make_roles()
    except DatabaseError as error:
        log.warning("the groups for staff could not be made: %s", error)


def _redis_url() -> str:
    """The Redis where this process meets its fronts or its host; "" if only one process can use the database."""
    return settings.REDIS_URL if connection.vendor == "postgresql" else ""


class Serving:
    """One run of the server, from the first port to the last goodbye: as the host, or as a front that may become it."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.code: str | None = None
        self.server: ArenaServer | None = None
        self.host: hosting.Host | None = None
        self.roles: Roles | None = None
        self.pages: Pages | None = None
        self.webhooks: Webhooks | None = None

    def run(self) -> int:
        from arena.asgi import application  # not before Django is set up

        self.roles = Roles(application, _redis_url(), settings.REDIS_PREFIX, settings.STATIC_URL, self, FRONTING)
        return run(
            self.roles,
            self.options["host"],
            self.options["port"],
            on_start=self._start,
            on_stop=self._stop,
            on_listening=self._listening,
            **server_options(),
        )

    def _listening(self, server: ArenaServer) -> None:
        self.server = server
        Listening.host = server.host

    async def _start(self) -> None:
        assert self.server is not None and self.roles is not None, "the port is bound before the start"
        await self.roles.start(patient=True)
        self._start_pages(self.roles, self.server)
        pages = address_of_pages(self.server.host, self.server.port)
        _say(f"Pages      {pages}")
        if self.server.host in EVERYWHERE and (own := own_address()) and is_let_in(own):
            _say(f"Others     http://{own}:{self.server.port}/")
        if self.roles.front is not None:
            _say(f"Front of   {self.roles.front.host or 'no host yet'}")
        self._print_doors()
        if self.code is not None:
            _say(f"Admin      type {self.code} at {pages}admin/claim/")
        _say("Ready")

    def _start_pages(self, roles: Roles, server: ArenaServer) -> None:
        if count := self.options["pages"]:
            command = page_worker.command(server.host, server.port, count)
            listening = server.listener.fileno()
            self.pages = Pages(count, command, roles, listening, server.let_others_accept, FRONTING.streams)
            self.pages.start()

    # -- as the host: what `Roles` asks for --------------------------------------------------------------------------

    async def bind(self, fence: Fence) -> None:
        assert self.roles is not None, "it is the one who asks"
        self.host = hosting.make(fence, self._ledger_died)
        self.host.ledger.on_fenced = self.roles.lost
        self.host.seat_ports.clocks = dict(self.options["clock"])
        self.host.hub.on_end.append(_say_ended)
        trusted = hosting.networks(settings.ARENA_TRUSTED_NETS)
        await self.host.bind_doors(self.options["bots_host"], self._doors(), trusted)

    async def begin(self, first: bool) -> None:
        assert self.host is not None, "its doors are bound"
        self.code = await database_sync_to_async(claim.offer)(settings.ARENA_DATA)
        self.host.figures.draining.on_over = lambda: self.stop(0)
        await self.host.begin()
        if not self.options["no_doors"]:
            trusted = hosting.networks(settings.ARENA_TRUSTED_NETS)
            await self.host.open_seats(self.options["bots_host"], trusted)
        self.webhooks = Webhooks(self.host)
        await self.host.attend_doors()
        await self.host.commands.probe_if_needed()
        if not first:
            self._print_doors()

    async def cease(self) -> None:
        """Drop all bots and let pages reconnect: to this process, which is a front from now on."""
        host, self.host = self.host, None
        if host is not None:
            await host.cease()
        await self._close_webhooks()
        streams.end_all("the arena changes over")
        if self.pages is not None:
            self.pages.change_over()
        if self.server is not None:
            self.server.close_websockets()

    def cut_off(self, is_cut_off: bool) -> None:
        if self.host is not None:
            self.host.cut_off(is_cut_off)

    def stop(self, code: int) -> None:
        assert self.server is not None, "the port is bound before the start"
        self.server.stop(code)

    def _print_doors(self) -> None:
        for slug, door in self.host.doors.items() if self.host else ():
            _say(f"Bots       {slug} on {_shown(self.options['bots_host'])}:{door.port}")

    def _doors(self) -> dict[str, int]:
        if self.options["no_doors"]:
            return {}
        return {slug: adapter.port for slug, adapter in protocols().items()} | dict(self.options["door"])

    async def _stop(self) -> None:
        streams.end_all("the server stops")
        if self.host is not None:
            self.host.lobby.hold()  # first: nobody has left whose page is closed with those who serve it
        if self.pages is not None:
            await self.pages.close()
        if self.host is not None:
            await self.host.stop()
        await self._close_webhooks()
        if self.roles is not None:
            await self.roles.close()

    async def _close_webhooks(self) -> None:
        """Close soon after the bots were dropped: that they left with the server is not news about them."""
        webhooks, self.webhooks = self.webhooks, None
        if webhooks is not None:
            await webhooks.close()

    def _ledger_died(self, error: BaseException) -> None:
        """End the server: without the ledger nothing can be stored, and no server is better than one that forgets."""
        print(f"error: the log cannot be written any more ({error!r}); stopping", file=sys.stderr, flush=True)
        if self.server is not None:
            self.server.stop(1)


def _say(line: str) -> None:
    """Print a line. Where nobody can read it, it costs the server neither its start nor a takeover."""
    try:
        print(line, flush=True)
    except OSError as why:
        log.warning("standard output takes nothing more: %s", why)
        write_no_more()


def _say_ended(live: LiveMatch) -> None:
    """One line for each match, about the seat that is to blame, if any."""
    state = live.state
    seat = blamed_seat(state, next(event for event in live.events if event.kind == "ended"))
    names, counted = [each.name for each in state.setup.seats], result(state.winner, state.termination)
    protocol = state.setup.seats[seat].protocol if seat is not None else ""
    said = (live.id, *names, counted, state.termination, state.position.ply)
    log.info("match %s ended: %s – %s %s, %s, ply %d", *said, extra=about(live.id, seat, protocol or None))


def address_of_pages(host: str, port: int) -> str:
    """The address that leads a browser to the pages, by a name that is let in."""
    # The name of all addresses is none that can be asked for.
    near = "localhost" if host in EVERYWHERE else _shown(host)
    if is_let_in(near):
        return f"http://{near}:{port}/"
    if settings.CSRF_TRUSTED_ORIGINS:
        return f"{settings.CSRF_TRUSTED_ORIGINS[0]}/"
    name, *_ = *settings.ALLOWED_HOSTS, near
    return f"http://{name.removeprefix('.')}:{port}/"


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host
