from __future__ import annotations

from functools import partial

from arena.server.turns import Turns


def test_so_many_at_once_and_the_others_in_their_order() -> None:
    turns, done = Turns(2), list[str]()
    calls = {name: partial(done.append, name) for name in "abcd"}
    assert [turns.enter("one", calls[name]) for name in "abcd"] == [True, True, False, False]
    assert turns.enter("other", calls["a"])
    turns.leave("one", calls["b"])
    assert done == ["c"]
    turns.leave("one", calls["c"])
    assert done == ["c", "d"]


def test_who_waits_no_more_is_not_called() -> None:
    turns, done = Turns(1), list[str]()
    calls = {name: partial(done.append, name) for name in "abc"}
    assert [turns.enter("one", calls[name]) for name in "abc"] == [True, False, False]
    turns.leave("one", calls["b"])
    turns.leave("one", calls["a"])
    assert done == ["c"]
    turns.leave("one", calls["c"])
    assert not turns.working and turns.enter("one", calls["a"])


def test_without_a_limit_nobody_waits() -> None:
    turns = Turns(0)
    assert all(turns.enter("one", print) for _ in range(100))
