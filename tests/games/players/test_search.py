"""The search on a game small enough to count on one's fingers: take 1 to 3; the player who takes the last one wins."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from games.players.search import WIN, Search
from tests.kit.positions import after, never

Node = tuple[int, int]  # (left, ply)


class TakeAway(Search[Node]):
    """Every node not decided looks worth `guess`."""

    guess = 0
    looked_at = 0

    def key(self, node: Node) -> Node:
        return node

    def settled(self, node: Node) -> int | None:
        self.looked_at += 1
        left, ply = node
        return None if left else ply - WIN

    def estimate(self, node: Node) -> int:
        return self.guess

    def children(self, node: Node) -> Iterator[Node]:
        left, ply = node
        return ((left - take, ply + 1) for take in (1, 2, 3) if take <= left)


class Stuck(TakeAway):
    """Here nobody has a move worth trying."""

    def children(self, node: Node) -> Iterator[Node]:
        return iter(())

    def hopeless(self, node: Node) -> int:
        return node[1] + 2 - WIN


def moves(left: int, ply: int = 0) -> dict[str, Node]:
    return {str(take): (left - take, ply + 1) for take in (1, 2, 3) if take <= left}


def test_it_finds_the_winning_move_wherever_there_is_one() -> None:
    for left in (n for n in range(1, 40) if n % 4):
        assert TakeAway(never).rank(moves(left), 0, 100)[0] == str(left % 4)


def test_a_lost_game_is_made_as_long_as_it_can_be() -> None:
    search = TakeAway(never)
    assert search.rank(moves(8), 0, 100)[0] == "1"
    assert search.value((8, 0), 100, -WIN, WIN) == 4 - WIN


def test_values_tell_at_which_ply_the_win_comes() -> None:
    assert TakeAway(never).value((3, 10), 100, -WIN, WIN) == WIN - 11
    assert TakeAway(never).value((5, 10), 100, -WIN, WIN) == WIN - 13


def test_a_value_beyond_the_depth_is_an_estimate() -> None:
    search = TakeAway(never)
    search.guess = 7
    assert search.value((9, 0), 0, -WIN, WIN) == 7
    assert search.value((9, 0), 1, -WIN, WIN) == -7


def test_all_moves_are_ranked_and_an_only_move_needs_no_look() -> None:
    search = TakeAway(after(0))
    assert sorted(search.rank(moves(30), 0, 3)) == ["1", "2", "3"]
    search = TakeAway(after(0))
    assert search.rank(moves(1), 0, 100) == ["1"]
    assert search.looked_at == 0


def test_it_ends_by_itself_when_nothing_is_left_to_look_at() -> None:
    search = TakeAway(never)
    search.guess = 1
    search.rank(moves(12), 0, 10_000_000)
    assert search.looked_at < 2_000


def test_out_of_time_the_best_so_far_stands() -> None:
    class Asked(TakeAway):
        def key(self, node: Node) -> Node:
            return node[0], node[1] * 1_000 + self.looked_at  # no node is ever met again: the tree never ends

    asked = Asked(after(3))
    assert set(asked.rank(moves(1_000), 0, 100)) == {"1", "2", "3"}
    assert asked.looked_at <= 4 * 256


def test_where_every_move_loses_at_once_the_game_says_how_soon() -> None:
    assert Stuck(never).value((9, 4), 1, -WIN, WIN) == 6 - WIN


def test_a_game_that_cannot_be_stuck_says_so_when_it_is() -> None:
    class Wrong(TakeAway):
        def children(self, node: Node) -> Iterator[Node]:
            return iter(())

    with pytest.raises(NotImplementedError, match=r"has no children: \(9, 4\)"):
        Wrong(never).value((9, 4), 1, -WIN, WIN)


def test_nodes_that_share_a_slot_of_the_table_are_kept_apart() -> None:
    class Crowded(TakeAway):
        def slot(self, key: object) -> int:
            return 0

    for left in range(1, 20):
        assert Crowded(never).look((left, 0), 30) == TakeAway(never).look((left, 0), 30)


def test_a_look_says_whether_it_saw_the_end() -> None:
    assert TakeAway(never).look((9, 0), 100) == (WIN - 5, False)
    assert TakeAway(never).look((9, 0), 2) == (0, True)
