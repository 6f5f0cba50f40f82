"""Events on the command line: played, killed, gone on with, watched beside a server, printed and exported."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from arena.cluster.lease import LockLease
from arena.management.commands.tournament import Command, find, must_be_playable
from arena.match.commands import Refusal
from arena.models import Audit, Bot, Player, Tournament, Work
from arena.tournaments import actions, by_hand, encounters, toml_file
from arena.tournaments.local_event import is_playable_here
from arena.tournaments.sheet import sheet_of
from arena.tournaments.spec import EntrySpec
from arena.tournaments.toml_file import RegisteredPlayer
from arena.work import rows
from arena.work.machine_class import own_class
from arena.work.rows import Beat
from tests.kit.commands import ROOT, environment, manage, processes_of, start
from tests.kit.deadline import DEADLINE_S
from tests.kit.holding import HELD, hold, let_go
from tests.kit.ports import free_port
from tests.kit.server import migrate, share_files
from tests.kit.tournaments import a_spec, begun, builtins, sheet
from tests.kit.until import until

pytestmark = pytest.mark.service

# Plays the leftmost free column.
BOT = """import sys
for line in sys.stdin:
    print(next(n for n in range(1, 8) if line.split()[1][n - 1] == "."), flush=True)
"""
CUP = """\
name = "Kill cup"
variant = "connect-four-7x6"
format = "round-robin"
legs = 1
concurrency = 2
seed = 3
clock = "10m"

[openings]
plies = 4

[[entry]]
seat = "builtin:beginner"

[[entry]]
seat = "fiar:python3 left.py"

[[entry]]
seat = "fiar:python3 other.py"

[[entry]]
seat = "builtin:beginner"
name = "Second"
"""
MATCHES = 6
EVENT_S = 300


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with all tables and nothing in them."""
    folder = tmp_path_factory.mktemp("database")
    migrate(folder)
    return folder / "arena.sqlite3"


@pytest.fixture
def folder(tmp_path: Path, database: Path) -> Path:
    """With an event, its bots and a database."""
    (tmp_path / "left.py").write_text(BOT)
    (tmp_path / "other.py").write_text(BOT)
    (tmp_path / "cup.toml").write_text(CUP)
    shutil.copy(database, tmp_path)
    share_files(tmp_path)
    return tmp_path


@pytest.fixture
def held(folder: Path) -> Path:
    """The same with one bot that waits to be let."""
    (folder / "left.py").write_text(HELD + BOT)
    hold(folder)
    return folder


def counted(folder: Path) -> Counter[str | None]:
    """How the matches of the pairings ended."""
    with sqlite3.connect(folder / "arena.sqlite3") as database:
        rows = database.execute("SELECT termination FROM arena_match WHERE pairing_id IS NOT NULL")
        return Counter(termination for (termination,) in rows)


def results(folder: Path) -> list[tuple[int, int]]:
    """Every pairing with how many of its matches count."""
    with sqlite3.connect(folder / "arena.sqlite3") as database:
        return list(
            database.execute(
                "SELECT p.id, count(m.id) FROM arena_pairing p LEFT JOIN arena_match m ON m.pairing_id = p.id"
                " AND m.ended IS NOT NULL AND m.termination NOT IN ('server_abort', 'abort', 'no_start', 'admin_abort')"
                " GROUP BY p.id"
            )
        )


async def finished(process: asyncio.subprocess.Process) -> tuple[int, str, str]:
    """Its exit code and all it printed: a whole event takes a while where others need the machine as well."""
    async with asyncio.timeout(EVENT_S):
        out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


async def seen(process: asyncio.subprocess.Process, pattern: str) -> str:
    """The first line that looks so."""
    assert process.stdout is not None
    async with asyncio.timeout(EVENT_S):
        while line := (await process.stdout.readline()).decode():
            if re.search(pattern, line):
                return line
    raise AssertionError(f"ended without {pattern}")


