from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from django.test import Client

from arena.settings import _keep_new_key
from tests.kit.deadline import DEADLINE_S
from tests.kit.processes import Postgres

ROOT = Path(__file__).parent.parent


def start(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """A Python of its own, with this environment and nothing else."""
    clean = {name: text for name, text in {"SECRET_KEY": "secret", **environ}.items() if text}
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=clean, capture_output=True, text=True, timeout=DEADLINE_S
    )


def ask(name: str, **environ: str) -> str:
    """What a setting is under this environment."""
    return start("-c", f"from arena import settings; print(settings.{name})", **environ).stdout


WRONG = [
    ("ARENA_DATA", "/nowhere/at/all", "ARENA_DATA=/nowhere/at/all: cannot write there"),
    ("ARENA_DATA", "/proc", "ARENA_DATA=/proc: cannot write there"),
    ("ARENA_SYNC", "fast", "ARENA_SYNC=fast: expected one of full, normal"),
    ("DEBUG", "maybe", "DEBUG=maybe: expected one of 0, 1"),
    ("TRUSTED_PROXY_HOPS", "-1", "TRUSTED_PROXY_HOPS=-1: expected a whole number"),
    ("ARENA_TRUSTED_NETS", "10.0.0.1/8", "ARENA_TRUSTED_NETS=10.0.0.1/8: 10.0.0.1/8 has host bits set"),
    ("ARENA_LIMIT_PAGES", "many", "ARENA_LIMIT_PAGES=many: expected how many at once and how many a second"),
    ("ARENA_LIMIT_CONNECTIONS", "4000", "ARENA_LIMIT_CONNECTIONS=4000: expected how many for all and how many"),
    ("ARENA_LIMIT_FRAMES", "10,-1", "ARENA_LIMIT_FRAMES=10,-1: expected how many at once"),
    ("ARENA_LIMIT_PINGS", "nan,1", "ARENA_LIMIT_PINGS=nan,1: expected how many at once"),
    ("DATABASE_URL", "mongo://u:p@h/n", "DATABASE_URL: "),
    (
        "DATABASE_URL",
        "mysql://u:p@h/n",
        "DATABASE_URL: received mysql://. Expected postgres://user:password@host/name.",
    ),
    ("DATABASE_URL", "postgres://u:p@h/", "DATABASE_URL: received postgres:// without a name. Expected postgres://"),
    (
        "ALLOWED_HOSTS",
        "https://a.b",
        "ALLOWED_HOSTS=https://a.b: expected names of hosts, such as arena.example.org",
    ),
    ("ARENA_PUBLIC_HOST", "https://a.b", "ARENA_PUBLIC_HOST=https://a.b: expected a name such as arena.example"),
    ("ARENA_PUBLIC_HOST", "[::1", "ARENA_PUBLIC_HOST=[::1: expected a name such as arena.example.org"),
    ("CSRF_TRUSTED_ORIGINS", "a.b", "CSRF_TRUSTED_ORIGINS=a.b: expected addresses such as https://arena.exam"),
    ("ARENA_WAITING_DAYS", "999999999", "ARENA_WAITING_DAYS=999999999: expected a whole number up to 36500"),
    ("ARENA_ENGINE", "celery", "ARENA_ENGINE=celery: expected one of local, procrastinate"),
    ("ARENA_ENGINE", "procrastinate", "ARENA_ENGINE=procrastinate needs PostgreSQL: set DATABASE_URL, or unset"),
]
# Each command in a process of its own, which has all but the settings imported; how it ended follows what it said.
EACH = """
import json, os, sys
import arena.core.storage_watch, arena.management.tables, arena.settings, django.core.management
from arena.management.console import main
for name, wrong in json.loads(sys.argv[1]):
    if not os.fork():
        os.environ[name], sys.argv = wrong, ["manage.py", "check"]
        del sys.modules["arena.settings"]
        main()
        os._exit(0)
    print("exit", os.waitstatus_to_exitcode(os.wait()[1]), file=sys.stderr)
"""


