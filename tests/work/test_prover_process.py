"""The process that proves positions: its answers, and what is left of a job that cannot be done."""

from __future__ import annotations

import asyncio
import logging

import pytest

from arena.work import prover_process
from arena.work.prover_process import ProverProcess
from tests.kit.until import until

JOB = {"variant": "expanding-nim", "settings": {"stones": 2, "resets": 0}, "moves": ["1"], "plies": [1]}


async def test_jobs_are_done_one_after_the_other_and_again_after_a_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prover_process, "IDLE_S", 0.0)
    prover = ProverProcess()
    try:
        answers = await asyncio.gather(*(prover.verdicts(JOB) for _ in range(3)))
        assert answers == [{"results": [-1], "line": ["1"]}] * 3
        await until(lambda: not prover._engine._processes)
        assert await prover.verdicts(JOB) == answers[0]
    finally:
        await prover.close()


async def test_what_cannot_be_computed_is_said_once_for_the_job(caplog: pytest.LogCaptureFixture) -> None:
    prover = ProverProcess()
    try:
        with caplog.at_level(logging.WARNING, "arena.work"):
            assert await prover.verdicts({**JOB, "moves": ["9"]}) is None
        assert "nothing was proved of a position of expanding-nim: " in caplog.text
        assert await prover.verdicts(JOB) is not None
    finally:
        await prover.close()
