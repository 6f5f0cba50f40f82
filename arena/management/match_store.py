"""Stores the matches that `manage.py match --save` plays, in a thread, so that no match waits for the disk."""

from __future__ import annotations

import sys
import threading
import time

from django.db import DatabaseError

from arena.bots.session.wire_store import store_wires
from arena.core.played import enter, taken
from arena.match.ids import Ids
from arena.play.driver import Log


class MatchStore:
    """Takes logs, and stores those that have arrived together, each with the wires of its bots."""

    def __init__(self) -> None:
        self._unstored: list[Log] = []
        self._added = self._stored = 0
        self._closing = False
        self._ids = Ids()
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="arena-match-store")

    def add(self, log: Log) -> None:
        """Store it soon."""
        with self._changed:
            if self._thread.ident is None:
                self._thread.start()
            self._unstored.append(log)
            self._added += 1
            self._changed.notify()

    def close(self) -> bool:
        """Store the rest. Returns whether everything was stored."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        if self._thread.ident is not None:
            self._thread.join()
        return self._stored == self._added  # whatever the thread may have ended by

    # -- in the thread -------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while logs := self._taken():
            self._store(logs)

    def _taken(self) -> list[Log]:
        """The logs to be stored; empty when there is nothing more."""
        with self._changed:
            self._changed.wait_for(lambda: self._unstored or self._closing)
            taken, self._unstored = self._unstored, []
            return taken

    def _store(self, logs: list[Log]) -> None:
        """Store the logs, then the wires of their bots."""
        answers = _entered(logs)
        again = [number for number, log in enumerate(logs) if answers[number] == taken(log.match)]
        for number in again:
            logs[number] = self._renamed(logs[number])
        for number, answer in zip(again, _entered([logs[number] for number in again]), strict=True):
            answers[number] = answer
        for why_not in filter(None, answers):
            print(f"error: a match could not be stored: {why_not}", file=sys.stderr)
        self._stored += answers.count("")
        store_wires({log.match: log.wires or () for log, why_not in zip(logs, answers, strict=True) if not why_not})

    def _renamed(self, log: Log) -> Log:
        """The log under another name: commands that play at the same time name their matches themselves."""
        name = self._ids.new(time.time())
        print(f"match {log.match} is stored as {name}: another match has its name", file=sys.stderr)
        return log._replace(match=name)


def _entered(logs: list[Log]) -> list[str]:
    """For each why it is not stored, "" if it is."""
    try:
        return enter([(log.match, log.events) for log in logs]) if logs else []
    except (DatabaseError, OSError) as why:
        return [str(why)] * len(logs)
