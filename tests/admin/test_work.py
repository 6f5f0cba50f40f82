from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.models import User
from django.test import Client

from arena.models import Event, Match, Work
from tests.admin.conftest import NOW


def test_the_page_of_a_match_tells_its_analysis(superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    Match.objects.filter(pk="match-1").update(ended=NOW, termination="resign", winner=0)
    said = {"winner": 0, "termination": "resign", "reason": "resigned"}
    Event.objects.create(match_id="match-1", seq=4, at=NOW, kind="ended", seat=1, data=said)
    page = superuser.get("/admin/arena/match/match-1/change/").content.decode()
    assert "Proved by the kernel c992957b9626." in page and "Drawn from the start." in page
    assert "seat 1 0: 0 of 0 moves that mattered." in page


def test_work_is_for_superusers_to_see_with_why_it_failed(superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    Work.objects.update(state="failed", why="its process died")
    assert "its process died" in superuser.get("/admin/arena/work/?q=analyse:match-1").content.decode()
    staff = Client()
    staff.force_login(User.objects.create_user("someone", is_staff=True))
    assert staff.get("/admin/arena/work/").status_code == 403


def test_the_page_of_an_analysis_leaves_its_bytes_out(superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    page = superuser.get("/admin/arena/analysis/match-1/change/").content.decode()
    assert "c992957b9626" in page and "<memory" not in page and "x\\x9c" not in page


def test_no_page_shows_what_proves_a_run(superuser: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    row = Work.objects.get()
    pages = ["/admin/arena/work/", f"/admin/arena/work/{row.pk}/change/"]
    assert not any("5ecre7" in superuser.get(page).content.decode() for page in pages)


def test_work_of_a_command_says_so_and_leaves_out_the_answer_that_waits_in_it(superuser: Client) -> None:
    row = Work.objects.create(kind="play", key="match:7390a766ca529dfc:12", state="done", kept="a whole log")
    page = superuser.get(f"/admin/arena/work/{row.pk}/change/").content.decode()
    assert "manage.py match" in page and "round 12" in page and "a whole log" not in page
