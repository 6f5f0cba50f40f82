from __future__ import annotations

import games
from arena.web.drawing import Choice, View, generic
from games import Board, Cell, Outcome, Position
from tests.web import markup

SANTORINI = "santorini-5x5"


class At(Position):
    """A position that is nothing but its board."""

    def __init__(self, board: Board) -> None:
        self._board = board

    @property
    def to_move(self) -> int | None:
        return 0

    @property
    def ply(self) -> int:
        return 0

    def legal_moves(self) -> tuple[str, ...]:
        return tuple(self._board.choices)

    def play(self, move: str) -> Position:
        return self

    def outcome(self) -> Outcome | None:
        return None

    def board(self) -> Board:
        return self._board


def _board(*rows: str, choices: dict[str, tuple[str, ...]] | None = None, marks: tuple[str, ...] = ()) -> Board:
    """A small board drawn in text: `x` seat 0, `o` seat 1, a digit a height; cells a1 … from the top left."""
    cells = tuple(
        tuple(
            Cell(f"{'abc'[c]}{r + 1}", {"x": 0, "o": 1}.get(sign), level=int(sign) if sign.isdigit() else 0)
            for c, sign in enumerate(row)
        )
        for r, row in enumerate(rows)
    )
    return Board(cells, choices or {}, marks)


def _offered(board: Board, *chosen: str) -> list[tuple[str, str, str]]:
    drawn = generic.controls(View(At(board)), Choice(0, True, chosen))
    return [(b["id"], b.get("name", ""), b.get("value", "")) for b in markup.buttons(drawn) if b["type"] == "submit"]


def test_a_cell_that_is_a_whole_move_posts_it() -> None:
    board = _board("x.", choices={"b1": ("b1",)})
    assert _offered(board) == [("t-b1", "move", "b1")]


def test_a_longer_move_is_chosen_step_by_step() -> None:
    board = _board("x..", choices={"a1-b1+c1": ("a1", "b1", "c1"), "a1-c1+b1": ("a1", "c1", "b1")})
    assert _offered(board) == [("t-a1", "sel", "a1")]
    assert _offered(board, "a1") == [("t-b1", "sel", "a1,b1"), ("t-c1", "sel", "a1,c1"), ("t-undo", "sel", "")]
    assert _offered(board, "a1", "b1") == [("t-c1", "move", "a1-b1+c1"), ("t-undo", "sel", "a1")]


def test_a_choice_that_may_stop_or_go_on_offers_both() -> None:
    board = _board(".", choices={"3": ("3",), "3r": ("3", "reset")})
    assert _offered(board) == [("t-3", "sel", "3")]
    assert _offered(board, "3") == [("t-done", "move", "3"), ("t-reset", "move", "3r"), ("t-undo", "sel", "")]


def test_steps_go_to_their_own_form_and_never_send_a_move() -> None:
    board = _board("x.", choices={"a1b1": ("a1", "b1")})
    (step,) = markup.buttons(generic.controls(View(At(board)), Choice(0, True)))[:1]
    assert step["form"] == "steps"


def test_what_was_chosen_is_marked() -> None:
    board = _board("x.", choices={"a1b1": ("a1", "b1")})
    chosen = markup.by_id(generic.controls(View(At(board)), Choice(0, True, ("a1",))), "t-a1").attributes
    assert chosen["aria-selected"] == "true" and chosen["class"] == "chosen"


def test_a_choice_made_on_a_board_that_is_gone_is_forgotten() -> None:
    board = _board("x.", choices={"a1b1": ("a1", "b1")})
    assert _offered(board, "z9", "y8") == _offered(board) == [("t-a1", "sel", "a1")]


def test_heights_and_pieces_are_drawn_with_their_numbers() -> None:
    picture = generic.pieces(View(At(_board("x2", "o."))))
    assert [e.attributes["href"] for e in markup.read(picture) if e.tag == "use"] == ["#d0", "#d1"]
    assert markup.words(picture) == "2"


def test_a_finished_line_is_ringed_or_else_the_cells_of_the_last_move() -> None:
    def rings(board: Board, last: str | None) -> int:
        drawn = markup.read(generic.pieces(View(At(board), last=last)))
        return sum(element.attributes.get("class") == "mark" for element in drawn)

    assert rings(_board("xxx", marks=("a1", "b1", "c1")), "a1") == 3
    assert rings(_board("x.."), "a1-b1") == 2
    assert rings(Board(((Cell("3"),),), {}), "3") == 0, "a bare number is an amount, not a place"


def test_everything_a_game_says_is_escaped() -> None:
    evil = Board(((Cell('"><i>', text="<b>", label="<u>"),),), {"<m>": ('"><i>',), "<w>": ("<w>",)})
    view = View(At(evil), title="<t>")
    drawn = generic.pieces(view) + generic.controls(view, Choice(0, True)) + f"<table>{generic.reader(view)}</table>"
    assert {element.tag for element in markup.read(drawn)} <= {
        *("svg", "g", "rect", "text", "div", "button", "table", "caption", "tr", "td")
    }
    assert "<m>" in {button.get("value") for button in markup.buttons(drawn)}


def test_large_boards_send_buttons_only_where_something_can_be_chosen() -> None:
    nim = games.variant("expanding-nim").start()
    assert len(markup.buttons(generic.controls(View(nim), Choice(0, True)))) == 3
    small = games.variant(SANTORINI).start().play("c3")
    assert len(markup.buttons(generic.controls(View(small), Choice(0, True)))) == 25


def test_rows_without_a_choice_are_no_rows_for_those_who_listen() -> None:
    drawn = generic.controls(View(games.variant("expanding-nim").start()), Choice(0, True))
    rows = [element for element in markup.read(drawn) if element.attributes.get("role") == "row"]
    assert len(rows) == 1


def test_the_table_says_the_words_of_each_cell() -> None:
    start = games.variant(SANTORINI).start()
    assert markup.words(f"<table>{generic.reader(View(start))}</table>").startswith(
        "Board after move 0 a5, height 0 b5, height 0"
    )