async def test_killed_again_and_again_it_is_complete_and_nothing_is_played_twice(held: Path) -> None:
    command = ("run", "cup.toml")
    for _ in range(2):
        process = await start(held, "tournament", *command)
        await seen(process, r"^Finished match")
        process.send_signal(signal.SIGKILL)
        await process.wait()
        command = ("resume", "kill-cup")
        hold(held, but=1)
    let_go(held)
    code, out, err = await finished(await start(held, "tournament", *command))
    assert code == 0, out + err
    assert f"{MATCHES} of {MATCHES} matches played" in out
    assert [count for _, count in results(held)] == [1] * MATCHES
    assert set(counted(held)) <= {"normal", "server_abort"}
    assert processes_of(held) == []


async def test_an_interrupted_event_goes_on_and_prints_the_same_table(held: Path) -> None:
    process = await start(held, "tournament", "run", "cup.toml")
    await seen(process, r"^Finished match")
    process.send_signal(signal.SIGINT)
    code, _, err = await finished(process)
    assert (code, err.splitlines()[-1]) == (130, "Stopped. Go on with: manage.py tournament resume kill-cup")
    await until(lambda: processes_of(held) == [])
    assert set(counted(held)) == {"normal"}, "what was not over has left nothing"
    let_go(held)
    again = manage(held, "tournament", "run", "cup.toml")
    assert again.returncode == 2 and "Kill cup is there already" in again.stderr
    code, out, _ = await finished(await start(held, "tournament", "resume", "kill-cup", "--json"))
    assert code == 0
    (held / "export.json").write_text(out)
    assert {pairing["status"] for pairing in json.loads(out)["pairings"]} == {"played"}
    printed, read = (manage(held, "tournament", "table", what).stdout for what in ("kill-cup", "export.json"))
    assert printed == read
    assert re.search(r"^ +1  ", printed, re.MULTILINE)
    assert manage(held, "tournament", "export", "kill-cup").stdout == out
    assert manage(held, "tournament", "export", "kill-cup", "--csv", "pairings").stdout.count("played") == MATCHES


async def test_a_server_on_the_same_data_plays_it(folder: Path) -> None:
    server = await start(folder, "serve", "--port", str(free_port()), "--no-doors")
    await seen(server, "^Ready")
    code, out, err = await finished(await start(folder, "tournament", "run", "cup.toml"))
    assert (code, f"{MATCHES} of {MATCHES} matches played" in out) == (0, True)
    assert err == "A server runs on this data: it plays the event, and this command watches.\n"
    server.send_signal(signal.SIGTERM)
    assert (await finished(server))[0] == 0
    assert processes_of(folder) == []


def test_a_bot_that_cannot_play_loses_and_the_table_says_why(folder: Path) -> None:
    (folder / "left.py").write_text("import sys\nsys.exit(3)\n")
    done = manage(folder, "tournament", "run", "cup.toml")
    assert done.returncode == 0
    assert done.stdout.count("{left stopped with exit code 3}") == 3


