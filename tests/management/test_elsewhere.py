"""`match … --engine procrastinate`: what it refuses, and with real workers what it prints and what is left of it."""

from __future__ import annotations

import asyncio
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.bots.process import programs
from arena.management.elsewhere import seats_of
from arena.management.match_arguments import make_parser
from arena.models import Bot, Player
from arena.play.spec import CommandSeat
from tests.kit.deadline import DEADLINE_S
from tests.kit.processes import Postgres
from tests.kit.server import ROOT, environment
from tests.kit.workers import ENGINE, Cluster, cluster
from tests.tournaments.working import LEFT

VARIANT = "connect-four-7x6"
DICE = "builtin:random"
# Takes its time before the first move, so that a kill finds it in the middle.
SLOW = LEFT.replace("import sys", "import sys, time").replace("for line", "time.sleep(0.5)\nfor line")
OUT = "SELECT id FROM arena_work WHERE kind = 'play' AND state = 'out' AND worker LIKE %s"
# As after a minute in which nobody renewed it.
EXPIRED = "UPDATE arena_work SET until = now() - interval '1 second' WHERE id = %s AND state = 'out' RETURNING id"
DONE = "SELECT 1 FROM arena_work WHERE kind = 'play' AND state = 'done'"
ALL_DONE = "SELECT 1 FROM arena_work WHERE kind = 'play' HAVING count(*) = 6 AND bool_and(state = 'done')"
LEFT_OVER = "SELECT (SELECT count(*) FROM arena_work WHERE kind = 'play'), (SELECT count(*) FROM arena_returned)"
FINISHED = re.compile(r"^Finished match .+$", re.MULTILINE)


# -- what is refused ---------------------------------------------------------------------------------------------------


def a_bot(name: str, **columns: Any) -> Bot:
    player = Player.objects.create(kind="bot", name=name, slug=name)
    return Bot.objects.create(player=player, **{"variant": VARIANT, "protocol": "fiar", "family": name, **columns})


def asked(*words: str) -> Any:
    return seats_of(make_parser().parse_args([VARIANT, *words, "--engine", "procrastinate"]))


REFUSED = [
    (("bot:nobody", DICE), "^bot:nobody: there is no such bot; those that can travel: left$"),
    (("bot:eight", DICE), "^bot:eight plays connect-four-8x8, not connect-four-7x6$"),
    (("bot:guest", DICE), "^bot:guest connects by itself, so no worker can start it$"),
    (("bot:ill", DICE), "^bot:ill is disabled: it failed again and again$"),
    (("bot:stays", DICE), "^bot:stays plays on the host only: its files are not packed: manage.py program add$"),
    ((f"fiar:{sys.executable} x.py", DICE), "its files are on this machine only. Register it as a bot, .*bot:NAME$"),
    (("tcp:fiar:5300", DICE), "^seat 'tcp:fiar:5300': a bot that connects to a port of this machine plays here"),
    (("human", DICE), "unknown protocol 'human'; expected builtin:LEVEL"),
    ((DICE, DICE, "--keep"), "^--keep: workers start every program afresh for each match$"),
    ((DICE, DICE, "--no-pty"), "^--no-pty: "),
    ((DICE, DICE, "--concurrency", "2"), "^--concurrency: workers play as many matches at a time as they have"),
]


@pytest.mark.django_db(transaction=True)
def test_what_cannot_be_played_elsewhere_is_refused_in_words(settings: Any, tmp_path: Path) -> None:
    settings.ARENA_ENGINE, settings.ARENA_DATA = "procrastinate", tmp_path
    command = ["python3", "left.py"]
    a_bot("eight", variant="connect-four-8x8", command=command)
    a_bot("guest")
    a_bot("ill", command=command, enabled=False, why_disabled="it failed again and again")
    a_bot("stays", command=command)
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "left.py").write_text(LEFT)
    sha256 = programs.add(a_bot("left", command=command), tmp_path / "files", "ops")
    for words, why in REFUSED:
        with pytest.raises(ValueError, match=why):
            asked(*words)
            pytest.fail(f"{words} were accepted")
    seat, _ = asked("bot:left", DICE)
    assert isinstance(seat, CommandSeat) and (seat.called, seat.program) == ("left", sha256)


@pytest.mark.django_db(transaction=True)
def test_without_workers_there_is_nobody_to_play_it(settings: Any) -> None:
    settings.ARENA_ENGINE = ""
    with pytest.raises(ValueError, match="^--engine procrastinate needs PostgreSQL: set DATABASE_URL, and "):
        asked(DICE, DICE)