def test_a_wrong_setting_stops_the_start_with_one_line(tmp_path: Path) -> None:
    settings = json.dumps([(name, wrong) for name, wrong, _ in WRONG])
    lines = start("-c", EACH, settings, ARENA_DATA=str(tmp_path)).stderr.splitlines()
    assert lines[1::2] == ["exit 1"] * len(WRONG), lines
    for line, (name, wrong, says) in zip(lines[::2], WRONG, strict=True):
        assert line.startswith(f"arena: {says}"), (name, wrong)


def test_a_key_is_made_when_there_is_none_and_kept_for_nobody_elses_eyes(tmp_path: Path) -> None:
    run = start("manage.py", "check", SECRET_KEY="", ARENA_DATA=str(tmp_path))
    assert run.returncode == 0, run.stderr
    kept = tmp_path / "secret_key"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert len(kept.read_text()) >= 50
    assert ask("SECRET_KEY", SECRET_KEY="", ARENA_DATA=str(tmp_path)) == f"{kept.read_text()}\n"
    assert {path.name for path in tmp_path.iterdir()} - {"locale"} == {"secret_key"}


def test_two_who_start_at_once_have_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor() as pool:
        keys = set(pool.map(lambda _: ask("SECRET_KEY", SECRET_KEY="", ARENA_DATA=str(tmp_path)), range(4)))
    assert keys == {f"{(tmp_path / 'secret_key').read_text()}\n"}


