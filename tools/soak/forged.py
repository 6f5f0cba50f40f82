"""A thousand answers of workers that lie about the match of a pairing, or as many as requested: none is stored."""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

FORGERIES, MOST_SHOWN = 1000, 10


def main(arguments: list[str]) -> int:
    count = int(arguments[0]) if arguments else FORGERIES
    seed = arguments[1] if len(arguments) > 1 else "forged"
    with tempfile.TemporaryDirectory(prefix="arena-soak-") as folder:
        os.environ |= {"DJANGO_SETTINGS_MODULE": "arena.settings", "ARENA_DATA": folder}
        import django

        django.setup()
        from tests.kit.server import migrate

        migrate(Path(folder))
        return _forge(Path(folder), count, Random(seed))


def _forge(folder: Path, count: int, dice: Random) -> int:
    from arena.models import Event, Match, Work
    from arena.work.rows import AnswerRefused
    from tests.tournaments.forging import forged
    from tests.tournaments.working import Office

    office = Office(folder)
    office.submit()
    runs = [office.take() for _ in range(3)]
    honest = [office.play(run) for run in runs]
    taken, refused = list[str](), Counter[str]()
    for number in range(count):
        at = number % len(runs)
        how, answer = forged(honest[at], dice)
        while answer == honest[at]:
            how, answer = forged(honest[at], dice)
        try:
            office.store(runs[at], answer)
            taken.append(f"forgery {number}, {how}")
        except AnswerRefused:
            refused[how] += 1
    rows = Match.objects.count() + Event.objects.count()
    out = Work.objects.filter(state=Work.State.OUT).count()
    stored = [office.store(run, answer) for run, answer in zip(runs, honest, strict=True)]
    again = [office.store(run, answer) for run, answer in zip(runs, honest, strict=True)]
    print(f"{sum(refused.values())} forged answers refused: {dict(sorted(refused.items()))}")
    print(f"stored of them: {len(taken)} {taken[:MOST_SHOWN]}; rows {rows}; runs still out {out} of {len(runs)}")
    print(f"the honest answers then: {stored}, and once more: {again}; matches {Match.objects.count()}")
    right = not taken and rows == 0 and out == len(runs) and all(stored) and not any(again)
    return 0 if right and Match.objects.count() == len(runs) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
