"""`manage.py serve`: the arena in one process and one loop: pages, websockets, bot doors, child processes, timers."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from arena import host as hosting
from arena.management.tables import check_tables
from arena.protocols import protocols
from arena.server import ArenaServer, run
from arena.web import claim

DEFAULT_PORT = 8000


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
        try:
            lock = hosting.take_lock(settings.ARENA_DATA)
        except (hosting.NotTheHost, OSError) as why:
            raise CommandError(str(why)) from None
        with lock:
            check_tables()
            code = Serving(options, lock).run()
        sys.exit(code)


class Serving:
    """One run of the server, from the first port to the last goodbye."""

    def __init__(self, options: dict[str, Any], lock: Any) -> None:
        self.options = options
        self.lock = lock
        self.code = claim.offer(settings.ARENA_DATA)
        self.server: ArenaServer | None = None
        self.host: hosting.Host | None = None

    def run(self) -> int:
        from arena.asgi import application  # not before Django is set up

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
        self.host = await hosting.start(self.lock, self._ledger_died)
        bots_host = self.options["bots_host"]
        trusted = hosting.networks(settings.ARENA_TRUSTED_NETS)
        doors = await self.host.open_doors(bots_host, self._doors(), trusted)
        if doors:
            await self.host.open_seats(bots_host, trusted)
        self.host.commands.probe()
        pages = f"http://{_shown(self.server.host)}:{self.server.port}/"
        print(f"Pages      {pages}", flush=True)
        for slug, port in doors.items():
            print(f"Bots       {slug} on {_shown(bots_host)}:{port}", flush=True)
        self._print_code(pages)
        print("Ready", flush=True)

    def _print_code(self, pages: str) -> None:
        if self.code is not None:
            print(f"Admin      type {self.code} at {pages}admin/claim/", flush=True)

    def _doors(self) -> dict[str, int]:
        if self.options["no_doors"]:
            return {}
        return {slug: adapter.port for slug, adapter in protocols().items()} | dict(self.options["door"])

    async def _stop(self) -> None:
        if self.host is not None:
            await self.host.stop()

    def _ledger_died(self, error: BaseException) -> None:
        """Without the ledger nothing can be stored: better no server than one that forgets."""
        print(f"error: the log cannot be written any more ({error!r}); stopping", file=sys.stderr, flush=True)
        if self.server is not None:
            self.server.stop(1)


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
