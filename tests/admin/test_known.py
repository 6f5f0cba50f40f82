from __future__ import annotations

from arena.admin.known import KnownLine, KnownPanel, filled


def test_what_is_empty_is_not_shown_and_each_panel_has_a_name_of_its_own() -> None:
    versions, none = KnownPanel("Last failures", [KnownLine("12-01 10:00", "match-1")]), KnownPanel("Reported", [])
    assert filled(versions, none) == [versions] and versions.slug == "last-failures"
