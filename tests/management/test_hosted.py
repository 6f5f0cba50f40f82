"""What a command says of workers. How it becomes the host or watches another is told in test_tournament.py, and with
workers in test_elsewhere.py.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.management.base import CommandError
from django.utils import timezone

from arena.management.hosted import lends, why_it_waits
from arena.models import Machine, Work


@pytest.mark.django_db
def test_the_option_decides_and_without_it_the_settings(settings: Any) -> None:
    settings.ARENA_ENGINE = ""
    assert not lends(None) and not lends("local")
    with pytest.raises(CommandError, match="needs PostgreSQL: set DATABASE_URL, and set ARENA_ENGINE=procrastinate"):
        lends("procrastinate")
    settings.ARENA_ENGINE = "procrastinate"
    assert lends(None) and lends("procrastinate") and not lends("local")


@pytest.mark.django_db
def test_what_is_waited_for_in_vain_is_said_with_what_to_do() -> None:
    ago, now = timezone.now() - timedelta(minutes=1), timezone.now()
    first = Work.objects.create(kind="play", key="match:a:1", spec={"event": "match:a"})
    Work.objects.create(kind="play", key="pairing:1:1", spec={"event": 7})
    assert (why_it_waits("match:a"), why_it_waits(7)) == ("", "")
    Work.objects.update(made=ago)
    assert why_it_waits(7).endswith(": manage.py worker") and why_it_waits("match:a") == why_it_waits(7)
    Work.objects.filter(pk=first.pk).update(state="out", until=now, worker="here")
    assert why_it_waits("match:a") == "", "this machine plays them"
    of_it: dict[str, Any] = {"slots": 1, "speed": 1, "rules": "", "version": "", "seen": now}
    machine = Machine.objects.create(name="w", machine_class="c5", sandbox=1, kinds=["play"], **of_it)
    Work.objects.filter(pk=first.pk).update(state="waiting", until=None, lent=now, sandbox=3)
    machine.rules = _rules()
    machine.save()
    assert "sandbox of level 3" in why_it_waits("match:a")
    Machine.objects.update(sandbox=3, lacks="match:a:1: no room", lacked=now)
    Work.objects.filter(pk=first.pk).update(lacked=ago, worker="w")
    assert why_it_waits("match:a").endswith("their machines lack something: match:a:1: no room")


def _rules() -> str:
    from arena.work.rules_version import rules_version

    return rules_version()
