"""`manage.py runner`: what the originals print, byte by byte, with scripted bots as child processes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

DATA = Path(__file__).parent.parent / "data"
SAMPLE = (DATA / "gamestate_sample_game.txt").read_text().split()[0]

# Says its answers one by one, whenever a line comes that asks for one; at the end of them it goes.
BOT = """#!{python}
import sys
answers = iter({answers!r})
for line in sys.stdin:
    if line.startswith({asks!r}):
        answer = next(answers, None)
        if answer is None:
            break
        sys.stdout.write(answer)
        sys.stdout.flush()
"""


def bot(path: Path, answers: list[str], asks: tuple[str, ...] = ("REQUEST_MOVE",)) -> str:
    path.write_text(BOT.format(python=sys.executable, answers=answers, asks=asks))
    path.chmod(0o755)
    return str(path)


def gamestate(folder: Path, first: list[str], second: list[str]) -> None:
    bots = bot(folder / "bot0.py", first), bot(folder / "bot1.py", second)
    call_command("runner", "gamestate", *bots)


def fiar(folder: Path, game: str, *flags: str) -> None:
    asks = ("@ ", "O ")
    first, second = ([f"{column}\n" for column in columns] for columns in (game[::2], game[1::2]))
    call_command("runner", "fiar", *flags, bot(folder / "a.py", first, asks), bot(folder / "b.py", second, asks))


def lines(columns: str) -> list[str]:
    return [f"{column}\n" for column in columns]


def test_it_prints_the_sample_game_of_the_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gamestate(tmp_path, lines(SAMPLE[::2]), lines(SAMPLE[1::2]))
    printed, errors = capsys.readouterr()
    assert printed == (DATA / "gamestate_sample_output.txt").read_text()
    assert errors == ""


@pytest.mark.parametrize("answer", ["8\n", "3\r\n", "thinking\n", "\n"])
def test_a_wrong_answer_forfeits(answer: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gamestate(tmp_path, ["0\n", answer], ["0\n"])
    printed, errors = capsys.readouterr()
    shown = answer[:-1].replace("\r", "\\x0d")
    assert printed.endswith(
        "requesting move from player0\n"
        f"got reply from player0: {shown}\n\n"
        "player0 moved illegally! forfeits!\n"
        "OUTCOME: 1\n"
    )
    assert "player" not in errors and errors


def test_a_full_column_forfeits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gamestate(tmp_path, lines("00000"), lines("0000"))
    assert capsys.readouterr().out.endswith(
        "got reply from player0: 0\n\nplayer0 moved illegally! forfeits!\nOUTCOME: 1\n"
    )


def test_a_bot_that_is_gone_forfeits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gamestate(tmp_path, ["0\n"], [])
    printed, errors = capsys.readouterr()
    assert printed.endswith("got reply from player1: \nplayer1 moved illegally! forfeits!\nOUTCOME: 0\n")
    assert errors.startswith("crash: ")


def test_a_tie_has_no_winner_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = "8127333184416485161734525858357657535482338116781766774442222626"
    columns = "".join(str(int(column) - 1) for column in game)
    gamestate(tmp_path, lines(columns[::2]), lines(columns[1::2]))
    printed = capsys.readouterr().out
    assert printed.endswith("\n\nOUTCOME: TIE\n")
    assert "wins" not in printed
    assert printed.count("broadcasting") == 63


# A game that ends on the finished board of the text, and that board with what follows it.
FIAR_GAME = "4243537553565777775"
FIAR_END = """\
1 2 3 4 5 6 7
. . . . @ . O
. . . . @ . @
. . . . @ . O
. . O . @ . @
. . O @ O . O
. O O @ @ O @
Player @ wins.
"""
FIAR_BEGINNING = """\
1 2 3 4 5 6 7
. . . . . . .
. . . . . . .
. . . . . . .
. . . . . . .
. . . . . . .
. . . . . . .
1 2 3 4 5 6 7
. . . . . . .
. . . . . . .
. . . . . . .
. . . . . . .
. . . . . . .
. . . @ . . .
"""


def test_fiar_prints_the_boards_of_the_text_with_v(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fiar(tmp_path, FIAR_GAME, "-v")
    printed = capsys.readouterr().out
    assert printed.startswith(FIAR_BEGINNING)
    assert printed.endswith(FIAR_END)
    assert printed.count("1 2 3 4 5 6 7\n") == len(FIAR_GAME) + 1


def test_fiar_prints_the_winner_alone_without_v(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fiar(tmp_path, FIAR_GAME)
    assert capsys.readouterr() == ("Player @ wins.\n", "")


def test_fiar_prints_a_draw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The original looked at the full board once more before it saw that nobody could move."""
    fiar(tmp_path, "527321255352474421577234343376616576661141", "-v")
    *_, before_last, last, verdict = (
        capsys.readouterr().out.replace("1 2 3", "|1 2 3").replace("Draw", "|Draw").split("|")
    )
    assert before_last == last
    assert "." not in last
    assert verdict == "Draw.\n"


def test_fiar_says_on_stderr_why_a_bot_lost_without_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fiar(tmp_path, "4", "-v")
    printed, errors = capsys.readouterr()
    assert printed.endswith("Player @ wins.\n")
    assert errors.startswith("crash: ")


def test_a_command_with_arguments_is_taken_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A Scheme strategy has to be started as `guile -s strategy.scm` on Linux."""
    first, second = (bot(tmp_path / f"{name}.py", lines("1111"), ("@ ", "O ")) for name in "ab")
    Path(second).write_text(Path(second).read_text().replace("'1\\n'", "'2\\n'"))
    call_command("runner", "fiar", f"{sys.executable} {first}", f"{sys.executable} {second}")
    assert capsys.readouterr().out == "Player @ wins.\n"


def test_a_path_is_taken_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With blanks, and without a slash."""
    monkeypatch.chdir(tmp_path)
    bot(tmp_path / "my bot.py", lines("1111"), ("@ ",))
    bot(tmp_path / "other.py", lines("222"), ("O ",))
    call_command("runner", "fiar", "my bot.py", "other.py")
    assert capsys.readouterr().out == "Player @ wins.\n"


def test_a_bot_that_does_not_exist_is_said_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="there is no program './nothing'") as raised:
        call_command("runner", "gamestate", "./nothing", bot(tmp_path / "b.py", []))
    assert raised.value.returncode == 2


def test_a_clock_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="expected 5s"):
        call_command("runner", "fiar", "--clock", "soon", *[bot(tmp_path / "a.py", [])] * 2)
