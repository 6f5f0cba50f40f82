"""`manage.py runner` where Django runs it: the rest is told in tests/play/test_runner.py."""

from __future__ import annotations

import pytest
from django.core.management import call_command


def test_django_knows_it_too(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        call_command("runner", "gamestate", "./nothing", "./nobody")
    assert ended.value.code == 2
    assert capsys.readouterr().err == "runner: no such command: ./nothing\n"
