"""What is said over any page; the bar of storage is looked at in tests/web/test_storage_pages.py."""

from __future__ import annotations

from arena.web.notices import notice


def test_a_notice_is_escaped() -> None:
    assert "<b>" not in notice("<b>no</b>")
