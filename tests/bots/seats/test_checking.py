"""Checks of bots that owners have begun: what they show, and that nothing of them is left."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from arena.bots.seats import checking
from arena.bots.seats.checking import BotCheck, Checks
from arena.bots.seats.ports import Pool
from arena.match.commands import Refusal
from arena.models import Bot, Player
from arena.transports import own_process
from tests.kit.deadline import DEADLINE_S
from tests.kit.ports import free_port
from tests.kit.until import until

LINE = '{"step": "%s", "ok": %s, "note": "", "seconds": 0.1, "card": null, "wire": ["> 1"]}'
GOOD, BAD = LINE % ("first_answer", "true"), LINE % ("second_seat", "false")
WAITS = "import os, pathlib, time; pathlib.Path('begun').write_text(str(os.getpid())); time.sleep(600)"


@pytest.fixture
async def pool() -> AsyncIterator[Pool]:
    made = Pool([free_port()])
    made.host = "127.0.0.1"
    yield made
    assert made.used == 0, "every port is given back"


def a_bot(pk: int = 7, **fields: object) -> Bot:
    return Bot(player=Player(pk=pk, name="left", slug=f"left-{pk}"), token_sha256="a" * 64, **fields)


def saying(code: str) -> tuple[str, ...]:
    """A stand-in for the command: it gets the same arguments."""
    return sys.executable, "-c", code


async def over(check: BotCheck) -> BotCheck:
    await until(lambda: check.over)
    return check


async def test_its_steps_are_kept_and_that_it_has_passed(pool: Pool) -> None:
    checks = Checks(pool, saying(f"import sys; print({GOOD!r}); print({{}}); print(sys.argv[1:], file=sys.stderr)"))
    begun = checks.begin(a_bot(), 1)
    assert checks.of(7) is begun and checks.of(8) is None
    found = await over(begun)
    assert found.port is not None
    assert found.steps == [{"step": "first_answer", "ok": True, "note": "", "card": None}]
    assert (found.passed, found.why) == (True, "")


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (f"print({GOOD!r}); print({BAD!r}); sys.exit(1)", ""),
        (f"print({GOOD!r}); print('check_bot: left has changed meanwhile', file=sys.stderr); sys.exit(1)", "left has"),
        ("print(' '.join(sys.argv[1:]), file=sys.stderr); sys.exit(2)", "left-7 --port "),
        ("sys.exit(3)", "it ended"),
        ("print('no JSON')", "Expecting value"),
    ],
)
async def test_what_kept_it_from_passing_is_said(pool: Pool, code: str, why: str) -> None:
    found = await over(Checks(pool, saying(f"import sys; {code}")).begin(a_bot(), 1))
    assert not found.passed and found.why.startswith(why) and bool(found.why) == bool(why)


async def test_a_program_that_cannot_be_started_is_said(pool: Pool) -> None:
    assert "No such file" in (await over(Checks(pool, ("/no/such/program",)).begin(a_bot(), 1))).why


def test_it_ends_with_the_server_that_is_killed(pool: Pool) -> None:
    """Else it would keep the port, and wait for a bot for minutes."""
    ours = own_process.command("arena.management.console", os.getpid())
    assert Checks(pool)._command == (*ours, "check_bot", "--json", "--record")


async def test_one_that_this_server_runs_gets_no_port(pool: Pool) -> None:
    code = "import sys; print(sys.argv[1:], file=sys.stderr); sys.exit(2)"
    found = await over(Checks(pool, saying(code)).begin(a_bot(command=["sh"]), 1))
    assert (found.port, found.why) == (None, "['left-7']")


async def running(tmp_path: Path, checks: Checks, pk: int = 7, by: int = 1) -> BotCheck:
    """A check that waits for ever, once it runs."""
    begun = checks.begin(a_bot(pk), by)
    await until(lambda: (tmp_path / "begun").exists() and (tmp_path / "begun").read_text())
    return begun


async def test_one_is_checked_at_a_time_and_one_without_a_token_not_at_all(
    pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    checks, nobody = Checks(pool, saying(WAITS)), a_bot(9)
    nobody.token_sha256 = None
    with pytest.raises(Refusal, match="left has no token"):
        checks.begin(nobody, 1)
    begun = await running(tmp_path, checks)
    waits = checks.begin(a_bot(8), 2)
    assert (checks.ahead_of(begun), checks.ahead_of(waits), waits.port) == (0, 1, None)
    await checks.close()
    assert begun.over and waits.over and not begun.passed
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "begun").read_text()), 0)
    with pytest.raises(Refusal, match="stopping"):
        checks.begin(a_bot(10), 1)


async def test_everybody_has_one_place_in_a_line_that_has_an_end(
    pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(checking, "MOST_WAITING", 1)
    checks = Checks(pool, saying(WAITS))
    begun = await running(tmp_path, checks)
    assert checks.begin(a_bot(), 1) is begun, "it is being checked"
    with pytest.raises(Refusal, match="Another bot of yours"):
        checks.begin(a_bot(8), 1)
    waits = checks.begin(a_bot(8), 2)
    assert checks.begin(a_bot(8), 2) is waits
    with pytest.raises(Refusal, match="Too many bots wait"):
        checks.begin(a_bot(9), 3)
    await checks.close()


async def test_once_somebody_waits_the_one_that_runs_has_less_time_and_the_next_is_checked(
    pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(checking, "SHARED_S", 0.05)
    code = f"import sys; ('left-7' in sys.argv) or sys.exit(); {WAITS}"
    checks = Checks(pool, saying(code))
    begun = await running(tmp_path, checks)
    assert (await over(checks.begin(a_bot(8), 2))).over
    assert begun.over and begun.why.startswith("a check has 15 minutes")


async def test_one_whose_turn_comes_while_others_wait_has_less_time_and_the_last_one_has_all(
    pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(checking, "SHARED_S", 0.05)
    checks = Checks(pool, saying(WAITS))
    first, second = checks.begin(a_bot(7), 1), checks.begin(a_bot(8), 2)
    assert (await over(first)).why.startswith("a check has 15 minutes")
    await until(lambda: checks._ends is not None and second.port)
    assert checks._ends is not None and (checks._ends.when() or 0) > asyncio.get_running_loop().time() + 600
    await checks.close()


async def test_one_for_which_no_port_is_free_says_so(pool: Pool) -> None:
    taken = pool.lend()
    assert "are in use" in (await over(Checks(pool, saying("pass")).begin(a_bot(), 1))).why
    pool.give_back(taken)


async def test_one_that_takes_too_long_is_ended(pool: Pool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(checking, "LONGEST_S", 0.05)
    assert (await over(Checks(pool, saying(WAITS)).begin(a_bot(), 1))).why.startswith("a check has ")


async def test_one_that_does_not_end_is_killed(pool: Pool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(checking, "ENDS_S", 0.05)
    checks = Checks(pool, saying(f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {WAITS}"))
    checks.begin(a_bot(), 1)
    await until(lambda: (tmp_path / "begun").exists() and (tmp_path / "begun").read_text())
    await checks.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "begun").read_text()), 0)


async def test_a_server_that_stops_while_one_is_being_ended_kills_it(
    pool: Pool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(checking, "ENDS_S", 600.0)
    told = "import signal; signal.signal(signal.SIGTERM, lambda *_: pathlib.Path('told').touch())"
    checks = Checks(pool, saying(f"{told}; {WAITS}"))
    checks.begin(a_bot(), 1)
    await until(lambda: (tmp_path / "begun").exists() and (tmp_path / "begun").read_text())
    ending = asyncio.ensure_future(checks.close())
    await until((tmp_path / "told").exists)
    await checks.close()
    await ending
    await until(lambda: not Path("/proc", (tmp_path / "begun").read_text()).exists())


async def test_only_the_newest_results_are_kept(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "MOST_KEPT", 1)
    checks = Checks(pool, saying("pass"))
    for pk in (7, 8):
        begun = await over(checks.begin(a_bot(pk), 1))
        await until(lambda: not checks._tasks)
    assert checks.of(7) is None and checks.of(8) is begun


async def test_what_it_says_is_read_while_it_runs(pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    checks = Checks(pool, saying(f"print({GOOD!r}, flush=True); {WAITS}"))
    begun = checks.begin(a_bot(), 1)
    await until(lambda: begun.steps)
    assert not begun.over
    await asyncio.gather(checks.close())


async def test_one_that_does_not_end_is_killed_though_nobody_waits_for_that_any_more(
    pool: Pool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As when a stop of the server takes too long."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(checking, "ENDS_S", DEADLINE_S)
    ignores = "signal.signal(signal.SIGTERM, lambda *_: pathlib.Path('told').touch())"
    checks = Checks(pool, saying(f"import pathlib, signal; {ignores}; {WAITS}"))
    checks.begin(a_bot(), 1)
    await until(lambda: (tmp_path / "begun").exists() and (tmp_path / "begun").read_text())
    closing = asyncio.ensure_future(checks.close())
    await until(lambda: (tmp_path / "told").exists())
    closing.cancel()
    await asyncio.gather(closing, return_exceptions=True)
    await until(lambda: not Path("/proc", (tmp_path / "begun").read_text()).exists())
