"""Acts of staff and owners that are not in any match's log."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils import timezone

# The acts on an event and on a match, whose names are commands. Other acts of staff are recorded in the words of their
# pages.
DEEDS = {
    "abort": "aborted the match",
    "decide": "decided the match",
    "kick0": "disconnected Orange",
    "kick1": "disconnected Blue",
    "pause": "paused the match",
    "re-run": "had the match played again",
    "rebuild": "rebuilt the match from its log",
    "resume": "continued the match",
    "tournament allow rating": "allowed ratings",
    "tournament award": "decided {pairing}: {to}",
    "tournament call missing": "called those who are missing",
    "tournament create": "created the event",
    "tournament delete": "deleted the event",
    "tournament enter": "entered {entry}",
    "tournament keep apart": "kept {pair} apart",
    "tournament let meet": "let {pair} meet again",
    "tournament open": "opened the event for entries",
    "tournament pause": "paused the event",
    "tournament pause at once": "stopped the event at once",
    "tournament publish": "published the table",
    "tournament re-run": "had {pairing} played again",
    "tournament re-run undecided": "had all that could not be played tried once more",
    "tournament resume": "resumed the event",
    "tournament seeds": "set the seeds: {order}",
    "tournament set pairing": "set the pairing {pair}",
    "tournament settings": "changed {changed}",
    "tournament start": "started the event",
    "tournament start when all are here": "let the event start when everyone is here",
    "tournament take back pairing": "took back the pairing {pair}",
    "tournament take back forfeits": "took back the forfeits of {entry}",
    "tournament undo withdrawal": "took back the withdrawal of {entry}",
    "tournament withdraw": "withdrew {entry}",
    "void": "declared the match void",
}

# The act whose reason the page of a room shows.
CLOSED_BY_STAFF = "room closed"

# Of the details of an act; others come first. PostgreSQL does not keep the order in which they were stored.
_ORDER = {name: number for number, name in enumerate(("pairing", "to", "key", "before", "after", "reason", "why"))}


class AuditManager(models.Manager["Audit"]):
    def note(self, actor: object, act: str, subject: object, **data: Any) -> Audit:
        """Record what an account, or a name, did to something, as far as the columns hold their names."""
        return self.create(actor=str(actor)[:64], act=act[:64], subject=str(subject)[:200], data=data)


class Audit(models.Model):
    """One action: `actor` did `act` to `subject`, in words that remain when the rows they name are gone."""

    at = models.DateTimeField(default=timezone.now)
    actor = models.CharField(max_length=64)
    act = models.CharField(max_length=64)
    subject = models.CharField(max_length=200)
    data = models.JSONField(default=dict, blank=True)

    objects = AuditManager()

    class Meta:
        verbose_name_plural = "audit"
        indexes = [
            models.Index(fields=["at"], name="audit_at"),
            models.Index(fields=["subject", "-id"], name="audit_of_subject"),
        ]

    def deed(self) -> str:
        """What was done, to be read after the actor's name: `withdrew Mira`."""
        known = DEEDS.get(self.act)
        return self.act if known is None else known.format_map(_Said(self.data))

    def says(self) -> str:
        """The recorded details, above all the reason: `pairing: p1 - p2 (1.2.1); to: p1; reason: it never came`."""
        return "; ".join(f"{name}: {in_words(value)}" for name, value in _in_order(self.data))

    def __str__(self) -> str:
        return f"{self.actor}: {self.act} {self.subject}"


class _Said(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return "–"


def _in_order(details: dict[str, Any]) -> list[tuple[str, Any]]:
    return sorted(details.items(), key=lambda each: _ORDER.get(each[0], 0))


def in_words(value: Any) -> str:
    """`username ada, email –`: JSON as people read it, such as what an account was before."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {in_words(of)}" for name, of in _in_order(value)) or "–"
    if isinstance(value, list):
        return " ".join(in_words(each) for each in value) or "–"
    return "–" if value in ("", None) else str(value)
