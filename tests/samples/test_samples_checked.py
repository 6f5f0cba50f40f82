"""The sample bots in C and JavaScript pass every step of `check_bot`; tests/bots/conformance has those in Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.protocols import protocols
from tests.kit.checking import assert_all_passed, check_of
from tests.kit.commands import processes_of
from tests.kit.samples import SAMPLES, alone

pytestmark = pytest.mark.service


@pytest.mark.cases(1)
@pytest.mark.parametrize("slug", protocols())
def test_they_pass_every_step(slug: str, built: Path, tmp_path: Path) -> None:
    samples = [sample for sample in SAMPLES if sample.protocol == slug and sample.language != "py"]
    checks = [check_of(slug, tmp_path, *alone(sample, built), variant=sample.variant) for sample in samples]
    assert checks
    for check in checks:
        assert_all_passed(check)
    assert processes_of(tmp_path) == []
