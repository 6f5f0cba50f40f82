from __future__ import annotations

import pytest

from arena.server.forwarded import forwarded_address, forwarded_https


@pytest.mark.parametrize(
    ("hops", "lines", "address"),
    [
        (0, [b"1.1.1.1"], None),
        (1, [b"1.1.1.1, 2.2.2.2"], "2.2.2.2"),
        (2, [b"1.1.1.1, 2.2.2.2", b"3.3.3.3"], "2.2.2.2"),
        (1, [b"2001:db8::1"], "2001:db8::1"),
        (2, [b"1.1.1.1"], None),
        (1, [b"<script>"], None),
        (1, [], None),
    ],
)
def test_the_address_is_counted_from_the_right(hops: int, lines: list[bytes], address: str | None) -> None:
    assert forwarded_address([(b"x-forwarded-for", line) for line in lines], hops) == address


def test_the_scheme_is_the_one_our_outermost_proxy_saw() -> None:
    assert not forwarded_https([(b"x-forwarded-proto", b"https")], 0)
    assert not forwarded_https([(b"x-forwarded-proto", b"https, http")], 1)
    assert forwarded_https([(b"x-forwarded-proto", b"https, http")], 2)
    assert forwarded_https([(b"x-forwarded-proto", b"HTTPS")], 2)
