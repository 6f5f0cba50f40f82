"""`manage.py work`: lists work and workers, and gives orders about both (docs/cluster.md)."""

from __future__ import annotations

import os
import secrets
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.utils import timezone

from arena import paths
from arena.common.names import printable
from arena.management.tables import check_postgresql, check_tables
from arena.models import Machine, Work
from arena.work import state
from arena.work.rules_version import rules_version
from arena.work.workers import orders
from arena.work.workers.rights import ROLE, NoSuchRole, login, make_role


class Command(BaseCommand):
    help = "List work and workers; cancel work, run it again, drain workers; make the role that workers log in as."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True, metavar="list|cancel|again|drain|role")
        lister = acts.add_parser("list", help="workers, and work by kind and state")
        lister.add_argument("--all", action="store_true", help="also every piece of work that is not done, by its key")
        for name, words in (("cancel", "what waits or runs"), ("again", "what has failed or was cancelled")):
            act = acts.add_parser(name, help=f"{name}: {words}")
            act.add_argument("keys", nargs="*", metavar="KEY", help="as `work list --all` or the admin shows it")
            act.add_argument("--kind", help="all of this kind")
        drain = acts.add_parser("drain", help="workers finish what they have and take nothing new")
        drain.add_argument("workers", nargs="*", metavar="WORKER", help="by name; without one, all that are there")
        drain.add_argument("--off", action="store_true", help="they take work again")
        role = acts.add_parser("role", help="make the role, or give it a new password, and just the rights it needs")
        role.add_argument("--name", default=ROLE, help=f"of the role ({ROLE})")

    def handle(self, *args: Any, **options: Any) -> None:
        check_tables()
        {"list": self._list, "drain": self._drain, "role": self._role}.get(options["act"], self._work)(options)

    def _list(self, options: dict[str, Any]) -> None:
        """Workers have said most of it themselves: nothing of that is for a terminal to obey."""
        engine = settings.ARENA_ENGINE or "local"
        self.stdout.write(f"Engine {engine}, rules {rules_version()}")
        seen = state.workers_seen(rules_version())
        for each in seen:
            machine = each.machine
            line = (
                f"  {machine.name:40} {each.state:12} {each.running}/{machine.slots} slots  "
                f"class {machine.machine_class}  {machine.speed} kmoves/s  "
                f"{each.sandbox}  rules {machine.rules}"
            )
            for text in (line, *(f"      {said}" for said in (machine.distrusted, each.gave_back) if said)):
                self.stdout.write(printable(text))
        for row in state.counts():
            age = int((timezone.now() - row.oldest).total_seconds())
            self.stdout.write(f"  {row.kind:16} {row.state:10} {row.number:8}  oldest {age} s")
        if options["all"]:
            for work in Work.objects.exclude(state=Work.State.DONE).order_by("pk").iterator():
                where = f"  {work.worker}" if work.state == Work.State.OUT else ""
                self.stdout.write(printable(f"  {work.key:40} {work.state:10}{where}"))
        if seen:
            total = state.totals()
            self.stdout.write(f"Runs of workers: {total.answered} answered, {total.lost} lost, {total.late} late")

    def _work(self, options: dict[str, Any]) -> None:
        act, keys = options["act"], options["keys"]
        if bool(keys) == bool(options["kind"]):
            raise CommandError(f"expected either keys or --kind, as in: {paths.PROGRAM} work {act} --kind analyse")
        works = Work.objects.filter(key__in=keys) if keys else Work.objects.filter(kind=options["kind"])
        count = {"cancel": orders.cancel, "again": orders.again}[act](works)
        if not count:
            what, hint = "cancel", ""
            if act == "again":
                what, hint = "do again", "; a match of an event is re-run on the page of the event in the admin"
            raise CommandError(f"Nothing was found to {what}: look at {paths.PROGRAM} work list{hint}")
        self.stdout.write(f"{count} {'cancelled' if act == 'cancel' else 'wait again'}.")

    def _drain(self, options: dict[str, Any]) -> None:
        names, on = options["workers"], not options["off"]
        unknown = set(names) - set(Machine.objects.filter(name__in=names).values_list("name", flat=True))
        if unknown:
            raise CommandError(f"There is no worker {sorted(unknown)[0]!r}: look at {paths.PROGRAM} work list")
        machines = Machine.objects.filter(name__in=names) if names else Machine.objects.all()
        count = orders.drain(machines, on)
        who = "1 worker takes" if count == 1 else f"{count} workers take"
        self.stdout.write(f"{who} {'nothing new' if on else 'work again'}, within 5 s.")

    def _role(self, options: dict[str, Any]) -> None:
        check_postgresql()
        given = os.environ.get("ARENA_WORKER_PASSWORD", "")
        password = given or secrets.token_urlsafe(24)
        try:
            make_role(options["name"], password)
        except NoSuchRole as why:
            raise CommandError(str(why)) from None
        address = login(options["name"], "PASSWORD" if given else password, connection.settings_dict)
        self.stdout.write(f"The workers of this arena log in with\n  DATABASE_URL={address}")
        if "@HOST:" in address:
            self.stdout.write("HOST stands for the name at which they reach the database.")
        if not given:
            self.stdout.write("The password is shown this once; ARENA_WORKER_PASSWORD chooses another.")
