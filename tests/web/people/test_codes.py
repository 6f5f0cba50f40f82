from __future__ import annotations

import re

from arena.web.people.codes import digest, new_code


def test_a_code_can_be_read_aloud() -> None:
    codes = {new_code() for _ in range(50)}
    assert len(codes) == 50
    assert all(re.fullmatch(r"([2-9A-HJKMNP-Z]{4}-){2}[2-9A-HJKMNP-Z]{4}", code) for code in codes)


def test_a_code_is_the_same_however_it_is_typed() -> None:
    assert digest("K7QM-2WXR-9ABC") == digest("k7qm 2wxr 9abc ") == digest("k7qm2wxr9abc") != digest("K7QM-2WXR-9ABD")
