"""The Santorini player for boards of any size; it also chooses where to place workers."""

from __future__ import annotations

from collections.abc import Sequence

from games.players.player import Outlook, SearchingPlayer
from games.players.santorini_search import Node, SantoriniMasks, SantoriniSearch, Turn, built, height, size
from games.players.search import WIN, OutOfTime, Search
from games.santorini import SantoriniPosition

_TOP = 3
# A turn takes at most two cells from the opponent: the one stepped to and the one built on.
_TRAPPED_AT_ONCE = 2


class SantoriniPlayer(SearchingPlayer[SantoriniPosition]):
    """Alpha-beta over turns: three to five plies in a second in the opening, more once threats narrow it."""

    for_position = SantoriniPosition

    def wins(self, position: SantoriniPosition) -> list[str]:
        """The steps up to height 3, and the turns after which the opponent cannot move."""
        if position.is_placing:
            return []
        board, node = size(position.size), _node(position)
        return [move for move in position.legal_moves() if _wins(board, node, _turn(position.size, move))]

    def replies_that_win(self, position: SantoriniPosition, move: str) -> int:
        """The number of turns with which the opponent wins at once after `move`."""
        if position.is_placing or "+" not in move:  # the match is over after a step up to height 3
            return 0
        board = size(position.size)
        node = _after(_node(position), _turn(position.size, move))
        _, mine, theirs, levels = node
        if not board.wins(mine, levels) and board.steps(theirs, mine, levels).bit_count() > _TRAPPED_AT_ONCE:
            return 0
        return sum(_wins(board, node, turn) for turn in board.turns(mine, theirs, levels, board.all))

    def weight(self, position: SantoriniPosition, move: str) -> float:
        """How central and how high the cell is that is placed on or stepped to."""
        board = size(position.size)
        if position.is_placing:
            return 1 + board.centrality[_bit(position.size, move)]
        _, target, _ = _turn(position.size, move)
        return 1 + board.centrality[target] + 2 * height(target, _node(position)[3])

    def search(self, position: SantoriniPosition, out_of_time: OutOfTime) -> Search[Node]:
        return SantoriniSearch(size(position.size), out_of_time)

    def outlook(self, position: SantoriniPosition) -> Outlook:
        """See SearchingPlayer.outlook. Placements are neither decided nor searched."""
        if position.is_placing:
            return Outlook({}, {})
        board, node = size(position.size), _node(position)
        turns = {move: _turn(position.size, move) for move in position.legal_moves()}
        sites = board.safe_sites(node[2], node[3])
        wins = {move for move, turn in turns.items() if _wins(board, node, turn)}
        decided = dict.fromkeys(wins, WIN - position.ply - 1)
        decided |= {move: position.ply + 2 - WIN for move in turns if move not in wins and not turns[move][2] & sites}
        return Outlook(decided, {move: _after(node, turn) for move, turn in turns.items() if move not in decided})

    def rank_by(self, search: Search[Node], position: SantoriniPosition, moves: Sequence[str], depth: int) -> list[str]:
        """Wins in one; else the turns that leave no step up, by alpha-beta; then the rest. Placements by estimate."""
        if position.is_placing:
            return sorted(moves, key=lambda move: _looks(position, move), reverse=True)
        board, node = size(position.size), _node(position)
        turns = {move: _turn(position.size, move) for move in moves}
        wins = [move for move, turn in turns.items() if _wins(board, node, turn)]
        sites = board.safe_sites(node[2], node[3])
        nodes = {move: _after(node, turn) for move, turn in turns.items() if turn[2] & sites}
        if wins or not nodes:
            return wins + [move for move in moves if move not in wins]
        ranked = search.rank(nodes, position.ply, depth)
        return ranked + [move for move in moves if move not in nodes]


PLAYER = SantoriniPlayer()


def _node(position: SantoriniPosition) -> Node:
    mover = position.ply % 2
    mine, theirs = (sum(1 << cell for cell in position.workers[seat::2]) for seat in (mover, 1 - mover))
    one, two, three, four = (_built_to(position, level) for level in range(1, _TOP + 2))
    return position.ply, mine, theirs, (one, two, three, four)


def _built_to(position: SantoriniPosition, level: int) -> int:
    return sum(1 << cell for cell, built in enumerate(position.heights) if built >= level)


def _bit(size: int, name: str) -> int:
    return 1 << (size - int(name[1:])) * size + ord(name[0]) - ord("a")


def _turn(size: int, move: str) -> Turn:
    step, _, site = move.partition("+")
    origin, target = step.split("-")
    return _bit(size, origin), _bit(size, target), _bit(size, site) if site else 0


def _after(node: Node, turn: Turn) -> Node:
    ply, mine, theirs, levels = node
    origin, target, site = turn
    return ply + 1, theirs, mine ^ origin | target, built(levels, site) if site else levels


def _wins(board: SantoriniMasks, node: Node, turn: Turn) -> bool:
    if not turn[2]:
        return True
    _, theirs, mine, levels = _after(node, turn)
    return not board.steps(theirs, mine, levels)


def _looks(position: SantoriniPosition, move: str) -> int:
    """The estimated worth of both sides' workers after a placement on the cell."""
    board = size(position.size)
    _, mine, theirs, levels = _node(position)
    mine |= _bit(position.size, move)
    free = board.all & ~(mine | theirs)
    return board.worth(mine, free, levels) - board.worth(theirs, free, levels)
