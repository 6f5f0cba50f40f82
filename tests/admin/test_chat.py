from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from arena.models import Audit, ChatLine, ChatReport, Match, Player


def test_staff_remove_a_reported_line_or_leave_it(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    ada = Player.objects.create(kind="person", name="Ada", slug="ada-of-chat")
    match, reporter = Match.objects.get(), Player.objects.exclude(pk=ada.pk)[0]
    line = ChatLine.objects.create(match=match, player=ada, name="Ada", among_players=False, text="rude words")
    report = ChatReport.objects.create(line=line, by=reporter)
    assert "rude words" in staff.get("/admin/").content.decode(), "it stands among what needs a decision"
    page = staff.get("/admin/arena/chatreport/").content.decode()
    assert "rude words" in page
    for action, removed in (("leave", False), ("remove", True)):
        chosen = {"action": action, "_selected_action": str(report.pk)}
        assert "rude words" in staff.post("/admin/arena/chatreport/", chosen).content.decode()
        staff.post("/admin/arena/chatreport/", {**chosen, "confirmed": "yes", "reason": ""})
        line.refresh_from_db()
        assert line.removed is removed
        assert ChatReport.objects.get(pk=report.pk).decided is not None
    staff.get("/admin/")  # where what came of it is said once
    assert "rude words" not in staff.get("/admin/").content.decode()
    assert [each.act for each in Audit.objects.order_by("pk")][-2:] == ["chat line left", "chat line removed"]


def test_what_needs_a_decision_leads_to_the_reports_that_are_not_decided(
    staff: Client, fill: Callable[[int], None]
) -> None:
    fill(1)
    fill(2)
    ChatReport.objects.filter(line__text__endswith="number 1").update(decided="2026-01-31T12:00Z")
    assert 'href="/admin/arena/chatreport/?state=open"' in staff.get("/admin/").content.decode()
    lines = {
        state: staff.get(f"/admin/arena/chatreport/?state={state}").content.decode() for state in ("open", "decided")
    }
    assert "good move, number 2" in lines["open"] and "good move, number 1" not in lines["open"]
    assert "good move, number 1" in lines["decided"] and "good move, number 2" not in lines["decided"]


def test_a_line_is_decided_on_the_page_of_its_report(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    report = ChatReport.objects.select_related("line").get()
    page = f"/admin/arena/chatreport/{report.pk}/change/"
    shown = staff.get(page).content.decode()
    assert report.line.text in shown and "not decided" in shown
    assert 'value="remove">Remove the line</button>' in shown and 'value="leave">' in shown
    chosen = {"action": "remove", "_selected_action": str(report.pk), "back": "1"}
    assert report.line.text in staff.post("/admin/arena/chatreport/", chosen).content.decode()
    answer = staff.post("/admin/arena/chatreport/", {**chosen, "confirmed": "yes", "reason": ""})
    assert answer.headers["Location"] == page
    shown = staff.get(page).content.decode()
    assert "removed: no page shows it" in shown
    assert 'value="remove">' not in shown and 'value="leave">' in shown, "what was decided can be taken back"
