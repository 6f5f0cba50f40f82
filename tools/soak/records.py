"""Two hundred records of matches of every game, each with one byte changed at a time: `verify` finds every change."""

from __future__ import annotations

import os
import sys
import tempfile
from random import Random

from arena.match.record import BadRecord, verify

RECORDS, CHANGES = 200, 20


def main(arguments: list[str]) -> int:
    """`arguments`: the number of records, and of changes in each of them; `all` changes every byte."""
    records = int(arguments[0]) if arguments else RECORDS
    changes = 0 if arguments[1:] == ["all"] else int(arguments[1]) if arguments[1:] else CHANGES
    with tempfile.TemporaryDirectory(prefix="arena-soak-") as folder:
        os.environ |= {"DJANGO_SETTINGS_MODULE": "arena.settings", "ARENA_DATA": folder}
        import django

        django.setup()
        return _change(records, changes)


def _change(records: int, changes: int) -> int:
    from tests.match.test_judge import random_log
    from tests.match.test_record import SLUGS, a_record

    missed, tried = list[str](), 0
    for number in range(records):
        rng, slug = Random(number), SLUGS[number % len(SLUGS)]
        whole = a_record(random_log(slug, number))
        verify(whole)
        for at in rng.sample(range(len(whole)), changes) if changes else range(len(whole)):
            changed = bytearray(whole)
            changed[at] ^= rng.randrange(1, 256)
            tried += 1
            if not _is_refused(bytes(changed)):
                missed.append(f"byte {at} of record {number}, {slug}")
    print(f"{records} records, {tried} changed bytes, {len(missed)} not found {missed[:10]}")
    return int(bool(missed))


def _is_refused(record: bytes) -> bool:
    try:
        verify(record)
    except BadRecord:
        return True
    return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