@pytest.mark.django_db
def test_mistakes_in_the_file_are_named_by_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    (folder / "cup.toml").write_text(CUP.replace("legs", "leg").replace("seed", "sead"))
    err = refused(capsys, "run", "cup.toml")
    assert "cup.toml, line 4: there is no key 'leg': did you mean legs?." in err
    assert "cup.toml, line 6: there is no key 'sead': did you mean seed?." in err


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the command says in this process, which has to end it with 2 and say nothing else."""
    with pytest.raises(SystemExit) as end:
        Command().run_from_argv(["manage.py", "tournament", *arguments])
    said = capsys.readouterr()
    assert (end.value.code, said.out) == (2, "")
    return said.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("table", "nowhere.json"), "nowhere.json: "),
        (("run", "nowhere.toml"), "nowhere.toml: cannot be read"),
    ],
)
@pytest.mark.django_db
def test_a_file_that_is_not_there(arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert says in refused(capsys, *arguments)


def test_a_file_of_brackets_is_no_export(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "deep.json").write_text("[" * 50_000)
    assert "deep.json: " in refused(capsys, "table", str(tmp_path / "deep.json"))


def test_an_event_that_is_not_there(folder: Path) -> None:
    done = manage(folder, "tournament", "resume", "nowhere")
    assert (done.returncode, done.stdout) == (2, "")
    assert "There is no tournament 'nowhere'; known: none." in done.stderr


def test_whoever_reads_only_the_beginning_of_what_a_command_says_hears_of_no_broken_pipe(folder: Path) -> None:
    """The reader is gone before anything is written."""
    said: dict[str, object] = {
        "format": "arena-tournament-1",
        "slug": "cup",
        "name": "Cup",
        "variant": "expanding-nim",
        "type": "swiss",
    }
    said |= {"state": "finished", "why": "", "settings": {}, "entries": [], "pairings": []}
    (folder / "cup.json").write_text(json.dumps(said), encoding="utf-8-sig")  # as some editors of Windows save it
    reader, writer = os.pipe()
    os.close(reader)
    for words, status in ((["tournament", "table", "cup.json"], 0), (["help"], 1)):
        command = [sys.executable, str(ROOT / "manage.py"), *words]
        done = subprocess.run(
            command, cwd=folder, env=environment(folder), stdout=writer, stderr=subprocess.PIPE, timeout=DEADLINE_S
        )
        assert (done.returncode, done.stderr.decode()) == (status, "")
    os.close(writer)


@pytest.mark.django_db(transaction=True)
def test_workers_are_only_asked_for_where_there_may_be_some(folder: Path) -> None:
    with pytest.raises(CommandError, match="set ARENA_ENGINE=procrastinate as well"):
        call_command("tournament", "run", str(folder / "cup.toml"), "--engine", "procrastinate")


@pytest.mark.django_db(transaction=True)
def test_people_need_pages(tmp_path: Path, settings: Any) -> None:
    settings.ARENA_DATA = tmp_path
    with pytest.raises(Refusal, match="start manage.py serve"):
        must_be_playable(["builtin", "person"])
    lease = LockLease(tmp_path)
    assert lease.take()
    must_be_playable(["builtin", "person"])
    lease.release()


@pytest.mark.django_db(transaction=True)
def test_what_only_other_machines_may_play_is_not_played_here(folder: Path, tmp_path: Path, settings: Any) -> None:
    settings.ARENA_DATA = tmp_path
    cup = folder / "cup.toml"
    cup.write_text('machines = "c5"\n' + CUP, encoding="utf-8")
    with pytest.raises(CommandError, match="Only machines of the class c5 may play it, and this one is linux-"):
        call_command("tournament", "run", str(cup))
    assert not Tournament.objects.exists()
    must_be_playable(["builtin"], "c5", lends=True)
    must_be_playable(["builtin"], own_class())
    assert is_playable_here(sheet_of(actions.create(a_spec(2, machines=own_class()))))
    assert not is_playable_here(sheet_of(actions.create(a_spec(2, machines="c5"))))


@pytest.mark.django_db(transaction=True)
def test_an_event_that_cannot_go_on_without_a_server_stays_as_it_is(tmp_path: Path, settings: Any) -> None:
    settings.ARENA_DATA = tmp_path
    mira = Player.objects.create(kind="person", name="mira", slug="mira")
    entries = (*builtins(1), EntrySpec("mira", "person", player=mira.pk, agrees=True))
    actions.create(a_spec(entries=entries, clock="5m"))
    with pytest.raises(CommandError, match="start manage.py serve"):
        call_command("tournament", "resume", "spring-cup")
    assert sheet("spring-cup").tournament.state == "draft"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("paper", ["organiser.md", "tournaments.md"])
def test_a_pairing_is_awarded_as_the_papers_show_it_for_their_own_events(paper: str) -> None:
    text = (ROOT / "docs" / paper).read_text(encoding="utf-8")
    written = text.split("friday.toml <<'END'\n")[-1].split("END\n")[0]
    example = written if paper == "organiser.md" else (ROOT / "docs" / "tournament.toml").read_text(encoding="utf-8")
    event = begun(toml_file.parse(example, paper, ROOT / "docs", find))
    shown = re.search(r"manage\.py tournament award (\S+) (\S+) (\w+) \"([^\"]+)\"", text)
    assert shown is not None and shown[1] == event.slug
    call_command("tournament", "award", *shown.groups())
    decided = [line for line in sheet(event.slug).lines if f"{line.round}.{line.number}.{line.leg}" == shown[2]]
    assert [line.forfeited_by for line in decided] == ["b"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("entries", "last"), [(2, "1.1.1"), (3, "3.1.1")])
def test_a_pairing_that_is_not_there_is_not_called_badly_written(entries: int, last: str) -> None:
    event = begun(a_spec(entries))
    says = rf"'7\.1\.1': expected ROUND.NUMBER.LEG of one of its pairings, 1\.1\.1 to {last}"
    with pytest.raises(CommandError, match=says):
        call_command("tournament", "award", event.slug, "7.1.1", "a", "it never came")


@pytest.mark.django_db(transaction=True)
def test_players_of_a_swiss_event_are_paired_and_kept_apart_by_their_names_and_that_is_taken_back() -> None:
    event = begun(a_spec(6, format="swiss", rounds=3))
    a, b, c, *_ = [entry.name for entry in event.entries.order_by("seed")]
    met = {
        frozenset((str(each.a.name), str(each.b.name))) for each in event.pairings.select_related("a", "b") if each.b
    }
    first, second = next((x, y) for x, y in ((a, b), (a, c), (b, c)) if frozenset((x, y)) not in met)

    def kept(key: str) -> Any:
        return sheet(event.slug).tournament.settings.get(key, [])

    for adds, takes_back, key in (("pair", "unpair", by_hand.NEXT), ("apart", "together", by_hand.APART)):
        call_command("tournament", adds, event.slug, first.upper(), second, "they asked")
        assert kept(key) == [[first, second]]
        call_command("tournament", takes_back, event.slug, first, second, "they asked")
        assert kept(key) == []
    assert [act.actor for act in Audit.objects.all()] == ["the command line"] * 4
    with pytest.raises(CommandError, match=f"'nobody-7': expected the name of one of its players: .*{a}"):
        call_command("tournament", "apart", event.slug, "nobody-7", b, "one author")
    with pytest.raises(CommandError, match="Choose two different players"):
        call_command("tournament", "pair", event.slug, b, b, "one author")


@pytest.mark.django_db
def test_bots_and_people_are_found_by_their_names() -> None:
    Player.objects.create(kind="person", name="Mira K", slug="mira-k")
    bot = Player.objects.create(kind="bot", name="Gravity 9", slug="gravity-9")
    Bot.objects.create(player=bot, variant="connect-four-7x6", protocol="fiar", family="gravity", version="9")
    assert find("bot", "gravity-9") == RegisteredPlayer(bot.pk, "Gravity 9", "fiar", "connect-four-7x6")
    assert find("bot", "mira-k") is None
    mira = find("person", "Mira K")
    assert mira is not None and mira.protocol == ""


@pytest.mark.django_db(transaction=True)
def test_an_event_that_is_paused_at_once_wants_nothing_of_what_is_being_played(
    capsys: pytest.CaptureFixture[str],
) -> None:
    event = begun(a_spec(3))
    for line in sheet(event.slug).lines:
        encounters.submit(sheet(event.slug), line)
    run = rows.claim("elsewhere", (encounters.KIND,))
    assert run is not None
    call_command("tournament", "pause", event.slug, "--at-once")
    assert "is paused. Go on with: manage.py tournament resume spring-cup" in capsys.readouterr().out
    assert not Work.objects.exists() and rows.beat(run) == Beat.CANCELLED