def test_two_who_start_at_once_have_one_key_where_the_disk_knows_no_links(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As on exFAT. Both have found that there is none."""
    both = Barrier(8)

    def refused(*of: Any) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    def started(_: int) -> str:
        both.wait(DEADLINE_S)
        _keep_new_key(tmp_path / "secret_key")
        return (tmp_path / "secret_key").read_text()

    monkeypatch.setattr(os, "link", refused)
    with ThreadPoolExecutor(8) as pool:
        (key,) = set(pool.map(started, range(8)))
    assert len(key) >= 50 and stat.S_IMODE((tmp_path / "secret_key").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


def test_no_key_is_kept_where_one_is_given(tmp_path: Path) -> None:
    assert ask("SECRET_KEY", SECRET_KEY="given", ARENA_DATA=str(tmp_path)) == "given\n"
    assert not (tmp_path / "secret_key").exists()


@pytest.mark.parametrize("broken", [b"", b" \n", b"\xff\xfe"])
def test_a_broken_key_stops_the_start_with_one_line(broken: bytes, tmp_path: Path) -> None:
    (tmp_path / "secret_key").write_bytes(broken)
    run = start("manage.py", "check", SECRET_KEY="", ARENA_DATA=str(tmp_path))
    assert run.returncode == 1
    assert run.stderr.count("\n") == 1 and f"arena: {tmp_path}/secret_key" in run.stderr


def test_the_public_host_is_an_allowed_host(tmp_path: Path) -> None:
    known = {"ARENA_DATA": str(tmp_path), "ARENA_PUBLIC_HOST": "arena.example:8443"}
    assert "'arena.example'" in ask("ALLOWED_HOSTS", **known)
    assert ask("ALLOWED_HOSTS", ALLOWED_HOSTS="arena.example", **known) == "['arena.example']\n", "once"


def test_a_database_url_is_followed_and_keeps_what_sqlite_needs(tmp_path: Path) -> None:
    found = ask("DATABASES", ARENA_DATA=str(tmp_path), DATABASE_URL=f"sqlite:///{tmp_path}/elsewhere.sqlite3")
    assert "elsewhere.sqlite3" in found
    assert "IMMEDIATE" in found


SHOW = """
import django
django.setup()
from django.db import connection
with connection.cursor() as cursor:
    for name in ("search_path", "default_transaction_read_only"):
        cursor.execute(f"SHOW {name}")
        print(*cursor.fetchone())
"""


@pytest.mark.service
def test_a_page_worker_reads_in_the_schema_that_the_database_url_names(postgres: Postgres, tmp_path: Path) -> None:
    asked = {
        "DATABASE_URL": f"{postgres.url('postgres')}?currentSchema=ours",
        "DJANGO_SETTINGS_MODULE": "arena.settings",
    }
    said = start("-c", SHOW, ARENA_DATA=str(tmp_path), ARENA_PAGE_WORKER="1", **asked)
    assert said.stdout == "ours\non\n", said.stderr


def test_a_data_folder_may_have_any_name(tmp_path: Path) -> None:
    folder = tmp_path / "100% ours? #1"
    folder.mkdir()
    assert f"{folder}/arena.sqlite3" in ask("DATABASES", ARENA_DATA=str(folder))


# The tests themselves wait for no disk.
PRAGMAS = """
import django; django.setup()
from django.db import connection
cursor = connection.cursor()
print(*[cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")])
"""


def test_sqlite_keeps_every_commit(tmp_path: Path) -> None:
    said = start("-c", PRAGMAS, ARENA_DATA=str(tmp_path), DJANGO_SETTINGS_MODULE="arena.settings")
    assert said.stdout == "wal 2\n", said.stderr


@pytest.mark.django_db
def test_a_page_may_load_only_from_here(client: Client) -> None:
    policy = client.get("/admin/login/").headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


def test_waiting_bots_have_a_hundred_ports() -> None:
    assert ask("ARENA_SEAT_PORTS").strip() == "range(4300, 4400)"
    assert ask("ARENA_SEAT_PORTS", ARENA_SEAT_PORTS="5000-5000").strip() == "range(5000, 5001)"


def test_bots_have_a_hundred_ports_of_their_own() -> None:
    assert ask("ARENA_BOT_PORTS").strip() == "range(4400, 4500)"
    assert ask("ARENA_BOT_PORTS", ARENA_BOT_PORTS="5000-5009").strip() == "range(5000, 5010)"


@pytest.mark.parametrize("text", ["4300", "a-b", "4399-4300", "0-10", "4300-70000"])
def test_ports_that_cannot_be_read_stop_the_start(text: str) -> None:
    ended = start("-c", "from arena import settings", ARENA_SEAT_PORTS=text)
    assert f"ARENA_SEAT_PORTS={text}: expected two ports from 1 to 65535" in ended.stderr


def test_the_files_of_bots_lie_in_the_data_folder_or_where_it_is_said(tmp_path: Path) -> None:
    assert ask("ARENA_BOTS", ARENA_DATA=str(tmp_path)).strip() == str(tmp_path / "bots")
    assert ask("ARENA_BOTS", ARENA_BOTS="/srv/bots").strip() == "/srv/bots"


# Django looks for its own names, so those of which ours are made stand there.
CHECK = """
import django; django.setup()
from django.conf import settings
from django.core.management import call_command
from django.utils.module_loading import import_string
from arena.web.on_loop import OnLoop

def name(path):
    found = import_string(path)
    made_from = found.__bases__[1] if issubclass(found, OnLoop) else found
    return f"{made_from.__module__}.{made_from.__qualname__}"

settings.MIDDLEWARE = [name(path) for path in settings.MIDDLEWARE]
settings.SILENCED_SYSTEM_CHECKS = [each for each in settings.SILENCED_SYSTEM_CHECKS if each > "security.W003"]
call_command("check", deploy=True, fail_level="WARNING")
"""


@pytest.mark.long
def test_the_settings_of_the_handbook_leave_nothing_to_say(tmp_path: Path) -> None:
    """`check --deploy` with the first block of docs/deployment.md."""
    block = (ROOT / "docs/deployment.md").read_text(encoding="utf-8").split("```")[1]
    lines = dict(line.split("=", 1) for line in block.split()) | {"ARENA_DATA": str(tmp_path), "SECRET_KEY": ""}
    ended = start("-c", CHECK, DJANGO_SETTINGS_MODULE="arena.settings", **lines)
    assert ended.returncode == 0 and "no issues" in ended.stdout, ended.stderr
    assert lines["ARENA_HTTPS"] == "1"


def test_pages_over_http_lead_to_https_and_those_who_watch_over_it_are_answered(settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    assert Client().get("/rank/?a=1")["Location"] == "https://testserver/rank/?a=1"
    assert Client().get("/healthz").status_code == 503  # no host in this process
    assert Client().get("/metrics").status_code == 200