# -- with workers ------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder() -> Iterator[Path]:
    """One that the users of bots can enter."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o755)
    yield made
    shutil.rmtree(made, ignore_errors=True)


class Run:
    """The command while it runs."""

    def __init__(self, arena: Cluster, *words: str) -> None:
        self._words = ("match", VARIANT, *words, "--engine", "procrastinate", "--progress")
        self._env = {**environment(arena.folder / "host"), "DATABASE_URL": arena.url, **ENGINE}
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> Run:
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "manage.py", *self._words, cwd=ROOT, env=self._env, stdout=pipe, stderr=pipe
        )
        return self

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None, "it has been started"
        self._process.send_signal(number)

    async def first_line(self) -> str:
        assert self._process is not None and self._process.stdout is not None, "it has been started"
        async with asyncio.timeout(DEADLINE_S):
            return (await self._process.stdout.readline()).decode()

    async def ends(self) -> tuple[int, str, str]:
        """The exit status, and what it has printed."""
        assert self._process is not None, "it has been started"
        async with asyncio.timeout(DEADLINE_S):
            out, err = await self._process.communicate()
        assert self._process.returncode is not None, "it has ended"
        return self._process.returncode, out.decode(), err.decode()


def _played_here(folder: Path, *words: str) -> str:
    """What the same command prints of matches that it plays itself."""
    run = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "match", VARIANT, *words],
        cwd=folder, env=environment(folder), capture_output=True, text=True, timeout=DEADLINE_S,
    )  # fmt: skip
    return run.stdout


@pytest.mark.service
async def test_a_worker_and_the_command_are_killed_and_every_round_is_played_and_told_once(
    postgres: Postgres, folder: Path
) -> None:
    (folder / "files").mkdir()
    (folder / "files" / "left.py").write_text(SLOW)
    words = (DICE, "--rounds", "6", "--seed", "3")
    here = asyncio.create_task(asyncio.to_thread(_played_here, folder / "files", "fiar:python3 left.py", *words))
    async with cluster(folder, postgres, "elsewhere", fetches=True) as arena:
        await arena.add_bot(folder / "files")
        async with arena.held():
            killed, run = await arena.worker(), await Run(arena, "bot:left", *words, "--save").start()
            ((work,),) = await arena.until(OUT, f"% {killed.pid} %")
            await killed.kill()
            await arena.until(EXPIRED, work)
        async with arena.held(after=1):
            await arena.worker()
            await arena.until(DONE)
            run.signal(signal.SIGKILL)
            await run.ends()
        await arena.until(ALL_DONE)  # the server goes on with it
        code, out, err = await (await Run(arena, "bot:left", *words, "--save").start()).ends()
        assert code == 0 and "Traceback" not in err
        assert "Going on: 6 of 6 matches are played." in err and re.search(r"\n6 of 6 done, .* [12] workers?\n", err)
        assert sorted(FINISHED.findall(out)) == sorted(FINISHED.findall(await here))
        assert out.partition("\nPlayer ")[2] == (await here).partition("\nPlayer ")[2]
        assert await arena.ask("SELECT count(*), count(head) FROM arena_match WHERE head <> ''") == [(6, 6)]
        assert await arena.ask("SELECT max(faults) FROM arena_work WHERE kind = 'play'") == [(None,)]
        assert await arena.ask(LEFT_OVER) == [(0, 0)]
        test = (DICE, DICE, "--rounds", "60", "--seed", "3", "--openings", "2", "--sprt", "-1000", "1000")
        code, out, err = await (await Run(arena, *test).start()).ends()
        assert (code, " accepted: " in out) == (0, True) and len(FINISHED.findall(out)) < 60, out + err
        assert await arena.ask(LEFT_OVER) == [(0, 0)]


@pytest.mark.service
@pytest.mark.cases(0)  # half a minute of processor: `make soak ARGS=cases`
async def test_without_a_server_the_command_is_the_host_and_ctrl_c_calls_back_what_is_out(
    postgres: Postgres, folder: Path
) -> None:
    async with cluster(folder, postgres, "alone") as arena:
        await arena.server.stop()
        words = (DICE, DICE, "--rounds", "3000", "--seed", "3")
        run = await Run(arena, *words).start()
        await arena.worker()
        first = await run.first_line()
        run.signal(signal.SIGINT)
        code, out, err = await run.ends()
        told = len(FINISHED.findall(first + out))
        assert code == 130 and 0 < told < 3000
        assert f"Stopped: {told} of 3000 are played. The same command goes on with the rest.\n" in err
        ((left,),) = await arena.ask("SELECT count(*) FROM arena_work WHERE kind = 'play' AND state <> 'done'")
        assert left == 0
