"""Steps on Connect Four boards, for protocols that send the whole board with each request. The boards result from the
games below; the drawn ones come from random play that fills one column last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from arena.protocols.steps import AskBot, Begin, Doing, LastLine, Script, StartBot, Step, Table
from games import Position, Variant

# Games that fill the board without a line; the last four moves of the n-th go into column n.
DRAWN = {
    "connect-four-7x6": (
        "556376144765767517525446627422333234321111",
        "752314574311733774634526645135574611662222",
        "535615755312727567444444611266776122213333",
        "774121264731726322761616657553123335554444",
        "347466431763114331543152641227227676725555",
        "645253145672243215132375314372115447776666",
        "225647627622246356143634411135555334117777",
    ),
    "connect-four-8x8": (
        "4671267581777713145346332243532237653648676556845454282288881111",
        "2655312611256475885514117551871247368883387847773363344446662222",
        "6765154648388751515588731148144273318847772646655462162222723333",
        "8611355263774785677383774464562728556152656832831331112212884444",
        "7416664378561641877814636312611885384242485315228372227337745555",
        "8633181573267447687457857743344836152322845725522858314112116666",
        "8433761556534441811463555885461415412227861268278836633227327777",
        "2477354457216663451786181873225377718652643416564124255123338888",
    ),
}
# The last stone fills the board and wins for the second player.
WON_LAST = {
    "connect-four-7x6": "453322713545135561642646422211366175777473",
    "connect-four-8x8": "8511584157147261727254341785751646655871884826342847623336633223",
}
# First and second player to move, each with a win in one; then each facing two wins in one of the opponent.
WIN_IN_ONE = ("121212", "1212324")
LOST = ("131475", "33445")


def after(variant: Variant, moves: str) -> Position:
    """The position after these moves."""
    position = variant.start()
    for move in moves:
        position = position.play(move)
    return position


def steps(keeps_its_process: bool) -> tuple[Step, ...]:
    """The steps, for bots that get all boards in one process, or each board in a new one."""

    def boards(positions: Callable[[Variant], Iterable[Position]]) -> Callable[[Table], Script]:
        def run(table: Table) -> Script:
            said = yield from answers(tuple(positions(table.variant)), keeps_its_process)
            return f"answers {' '.join(said)}"

        return run

    return (
        Step("one_column_left", "finds the only column that is left", boards(one_column_left)),
        Step("last_cell", "fills the last cell of a board", boards(last_cells)),
        Step("win_on_last_cell", "plays the last cell where it wins", boards(win_on_last_cell)),
        Step("full_columns", "plays no full column", boards(full_columns)),
        Step("win_in_one", "answers where it can win at once", boards(win_in_one)),
        Step("lost_board", "answers where every move loses", boards(lost)),
    )


def answers(positions: Sequence[Position], keeps_its_process: bool) -> Doing[list[str]]:
    """The bot's answers to unrelated boards."""
    if keeps_its_process:
        yield StartBot()
    said = []
    for position in positions:
        if not keeps_its_process:
            yield StartBot()
        said.append((yield from _answer(position)))
    return said


def _answer(position: Position) -> Script:
    assert position.to_move is not None, "a board that is asked about has a side to move"
    yield AskBot(position, [Begin(position.to_move, position)])
    said: str = yield LastLine()
    return said


def one_column_left(variant: Variant) -> Iterator[Position]:
    """For each column a board where all others are full; the first and the second player move in turn."""
    for number, game in enumerate(DRAWN[variant.slug]):
        yield after(variant, game[: -4 + number % 2])


def last_cells(variant: Variant) -> Iterator[Position]:
    """Boards with one free cell: at the left, in the middle and at the right."""
    games = DRAWN[variant.slug]
    for game in (games[0], games[len(games) // 2], games[-1]):
        yield after(variant, game[:-1])


def win_on_last_cell(variant: Variant) -> Iterator[Position]:
    yield after(variant, WON_LAST[variant.slug][:-1])


def full_columns(variant: Variant) -> Iterator[Position]:
    """Boards on which some columns are full and some are not."""
    for game in DRAWN[variant.slug][:3]:
        for left in (5, 8, 12):
            yield after(variant, game[:-left])


def win_in_one(variant: Variant) -> Iterator[Position]:
    for moves in WIN_IN_ONE:
        yield after(variant, moves)


def lost(variant: Variant) -> Iterator[Position]:
    for moves in LOST:
        yield after(variant, moves)
