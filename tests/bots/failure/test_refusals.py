from __future__ import annotations

import re
from pathlib import Path

from arena.bots.failure.errors import every_error
from arena.bots.failure.refusals import REFUSALS

ARENA = Path(__file__).parents[3] / "arena"


def test_each_code_stands_once_and_is_none_of_a_failure() -> None:
    codes = [refusal.code for refusal in REFUSALS]
    failures = {error.code for errors in every_error().values() for error in errors}
    assert len(set(codes)) == len(codes) and not failures & set(codes)


def test_every_row_says_what_happened_and_what_to_do() -> None:
    for refusal in REFUSALS:
        assert refusal.title and not refusal.title.endswith("."), refusal.code
        assert refusal.sentence.endswith(".") and refusal.advice.endswith("."), refusal.code
        assert "{" not in refusal.sentence + refusal.advice, refusal.code


def test_what_the_source_turns_bots_away_with_has_its_row() -> None:
    others = (
        "web/sockets/bot_socket.py",
        "rooms/lobby.py",
        "rooms/matchmaking.py",
        "core/referee.py",
        "web/match/staff.py",
    )
    sources = [*(ARENA / "bots").rglob("*.py"), *(ARENA / name for name in others)]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources if path.name != "refusals.py")
    for refusal in REFUSALS:
        assert f'"{refusal.code}"' in text, refusal.code
    said = set(re.findall(r'(?:send_away|turn_away|Deaf)\([^"]*"([a-z_]+)"', text))
    doors = (ARENA / "bots" / "seats" / "doors.py").read_text(encoding="utf-8")
    said |= set(re.findall(r'Refusal\(\s*"([a-z_]+)"', doors))
    said.discard("gone")  # nobody is there to hear it
    failures = {error.code for errors in every_error().values() for error in errors}
    assert said <= failures | {refusal.code for refusal in REFUSALS}
