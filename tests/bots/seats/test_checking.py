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
    begun = await checks.begin(a_bot())
    assert checks.of(7) is begun and begun.port is not None and checks.of(8) is None
    found = await over(begun)
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
    found = await over(await Checks(pool, saying(f"import sys; {code}")).begin(a_bot()))
    assert not found.passed and found.why.startswith(why) and bool(found.why) == bool(why)


async def test_a_program_that_cannot_be_started_is_said(pool: Pool) -> None:
    assert "No such file" in (await over(await Checks(pool, ("/no/such/program",)).begin(a_bot()))).why


def test_it_ends_with_the_server_that_is_killed(pool: Pool) -> None:
    """Else it would keep the port, and wait for a bot for minutes."""
    ours = own_process.command("arena.management.console", os.getpid())
    assert Checks(pool)._command == (*ours, "check_bot", "--json", "--record")


async def test_one_that_this_server_runs_gets_no_port(pool: Pool) -> None:
    code = "import sys; print(sys.argv[1:], file=sys.stderr); sys.exit(2)"
    found = await over(await Checks(pool, saying(code)).begin(a_bot(command=["sh"])))
    assert (found.port, found.why) == (None, "['left-7']")


async def test_one_is_checked_at_a_time_and_one_without_a_token_not_at_all(
    pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    checks, nobody = Checks(pool, saying(WAITS)), a_bot(9)
    nobody.token_sha256 = None
    with pytest.raises(Refusal, match="left has no token"):
        await checks.begin(nobody)
    begun = await checks.begin(a_bot())
    with pytest.raises(Refusal, match="Another bot is being checked"):
        await checks.begin(a_bot(8))
    await until(lambda: (tmp_path / "begun").exists() and (tmp_path / "begun").read_text())
    await checks.close()
    assert begun.over and not begun.passed
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "begun").read_text()), 0)


async def test_one_that_takes_too_long_is_ended(pool: Pool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(checking, "LONGEST_S", 0.05)
    assert (await over(await Checks(pool, saying(WAITS)).begin(a_bot()))).why.startswith("it took longer than")


async def test_one_that_does_not_end_is_killed(pool: Pool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(checking, "ENDS_S", 0.05)
    checks = Checks(pool, saying(f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {WAITS}"))
    await checks.begin(a_bot())
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
    await checks.begin(a_bot())
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
        begun = await over(await checks.begin(a_bot(pk)))
        await until(lambda: not checks._tasks)
    assert checks.of(7) is None and checks.of(8) is begun


async def test_what_it_says_is_read_while_it_runs(pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    checks = Checks(pool, saying(f"print({GOOD!r}, flush=True); {WAITS}"))
    begun = await checks.begin(a_bot())
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
    await checks.begin(a_bot())
    await until(lambda: (tmp_path / "begun").exists() and (tmp_path / "begun").read_text())
    closing = asyncio.ensure_future(checks.close())
    await until(lambda: (tmp_path / "told").exists())
    closing.cancel()
    await asyncio.gather(closing, return_exceptions=True)
    await until(lambda: not Path("/proc", (tmp_path / "begun").read_text()).exists())
