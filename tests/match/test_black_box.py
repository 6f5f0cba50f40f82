"""A black box is verified where it is as it was written, and every change in it is found and placed."""

from __future__ import annotations

import random
from hashlib import sha256

import pytest

from arena.match.black_box import BlackBox, Spoken, lines, verify
from arena.match.record import BadRecord, head
from tests.match.test_judge import random_log

LOG = random_log("connect-four-7x6", 1)
WIRES = (
    [Spoken(-0.25, "in", b"NAME ada\n", 0), Spoken(1.5, "out", b'"\\\xff\n', 1), Spoken(2.000001, "err", b"warn", 1)],
    [Spoken(0.1, "out", b"NEW_GAME\n", 0)],
)
VERSIONS = {"arena": "1.0", "python": "3.11"}


def a_box() -> bytes:
    return "".join(lines("7gk3mzrq2x", LOG, "OTTER", VERSIONS, WIRES)).encode()


def test_what_was_written_is_read_again() -> None:
    found = verify(a_box())
    assert found == BlackBox(found.record, "OTTER", VERSIONS, (tuple(WIRES[0]), tuple(WIRES[1])))
    assert found.record.head == head("7gk3mzrq2x", LOG)


@pytest.mark.long
def test_every_changed_byte_is_refused_and_its_line_named() -> None:
    rng, whole = random.Random(1), a_box()
    lines_of_record = len(LOG) + 2
    for at in [*range(whole.index(b'{"black_box"'), len(whole)), *(rng.randrange(len(whole)) for _ in range(100))]:
        changed = bytearray(whole)
        changed[at] = rng.choice([byte for byte in range(256) if byte != whole[at]])
        with pytest.raises(BadRecord) as why:
            verify(bytes(changed))
        line = whole[:at].count(b"\n") + 1
        named = {f"line {line}", f"line {line + 1}", "this is no whole record"} | ({"line 2"} if line == 1 else set())
        if line >= lines_of_record:
            named |= {"the record is whole, but no whole black box follows it"}
        assert any(str(why.value).startswith(said) for said in named), (at, line, why.value)


def test_a_message_that_is_missing_or_moved_is_found() -> None:
    every = a_box().splitlines(keepends=True)
    first = len(LOG) + 3  # the first message: behind the record and the header
    for changed in (
        [*every[:first], *every[first + 1 :]],
        [*every[:first], every[first + 1], every[first], *every[first + 2 :]],
        every[:-1],
        every[: first - 1],
    ):
        with pytest.raises(BadRecord):
            verify(b"".join(changed))


BAD = ('[2,0.1,"in","x",1]', '[1.0,0.1,"in","x",1]', '[0,0.1,"up","x",1]', '[0,"x","in","x",1]', "[]", "7")


@pytest.mark.parametrize("values", BAD)
def test_a_forger_who_computes_all_hashes_is_held_to_the_format(values: str) -> None:
    text = "".join(lines("7gk3mzrq2x", LOG, "OTTER", VERSIONS, ([], [])))
    *before, _ = text.splitlines(keepends=True)
    last_hash = before[-1].split('"hash":"')[1][:64]
    hash = sha256(f"{last_hash}\n{values}".encode()).hexdigest()
    forged = "".join([*before, f'{{"hash":"{hash}","wire":{values}}}\n'])
    whole = sha256(forged.encode()).hexdigest()
    with pytest.raises(BadRecord, match="expected seat, seconds, way, text and ply"):
        verify(f'{forged}{{"sha256":"{whole}"}}\n'.encode())


def test_a_match_that_runs_has_none() -> None:
    assert list(lines("m", LOG[:3], "", {}, ([], []))) == []
