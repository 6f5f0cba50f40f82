from __future__ import annotations

import pytest

from arena.match.commands import Refusal
from arena.rooms.room_codes import CODE, MOST_TRIES, check_code, is_code, key_of, new_code


@pytest.mark.parametrize("code", ["a", "A" * 40, "test", "Otter-42", "a.b_c-d", "newt", "42"])
def test_these_are_codes(code: str) -> None:
    check_code(code)


@pytest.mark.parametrize("code", ["", "A" * 41, "a b", "a/b", "é", "٤", "a\n", "ß", "new", "SIT", "Connect", "<b>"])
def test_these_are_not_and_the_refusal_says_what_is(code: str) -> None:
    with pytest.raises(Refusal) as why:
        check_code(code)
    assert why.value.code == "invalid_command"
    assert "expected 1 to 40 letters, digits, dots, underscores and hyphens" in why.value.sentence


@pytest.mark.parametrize(
    ("channel", "key", "code"),
    [
        ("Otter-42", "OTTER-42", True),
        ("kraków", "KRAKÓW", False),
        ("room:7", "ROOM:7", False),
        ("new", "NEW", False),
        ("ß", "SS", True),
        ("a" * 41, "A" * 41, False),
        ("\udcff", "\udcff", False),
        ("<b>", "<B>", False),
    ],
)
def test_a_channel_is_compared_without_case_and_may_be_a_code(channel: str, key: str, code: bool) -> None:
    assert (key_of(channel), is_code(key_of(channel))) == (key, code)


def test_a_new_code_is_short_until_short_ones_are_few_and_that_of_a_private_room_is_a_secret() -> None:
    assert all(len(new_code(False, 1).partition("-")[2]) <= 3 for _ in range(100))
    assert any(len(new_code(False, MOST_TRIES).partition("-")[2]) > 3 for _ in range(100))
    secret = new_code(True, 1)
    assert CODE.fullmatch(secret) and len(secret.partition("-")[2]) == 12
