"""The black box of a match: one file with all that is needed to replay it, verifiable like a record.

It begins with the record of the match, line for line. Then comes `{"black_box": {…}, "hash": g(1)}` with the format,
the code of the room and the versions that played. Then follows a line for each message on the wires, first all of seat
0: `{"hash": g(n), "wire": [seat, seconds since the match was opened, "in", "out" or "err", text, ply]}`; each character
of the text stands for one byte. g(0) is the head of the record, and g(n) the SHA-256 of g(n-1), a line feed and the
line's content in canonical JSON. The last line has the SHA-256 of all bytes before it.

Only matches that have ended have a black box. Tokens in it are masked, but it contains everything both bots said, so it
is only for people who may read both wires.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from arena.match import record
from arena.match.record import BadRecord, Verified
from arena.match.state import LogEvent

FORMAT = "arena-black-box-1"
WAYS = ("in", "out", "err")
_HEADER = ("format", "room", "versions")

_WHERE_RECORD_ENDS, _WHERE_BOX_BEGINS = b'{"sha256":', b'{"black_box":'


class Spoken(NamedTuple):
    """A message on a wire: `way` is "in" from the bot, "out" to the bot, or "err" from its stderr."""

    t: float
    way: str
    data: bytes
    ply: int


class BlackBox(NamedTuple):
    """A verified black box. `room` is "" if the match was played in none."""

    record: Verified
    room: str
    versions: Mapping[str, str]
    wires: tuple[tuple[Spoken, ...], tuple[Spoken, ...]]


def is_black_box(data: bytes) -> bool:
    """Whether `data` is a black box, intact or damaged, rather than a plain record."""
    return b"\n" + _WHERE_BOX_BEGINS in data or b'"wire":[' in data


# -- out ---------------------------------------------------------------------------------------------------------------


def lines(
    match: str, log: Sequence[LogEvent], room: str, versions: Mapping[str, str], wires: Sequence[Sequence[Spoken]]
) -> Iterator[str]:
    """The lines of the black box of a match that has ended, each with its line feed; nothing while it runs."""
    hash, whole = record.head(match, log), sha256()
    if not hash:
        return
    for line in record.lines(match, log):
        whole.update(line.encode())
        yield line
    header = {"format": FORMAT, "room": room, "versions": dict(versions)}
    messages = [("wire", _values(seat, said)) for seat, wire in enumerate(wires) for said in wire]
    for name, values in [("black_box", header), *messages]:
        hash = record.next_hash(hash, record.compact(values))
        line = record.compact({name: values, "hash": hash}) + "\n"
        whole.update(line.encode())
        yield line
    yield record.compact({"sha256": whole.hexdigest()}) + "\n"


def _values(seat: int, said: Spoken) -> list[Any]:
    return [seat, round(said.t, 6), said.way, said.data.decode("latin-1"), said.ply]


# -- in ----------------------------------------------------------------------------------------------------------------


def verify(data: bytes) -> BlackBox:
    """Read a black box and check every byte, every hash and, by the rules, every event. Raises BadRecord."""
    every = data.split(b"\n")
    ends = _end_of_record(every)
    found = record.verify(b"\n".join(every[:ends]) + b"\n")
    if len(every) < ends + 3 or every.pop():
        raise BadRecord(f"the record is whole, but no whole black box follows it in line {ends + 1}")
    *middle, last = every[ends:]
    hash, wires, header = found.head, (list[Spoken](), list[Spoken]()), dict[str, Any]()
    for number, line in enumerate(middle, ends + 1):
        first = number == ends + 1
        name, where = ("black_box", f"line {number}") if first else ("wire", f"line {number}, a message of a wire")
        values = record.parsed(_text(line, where), (name, "hash"), where)
        hash = record.next_hash(hash, record.compact(values[name]))
        if values["hash"] != hash or record.compact(values).encode() != line:
            raise BadRecord(f"{where}: changed. The hash is {values['hash']!r}, all up to here gives {hash!r}")
        if first:
            header = _header(values[name], where)
        else:
            seat, said = _said(values[name], where)
            wires[seat].append(said)
    whole = sha256(data[: -len(last) - 1]).hexdigest()
    if last.decode("latin-1") != record.compact({"sha256": whole}):
        where = f"line {len(every)}, the last"
        raise BadRecord(f"{where}: received {last.decode('latin-1')[:90]!r}, expected the SHA-256 {whole!r}")
    return BlackBox(found, header["room"], header["versions"], (tuple(wires[0]), tuple(wires[1])))


def _end_of_record(every: Sequence[bytes]) -> int:
    """How many lines belong to the record. One changed byte cannot hide both the line that ends it and the next one."""
    for number, line in enumerate(every):
        if line.startswith(_WHERE_BOX_BEGINS):
            return number
        if line.startswith(_WHERE_RECORD_ENDS):
            return number + 1
    raise BadRecord("this is no black box: expected a record, followed by what went over the wires")


def _text(line: bytes, where: str) -> str:
    try:
        return line.decode("ascii")
    except UnicodeDecodeError as why:
        raise BadRecord(f"{where}: byte {line[why.start]:#04x}; a black box is ASCII") from None


def _header(values: Any, where: str) -> dict[str, Any]:
    if isinstance(values, dict) and tuple(sorted(values)) == _HEADER and values["format"] == FORMAT:
        versions = values["versions"]
        if isinstance(values["room"], str) and isinstance(versions, dict):
            return values
    raise BadRecord(f"{where}: received {str(values)[:90]!r}, expected format {FORMAT!r}, a room and versions")


def _said(values: Any, where: str) -> tuple[int, Spoken]:
    try:
        seat, t, way, text, ply = values
        if type(seat) is int and seat in (0, 1) and way in WAYS and isinstance(ply, int):
            return seat, Spoken(float(t), way, text.encode("latin-1"), ply)
    except (TypeError, ValueError, AttributeError):
        pass
    raise BadRecord(f"{where}: received {str(values)[:90]!r}, expected seat, seconds, way, text and ply")
