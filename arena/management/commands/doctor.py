"""`manage.py doctor`: whether the arena can run here, what is wrong, and what to do about it."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from django.core.management.base import BaseCommand

from arena.management import arguments, findings, installation
from arena.management.findings import Finding, Severity, examine, usual_ports


class Command(BaseCommand):
    help = "Look at everything a server needs and say what is wrong and what to do. Exit 1 if something is wrong."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="one JSON object for programs")
        arguments.add_port(parser)
        arguments.add_pairs(parser, "--door", arguments.door, "PROTOCOL=PORT", "as for serve")
        parser.add_argument("--no-doors", action="store_true", help="as for serve")

    def handle(self, *args: Any, **options: Any) -> None:
        checks = (*findings.CHECKS, *installation.CHECKS)
        found = examine(checks, usual_ports(options["port"], None if options["no_doors"] else dict(options["door"])))
        wrong = sum(finding.state == Severity.WRONG for finding in found)
        if options["json"]:
            said = {"ok": not wrong, "findings": [finding._asdict() for finding in found]}
            self.stdout.write(json.dumps(said, ensure_ascii=False, indent=1))
        else:
            for finding in found:
                self.stdout.write(line(finding))
            warnings = sum(finding.state == Severity.WARNING for finding in found)
            self.stdout.write(f"{wrong} wrong, {warnings} to look at." if wrong or warnings else "Nothing is wrong.")
        if wrong:
            sys.exit(1)


def line(finding: Finding) -> str:
    todo = f"\n{'':24}To do: {finding.todo}" if finding.todo else ""
    return f"{finding.state:8} {finding.about:14} {finding.words}{todo}"
