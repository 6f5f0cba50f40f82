from __future__ import annotations

import pytest

from arena.management.own_arguments import OwnArguments


class Echo(OwnArguments):
    """Keeps what it was told."""

    said: list[str] = []

    def main(self, words: list[str]) -> int:
        self.said[:] = words
        return 3


@pytest.mark.parametrize("words", [["-v", "--no-color", "a b"], []])
def test_every_word_is_the_command_s_own(words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        Echo().run_from_argv(["manage.py", "echo", *words])
    assert ended.value.code == 3 and Echo.said == words
