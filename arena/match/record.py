"""The record of a match: a verifiable file in which each event carries a hash of all events before it.

h(0) is the SHA-256 of `arena-record-1 ` and the id of the match; h(n) that of h(n-1) in hexadecimal, a line feed and
the canonical bytes of event n. The last h is the *head*. It is stored with the ending and with every ruling, so that a
log changed afterwards no longer matches it.

A record is public. It leaves out who acted (`actor`), what proves a seat, accounts, and the contents of notes, which
quote wires. The first line is an object with `format`, `match` and `head`. Then comes a line
for each event up to the last ending or ruling, `{"event": […], "hash": h(n)}`. The last line has the SHA-256 of all
bytes before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, NamedTuple

from arena.match.judge import judge
from arena.match.state import LogEvent

FORMAT = "arena-record-1"
CLOSING = ("ended", "ruled")
PRIVATE_OF_SEAT = ("holder", "player", "owner")

_GIVEN_BACK = {"given_back_ms"}
_NULL = "null"

compact = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
_quoted = json.encoder.encode_basestring_ascii


class BadRecord(ValueError):
    """The file is not a record, or it was changed. The message names the line and the event."""


class Verified(NamedTuple):
    """A verified record. `events` lack the fields that a record leaves out."""

    match: str
    head: str
    events: tuple[LogEvent, ...]


class Sealed(NamedTuple):
    """The head of a record, and the times of its events in UTC as text, with microseconds; no times without a head."""

    head: str
    times: list[str]


# -- out ---------------------------------------------------------------------------------------------------------------


def head(match: str, log: Sequence[LogEvent]) -> str:
    """The last hash of the record of a match, 64 hexadecimal digits; "" while the log has no ending."""
    return sealed(match, log).head


def sealed(match: str, log: Sequence[LogEvent]) -> Sealed:
    """The head of a record, with the times that were written for it.

    The loop calls little: every match is hashed in the transaction that ends it.
    """
    closed = _closed(log)
    if not closed:
        return Sealed("", [])
    hash, times = _beginning(match), list[str]()
    for event in log:
        seq, at, kind, ply, seat, move, elapsed, left0, left1, _, data = event
        if seq > closed:
            break
        when = at.isoformat("T", "microseconds") if at.tzinfo is UTC else _time(at)
        times.append(when)
        said = _canonical_data(kind, data) if data else "{}"
        # Written by hand: the JSON encoder would take three times as long.
        where = f"{_NULL if ply is None else ply},{_NULL if seat is None else seat}"
        left = f"{_NULL if left0 is None else left0},{_NULL if left1 is None else left1}"
        used = _NULL if elapsed is None else elapsed
        canonical = f'[{seq},"{when}","{kind}",{where},{_quoted(move)},{used},{left},{said}]'
        hash = sha256(f"{hash}\n{canonical}".encode()).hexdigest()
    return Sealed(hash, times)


def lines(match: str, log: Sequence[LogEvent]) -> Iterator[str]:
    """The lines of the record of a match that has ended, each with its line feed; nothing while it runs."""
    chain = list(_chain(match, log))
    if not chain:
        return
    whole = sha256()
    first = {"format": FORMAT, "match": match, "head": chain[-1][1]}
    for values in (first, *({"event": event, "hash": hash} for event, hash in chain)):
        line = compact(values) + "\n"
        whole.update(line.encode())
        yield line
    yield compact({"sha256": whole.hexdigest()}) + "\n"


def _chain(match: str, log: Sequence[LogEvent]) -> Iterator[tuple[list[Any], str]]:
    """Each event up to the last ending or ruling, as JSON values, with its hash."""
    closed = _closed(log)
    hash = _beginning(match)
    for event in log:
        if event.seq > closed:
            return
        values = _values(event)
        hash = next_hash(hash, compact(values))
        yield values, hash


def _closed(log: Sequence[LogEvent]) -> int:
    """The number of the last ending or ruling, 0 if there is none."""
    return next((event.seq for event in reversed(log) if event.kind in CLOSING), 0)


def _beginning(match: str) -> str:
    return sha256(f"{FORMAT} {match}".encode()).hexdigest()


def next_hash(hash: str, canonical: str) -> str:
    return sha256(f"{hash}\n{canonical}".encode()).hexdigest()


def _canonical_data(kind: str, data: Mapping[str, Any]) -> str:
    return (kind == "move" and given_back(data)) or compact(_public(kind, data))


def given_back(data: Mapping[str, Any]) -> str:
    """The JSON text of data that only gives time back, as most moves do on a busy machine; "" for any other data."""
    if data.keys() == _GIVEN_BACK and type(data["given_back_ms"]) is int:
        return f'{{"given_back_ms":{data["given_back_ms"]}}}'
    return ""


def _time(at: datetime) -> str:
    return (at if at.tzinfo is UTC else at.astimezone(UTC)).isoformat(timespec="microseconds")


def _values(event: LogEvent) -> list[Any]:
    """seq, UTC time in microseconds, kind, ply, seat, move, elapsed and left milliseconds, data."""
    seq, at, kind, ply, seat, move, elapsed, left0, left1, _, data = event
    return [seq, _time(at), kind, ply, seat, move, elapsed, left0, left1, _public(kind, data)]


def _public(kind: str, data: Any) -> dict[str, Any]:
    if kind == "note":
        return {}
    if kind != "opened":
        return dict(data)
    seats = [{name: value for name, value in seat.items() if name not in PRIVATE_OF_SEAT} for seat in data["seats"]]
    return {**data, "seats": seats}


# -- in ----------------------------------------------------------------------------------------------------------------


def verify(data: bytes) -> Verified:
    """Read a record and check every byte, every hash and, by the rules, every event. Raises BadRecord."""
    first, *middle, last = _lines(data)
    match, head = _first(first)
    hash, events, started = _beginning(match), list[LogEvent](), False
    for number, line in enumerate(middle, 1):
        where = f"line {number + 1}, event {number}"
        values = parsed(line, ("event", "hash"), where)
        event = _event(values["event"], where)
        started = started or event.kind == "started"
        if event.kind == "move" and not started:
            event = event._replace(actor="opening")
        hash = next_hash(hash, compact(values["event"]))
        if values["hash"] != hash or compact(values) != line:
            raise BadRecord(f"{where}: changed. The hash is {values['hash']!r}, the events up to here give {hash!r}")
        events.append(event)
    if head != hash:
        raise BadRecord(f"line 1: the head is {head!r}, the events give {hash!r}")
    whole = sha256(data[: -len(last) - 1]).hexdigest()
    if last != compact({"sha256": whole}):
        raise BadRecord(f"line {len(middle) + 2}, the last: received {last[:90]!r}, expected the SHA-256 {whole!r}")
    if wrong := judge(events):
        raise BadRecord(f"the hashes are right, but the rules do not allow this match: {wrong}")
    return Verified(match, head, tuple(events))


def _lines(data: bytes) -> list[str]:
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError as why:
        line = data[: why.start].count(b"\n") + 1
        raise BadRecord(f"{_where(line)}: byte {data[why.start]:#04x} at {why.start}; a record is ASCII") from None
    found = text.split("\n")
    if len(found) < 4 or found.pop():
        raise BadRecord("this is no whole record: expected at least three lines, each with a line feed")
    return found


def _where(line: int) -> str:
    return f"line {line}" if line == 1 else f"line {line}, event {line - 1}"


def _first(line: str) -> tuple[str, str]:
    values = parsed(line, ("format", "match", "head"), "line 1")
    if values["format"] != FORMAT or compact(values) != line or not isinstance(values["match"], str):
        raise BadRecord(f"line 1: received {line[:90]!r}, expected format {FORMAT!r}, a match and its head")
    return values["match"], values["head"]


def parsed(line: str, names: tuple[str, ...], where: str) -> dict[str, Any]:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict) or set(values) != set(names):
        raise BadRecord(f"{where}: received {line[:90]!r}, expected an object with {', '.join(names)}")
    return values


def _event(values: Any, where: str) -> LogEvent:
    try:
        seq, at, kind, ply, seat, move, elapsed, left0, left1, data = values
        event = LogEvent(seq, datetime.fromisoformat(at), kind, ply, seat, move, elapsed, left0, left1, "", data)
        if _values(event) == values:
            return event
    except (TypeError, ValueError, LookupError, AttributeError):
        pass
    raise BadRecord(f"{where}: received {str(values)[:90]!r}, expected the ten values of an event")
