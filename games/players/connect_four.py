"""The Connect Four player, for boards of any size."""

from __future__ import annotations

from collections.abc import Sequence

from games.connect_four import ConnectFourPosition
from games.players.connect_four_search import ConnectFourMasks, ConnectFourSearch, Node, size
from games.players.player import Outlook, SearchingPlayer
from games.players.search import WIN, OutOfTime, Search


class ConnectFourPlayer(SearchingPlayer[ConnectFourPosition]):
    """Exact where the search reaches the end in time: on 7x6 within a second from about ply 20."""

    for_position = ConnectFourPosition

    def wins(self, position: ConnectFourPosition) -> list[str]:
        """The columns that complete a line."""
        mine = _node(position)[3]
        return [move for move in position.legal_moves() if _cell(position, move) & mine]

    def replies_that_win(self, position: ConnectFourPosition, move: str) -> int:
        """The number of columns that complete a line for the opponent after `move`."""
        _, _, mask, mine, theirs = _node(position)
        cell = _cell(position, move)
        if cell & mine:
            return 0
        board = _size(position)
        return ((mask + cell + board.bottom) & theirs & ~cell).bit_count()

    def weight(self, position: ConnectFourPosition, move: str) -> float:
        """The column's distance from the edge, counted from 1."""
        return min(int(move), position.columns + 1 - int(move))

    def search(self, position: ConnectFourPosition, out_of_time: OutOfTime) -> Search[Node]:
        return ConnectFourSearch(_size(position), out_of_time)

    def outlook(self, position: ConnectFourPosition) -> Outlook:
        wins, board, node = set(self.wins(position)), _size(position), _node(position)
        decided = dict.fromkeys(wins, WIN - position.ply - 1)
        unsound = [move for move in position.legal_moves() if self.replies_that_win(position, move)]
        decided |= dict.fromkeys(unsound, position.ply + 2 - WIN)
        left = [move for move in position.legal_moves() if move not in decided]
        return Outlook(decided, {move: _after(board, node, _cell(position, move)) for move in left})

    def rank_by(
        self, search: Search[Node], position: ConnectFourPosition, moves: Sequence[str], depth: int
    ) -> list[str]:
        """Wins in one; otherwise, by alpha-beta on bitboards, moves that leave the opponent none, then the rest."""
        wins = [move for move in self.wins(position) if move in moves]
        sound = [move for move in moves if not self.replies_that_win(position, move)]
        if wins or not sound:
            return wins + [move for move in moves if move not in wins]
        node, board = _node(position), _size(position)
        nodes = {move: _after(board, node, _cell(position, move)) for move in sound}
        ranked = search.rank(nodes, position.ply, depth)
        return ranked + [move for move in moves if move not in nodes]


PLAYER = ConnectFourPlayer()


def _size(position: ConnectFourPosition) -> ConnectFourMasks:
    return size(position.columns, position.rows)


def _node(position: ConnectFourPosition) -> Node:
    mover = position.ply % 2
    return _size(position).node(position.stones[mover], position.stones[1 - mover])


def _cell(position: ConnectFourPosition, move: str) -> int:
    board = _size(position)
    mask = position.stones[0] | position.stones[1]
    return (mask + board.bottom) & board.files[int(move) - 1]


def _after(board: ConnectFourMasks, node: Node, cell: int) -> Node:
    _, mover, mask, _, _ = node
    return board.node(mover ^ mask, mover | cell)
