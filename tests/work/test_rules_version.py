"""Which two installations judge alike."""

from __future__ import annotations

from pathlib import Path

from arena.work.rules_version import rules_version, version_of


def test_it_is_that_of_the_source_alone(tmp_path: Path) -> None:
    mine, theirs = tmp_path / "a" / "match", tmp_path / "b" / "match"
    for folder in (mine, theirs):
        folder.mkdir(parents=True)
        (folder / "decide.py").write_text("decide = 1\n")
    (theirs / "decide.cpython-311.pyc").write_bytes(b"compiled")
    assert version_of([mine]) == version_of([theirs])
    (theirs / "decide.py").write_text("decide = 2\n")
    assert version_of([mine]) != version_of([theirs])
    assert len(rules_version()) == 12
