from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from django.test import Client

from arena.admin.match_actions import MATCH_ACTIONS
from arena.models import Audit
from arena.models.audit import DEEDS, in_words
from arena.tournaments import actions, setting_pairs


def test_acts_are_found_by_what_they_were_done_to(staff: Client, fill: Callable[[int], None]) -> None:
    fill(1)
    fill(2)
    page = staff.get("/admin/arena/audit/", {"q": "player 2"}).content.decode()
    assert "player 2" in page
    assert "player 1" not in page


def test_what_was_before_is_said_in_words(staff: Client) -> None:
    before, after = {"email": "", "username": "ada"}, {"email": "ada@example.org", "username": "ada"}
    Audit.objects.create(actor="root", act="account changed", data={"before": before, "after": after})
    Audit.objects.create(actor="root", act="account added", data={"before": {}, "after": {"groups": ["a", "b"]}})
    page = staff.get("/admin/arena/audit/").content.decode()
    assert "before: email –, username ada; after: email ada@example.org, username ada<" in page
    assert "before: –; after: groups a b<" in page


def test_details_are_said_in_one_order_however_a_database_has_stored_them() -> None:
    award = {"to": "p1", "reason": "it never came", "pairing": "p1 – p2 (1.2.1)"}
    assert Audit(data=award).says() == "pairing: p1 – p2 (1.2.1); to: p1; reason: it never came"
    changed = {"after": ["b"], "before": ["a"], "reason": "", "player": 7}
    assert Audit(data=changed).says() == "player: 7; before: a; after: b; reason: –"
    assert in_words(award) == "pairing p1 – p2 (1.2.1), to p1, reason it never came"


def test_every_act_on_an_event_is_said_in_words() -> None:
    sources = [path.read_text(encoding="utf-8") for path in Path(actions.__file__).parent.glob("*.py")]
    acts = {act for source in sources for act in re.findall(r'locked\(\s*[\w.]+, actor, "([^"]+)"', source)}
    acts |= {act.noted for act in setting_pairs.ACTS.values()}
    assert {f"tournament {act}" for act in {*acts, "pause", "create"}} == {act for act in DEEDS if " " in act}
    award = Audit(act="tournament award", data={"pairing": "p1 – p2 (1.1.3)", "to": "draw"})
    assert award.deed() == "decided p1 – p2 (1.1.3): draw"
    assert Audit(act="tournament seeds").deed() == "set the seeds: –"
    assert Audit(act="account closed {").deed() == "account closed {"


def test_every_act_on_a_match_is_said_in_words() -> None:
    names = {act.name.replace("rerun", "re-run") for act in MATCH_ACTIONS}
    assert names == {act for act in DEEDS if " " not in act}
    assert Audit(act="pause").deed() == "paused the match"
