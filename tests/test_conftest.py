from __future__ import annotations

import asyncio
import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.http import HttpResponse

from tests.kit.browsing import match_of
from tests.kit.deadline import DEADLINE_S

ROOT = Path(__file__).parent.parent


@pytest.mark.long
@pytest.mark.parametrize(("environ", "code"), [({}, 0), ({"CI": "true"}, 1)])
def test_a_skip_is_named_and_fails_where_ci_is_set(environ: dict[str, str], code: int, tmp_path: Path) -> None:
    suite = tmp_path / "test_something.py"
    suite.write_text("import pytest\n\ndef test_it():\n    pytest.skip('no Chromium here')\n")
    (tmp_path / "conftest.py").write_text((ROOT / "tests/conftest.py").read_text(encoding="utf-8"), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-ra", "-c", "/dev/null", "--rootdir", str(tmp_path), str(suite)]
    environ = {"PYTHONPATH": str(ROOT), **environ}
    run = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=DEADLINE_S)
    assert run.returncode == code, run.stdout + run.stderr
    assert "no Chromium here" in run.stdout


def test_bots_are_started_by_the_python_of_the_tests_and_by_no_script_that_looks_for_one() -> None:
    found = shutil.which("python3")
    assert found and os.path.realpath(found) == os.path.realpath(sys.executable)


async def test_a_loop_takes_callbacks_from_its_own_thread_only() -> None:
    loop = asyncio.get_running_loop()
    assert not loop.get_debug()
    for schedule in (loop.call_soon, functools.partial(loop.call_later, 0)):
        with pytest.raises(RuntimeError, match="Non-thread-safe operation"):
            await asyncio.to_thread(schedule, print)


def test_an_assertion_in_a_helper_says_what_it_compared() -> None:
    with pytest.raises(AssertionError, match="assert None"):
        match_of(HttpResponse(status=404))
