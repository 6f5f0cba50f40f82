"""Who may say what this server runs."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from arena.bots.commands import check_command
from arena.match.commands import Refusal

COMMAND = ["python3", "bot.py"]


@pytest.mark.parametrize(("words", "before"), [(COMMAND, None), (None, COMMAND), (["sh"], COMMAND)])
def test_a_command_is_a_superuser_s_to_set_and_to_change(words: list[str] | None, before: list[str] | None) -> None:
    check_command(User(is_superuser=True), words, before)
    with pytest.raises(Refusal):
        check_command(User(is_staff=True), words, before)


@pytest.mark.parametrize("words", [None, COMMAND])
def test_who_leaves_it_as_it_is_may_be_anybody(words: list[str] | None) -> None:
    check_command(User(), words, words)
