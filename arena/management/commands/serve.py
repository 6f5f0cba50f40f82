"""`manage.py serve`: the arena in one process and one loop: pages, websockets, bot doors, child processes, timers."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from typing import IO, Any

from channels.db import database_sync_to_async
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from arena import host as hosting
from arena.bots.evidence import blamed_seat
from arena.hub import Live
from arena.logs import about
from arena.management.tables import check_tables
from arena.match.endings import result
from arena.protocols import protocols
from arena.roles import Roles
from arena.server import ArenaServer, run
from arena.web import api_streams, claim

log = logging.getLogger("arena.serve")

DEFAULT_PORT = 8000
DOOR_AGAIN_S = 2.0


class Command(BaseCommand):
    help = "Serve the arena: pages, websockets and the doors for bots."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        doors = ", ".join(f"{slug}={adapter.port}" for slug, adapter in protocols().items())
        parser.add_argument("--host", default="127.0.0.1", help="address of the pages (127.0.0.1)")
        parser.add_argument("--port", type=_port, default=DEFAULT_PORT, help=f"port of the pages ({DEFAULT_PORT})")
        parser.add_argument("--bots-host", default="127.0.0.1", help="address of the doors (127.0.0.1)")
        parser.add_argument(
            "--door", type=_door, action="append", default=[], metavar="PROTOCOL=PORT", help=f"default: {doors}"
        )
        parser.add_argument("--no-doors", action="store_true", help="open no port for bots")

    def handle(self, *args: Any, **options: Any) -> None:
        if connection.vendor != "sqlite":
            check_tables()
            sys.exit(Serving(options, None).run())
        try:
            lock = hosting.take_lock(settings.ARENA_DATA)
        except (hosting.NotTheHost, OSError) as why:
            raise CommandError(str(why)) from None
        with lock:
            check_tables()
            code = Serving(options, lock).run()
        sys.exit(code)


class Serving:
    """One run of the server, from the first port to the last goodbye.

    With the lock of a data folder it is the host; without one, where the database is shared, host or front.
    """

    def __init__(self, options: dict[str, Any], lock: IO[str] | None) -> None:
        self.options = options
        self.lock = lock
        self.code: str | None = None
        self.server: ArenaServer | None = None
        self.host: hosting.Host | None = None
        self.roles: Roles | None = None

    def run(self) -> int:
        from arena.asgi import application  # not before Django is set up

        if self.lock is None:
            application = self.roles = Roles(
                application,
                settings.REDIS_URL,
                settings.REDIS_PREFIX,
                settings.STATIC_URL,
                self._become_host,
                self._end,
            )
        return run(
            application,
            self.options["host"],
            self.options["port"],
            on_start=self._start,
            on_stop=self._stop,
            on_listening=self._listening,
            proxy_hops=settings.TRUSTED_PROXY_HOPS,
            trusted_nets=hosting.networks(settings.ARENA_TRUSTED_NETS),
        )

    def _listening(self, server: ArenaServer) -> None:
        self.server = server

    async def _start(self) -> None:
        assert self.server is not None, "the port is bound before the start"
        if self.roles is None:
            await self._become_host(True)
        else:
            await self.roles.start()
        pages = f"http://{_shown(self.server.host)}:{self.server.port}/"
        print(f"Pages      {pages}", flush=True)
        if self.roles is not None and self.roles.front is not None:
            print(f"Front of   {self.roles.front.host or 'no host yet'}", flush=True)
        self._print_doors()
        self._print_code(pages)
        print("Ready", flush=True)

    async def _become_host(self, first: bool) -> None:
        """Referee matches and open the doors. A front that takes over cannot stop because a port is not free yet."""
        self.code = await database_sync_to_async(claim.offer)(settings.ARENA_DATA)
        self.host = await hosting.start(self.lock, self._ledger_died)
        self.host.hub.on_end.append(_say_ended)
        trusted = hosting.networks(settings.ARENA_TRUSTED_NETS)
        for slug, port in self._doors().items():
            while True:
                try:
                    await self.host.open_doors(self.options["bots_host"], {slug: port}, trusted)
                    break
                except OSError as error:
                    if first:
                        raise
                    log.error("%s Trying again.", error)
                    await asyncio.sleep(DOOR_AGAIN_S)
        if not self.options["no_doors"]:
            await self.host.open_seats(self.options["bots_host"], trusted)
        await self.host.commands.probe_if_needed()
        if not first:
            self._print_doors()

    def _print_doors(self) -> None:
        for slug, door in self.host.doors.items() if self.host else ():
            print(f"Bots       {slug} on {_shown(self.options['bots_host'])}:{door.port}", flush=True)

    def _print_code(self, pages: str) -> None:
        if self.code is not None:
            print(f"Admin      type {self.code} at {pages}admin/claim/", flush=True)

    def _doors(self) -> dict[str, int]:
        if self.options["no_doors"]:
            return {}
        return {slug: adapter.port for slug, adapter in protocols().items()} | dict(self.options["door"])

    async def _stop(self) -> None:
        api_streams.end_all("the server stops")
        if self.host is not None:
            await self.host.stop()
        if self.roles is not None:
            await self.roles.close()

    def _end(self, code: int) -> None:
        assert self.server is not None, "the port is bound before the start"
        self.server.stop(code)

    def _ledger_died(self, error: BaseException) -> None:
        """Without the ledger nothing can be stored: better no server than one that forgets."""
        print(f"error: the log cannot be written any more ({error!r}); stopping", file=sys.stderr, flush=True)
        if self.server is not None:
            self.server.stop(1)


def _say_ended(live: Live) -> None:
    """One line for each match, about the seat that is to blame where one is."""
    state = live.state
    seat = blamed_seat(state, next(event for event in live.events if event.kind == "ended"))
    names, counted = [each.name for each in state.setup.seats], result(state.winner, state.termination)
    protocol = state.setup.seats[seat].protocol if seat is not None else ""
    said = (live.id, *names, counted, state.termination, state.position.ply)
    log.info("match %s ended: %s – %s %s, %s, ply %d", *said, extra=about(live.id, seat, protocol or None))


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a port from 1 to 65535, or 0 for any free one")
    return int(text)


def _door(text: str) -> tuple[str, int]:
    slug, sign, port = text.partition("=")
    if slug not in protocols() or not sign:
        raise argparse.ArgumentTypeError(
            f"{text!r}: expected PROTOCOL=PORT, for example droidcon=4242; protocols: {', '.join(protocols())}"
        )
    return slug, _port(port)
