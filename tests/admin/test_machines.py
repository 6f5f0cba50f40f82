"""*Machines and work*: what is there and what went wrong, in few queries, for superusers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from arena.models import Machine, Match, Work
from arena.work.rules_version import rules_version

PAGE = "/admin/machines/"


def a_worker(name: str, **fields: object) -> None:
    said = {
        "machine_class": "linux-x86_64",
        "slots": 2,
        "speed": 90,
        "rules": rules_version(),
        "version": "1",
        "sandbox": 3,
    }
    kinds = {"kinds": ["play", "analyse"], "seen": timezone.now()}
    Machine.objects.create(name=name, **{**said, **kinds, **fields})


def test_workers_and_work_are_told_with_what_can_be_ordered(superuser: Client, fill: Callable[[int], None]) -> None:
    Machine.objects.all().delete()
    Work.objects.all().delete()
    page = superuser.get(PAGE).content.decode()
    assert "Everything is computed on this machine." in page and "No worker" not in page
    a_worker("one")
    a_worker("two", draining=True)
    a_worker("three", seen=timezone.now() - timedelta(minutes=1), lost=4)
    a_worker("four", distrusted="pairing:7:1: event 3: it was done by nobody", late=2)
    a_worker("five", rules="0123456789ab")
    a_worker("six", lacks="pairing:3:1: No space left on device", lacked=timezone.now())
    until = timezone.now() + timedelta(seconds=9)
    Work.objects.create(kind="play", key="pairing:1:1", state="out", until=until, worker="one", secret="s", faults=1)
    Work.objects.create(kind="analyse", key="analyse:m", state="failed", why="its process died")
    page = superuser.get(PAGE).content.decode()
    for state in ("works", "draining", "gone", "not trusted", "other rules"):
        assert f">{state}</strong>" in page, state
    assert "its rules are" in page and "0123456789ab" in page and "pairing:7:1: event 3: it was done by nobody" in page
    assert "gave back at " in page and "pairing:3:1: No space left on device" in page
    assert '<strong class="kind w">idle</strong>' in page
    assert "1 of 4 slots in use" in page and "its process died" in page and "pairing:1:1" in page
    for act in ("drain", "take", "trust", "again", "cancel"):
        assert f'name="action" value="{act}"' in page
    assert "class linux-x86_64, 90 thousand moves a second, sandbox 3, play and analyse; last seen " in page
    assert 'value="trust">Trust again …<' in page and 'value="cancel">Cancel …<' in page and "(1 lost)" in page
    assert page.index(">one</a>") < page.index(">three</a>"), "who is gone stands last"


def test_a_match_of_an_event_that_failed_is_not_offered_again_but_its_event_is(superuser: Client) -> None:
    Work.objects.all().delete()
    spec = {"pairing": 2, "event": 31}
    Work.objects.create(kind="play", key="pairing:2:1", state="failed", why="its process died", spec=spec)
    page = superuser.get(PAGE).content.decode()
    assert "pairing:2:1" in page and 'value="again"' not in page
    assert '<a class="button" href="/admin/arena/tournament/31/change/">Open event</a>' in page


def test_an_open_page_asks_for_what_changes_of_it(superuser: Client) -> None:
    page = superuser.get(PAGE).content.decode()
    part = superuser.get(PAGE, {"part": "live"}).content.decode().strip()
    assert 'ws-connect="/ws/control/?machines=all"' in page and page.count('id="live"') == 1
    assert part.startswith('<div id="live">') and part.endswith("</div>") and "<html" not in part
    for name in ("h-workers", "h-wrong", "h-kinds"):
        assert f'id="{name}"' in part and f'id="{name}"' in page


def test_the_speed_of_play_is_counted_without_reading_older_matches(
    superuser: Client, fill: Callable[[int], None]
) -> None:
    for n in range(1, 7):
        fill(n)
    Match.objects.update(opened=timezone.now() - timedelta(minutes=5), ended=timezone.now(), termination="normal")
    with CaptureQueriesContext(connection) as asked:
        page = superuser.get(PAGE).content.decode()
    assert '<b id="now-matches">0.1</b> <small>a second</small>' in " ".join(page.split())
    (counted,) = [query["sql"] for query in asked.captured_queries if '"arena_match"."ended" >=' in query["sql"]]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {counted}")
        assert "USING INDEX match_opened (opened>?)" in str(cursor.fetchall())


def test_the_queries_do_not_grow(superuser: Client) -> None:
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as seen:
            assert superuser.get(PAGE).status_code == 200
        return len(seen)

    a_worker("one")
    before = queries()
    for n in range(30):
        a_worker(f"more {n}")
        Work.objects.create(kind="play", key=f"pairing:{n}:1")
        Work.objects.create(kind="play", key=f"pairing:{n}:2", state="failed", why="lost")
    assert queries() == before <= 15
    assert superuser.get(PAGE).content.decode().count('value="again"') == 20


def test_it_is_for_superusers(staff: Client) -> None:
    assert staff.get(PAGE).status_code == 403 and "Machines and work" not in staff.get("/admin/").content.decode()
    nobody = Client()
    assert nobody.get(PAGE).status_code == 302
    someone = Client()
    someone.force_login(User.objects.create_user("someone"))
    assert someone.get(PAGE).status_code == 302
