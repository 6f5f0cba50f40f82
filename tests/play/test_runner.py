"""`manage.py runner`: what the originals print, byte by byte, with scripted bots as child processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.management import failing
from arena.play import runner
from tests.kit.commands import processes_of
from tests.kit.deadline import DEADLINE_S

ROOT = Path(__file__).parents[2]
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


def main(words: list[str], silence_s: float = runner.SILENCE_S) -> int:
    return runner.main(words, failing.lines_of, silence_s)


def bot(path: Path, answers: list[str], asks: tuple[str, ...] = ("REQUEST_MOVE",)) -> str:
    path.write_text(BOT.format(python=sys.executable, answers=answers, asks=asks))
    path.chmod(0o755)
    return str(path)


def gamestate(folder: Path, first: list[str], second: list[str]) -> None:
    bots = bot(folder / "bot0.py", first), bot(folder / "bot1.py", second)
    assert main(["gamestate", *bots]) == 0


def fiar(folder: Path, game: str, *flags: str) -> None:
    asks = ("@ ", "O ")
    first, second = ([f"{column}\n" for column in columns] for columns in (game[::2], game[1::2]))
    assert main(["fiar", *flags, bot(folder / "a.py", first, asks), bot(folder / "b.py", second, asks)]) == 0


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
    assert errors.startswith("player0 (bot0): ") and "illegally" not in errors


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        ("state " * 50 + "\n", "state " * 50 + "\n\n"),  # a card shows only its beginning
        ("\\x0a\n", "\\x0a\n\n"),
        ("3" * 600 + "\n", "3" * 512 + "… ("),  # no more than that is read
    ],
)
def test_a_wrong_answer_is_printed_whole(
    answer: str, reply: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gamestate(tmp_path, [answer], [])
    assert f"got reply from player0: {reply}" in capsys.readouterr().out


def test_a_full_column_forfeits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gamestate(tmp_path, lines("00000"), lines("0000"))
    assert capsys.readouterr().out.endswith(
        "got reply from player0: 0\n\nplayer0 moved illegally! forfeits!\nOUTCOME: 1\n"
    )


def test_a_bot_that_is_gone_forfeits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gamestate(tmp_path, ["0\n"], [])
    printed, errors = capsys.readouterr()
    assert printed.endswith("got reply from player1: \nplayer1 moved illegally! forfeits!\nOUTCOME: 0\n")
    told = "Your bot stopped [exited]\n  It ended by itself (exit code 0) although the match went on.\n"
    assert errors.startswith(f"player1 (bot1): {told}")


@pytest.mark.parametrize(
    ("says", "reply"),
    [
        ("printf '0\n'", ""),
        ("read a; read b; read c; echo 0; read d; read e; read f; printf x", "x"),  # it ended within a line
        ("printf '0\nx'", "x"),
    ],
)
def test_a_bot_that_has_exited_is_asked_before_it_forfeits(
    says: str, reply: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The original learned that a bot had gone when it read its answer, after the other one had moved."""
    gone = tmp_path / "gone.sh"
    gone.write_text(f"#!/bin/sh\n{says}\n")
    gone.chmod(0o755)
    assert main(["gamestate", str(gone), bot(tmp_path / "bot1.py", ["1\n"])]) == 0
    printed = capsys.readouterr().out
    assert "got reply from player1: 1\n" in printed
    forfeit = f"requesting move from player0\ngot reply from player0: {reply}\nplayer0 moved illegally! forfeits!\n"
    assert printed.endswith(f"{forfeit}OUTCOME: 1\n")


@pytest.mark.parametrize(("slug", "shown"), [("gamestate", "hm, 3?\n"), ("fiar", "")])
def test_what_bots_say_on_stderr_is_seen_where_the_original_shared_its_own(
    slug: str, shown: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    talks = "sh -c 'while read -r line; do case $line in REQ*|[@O]*) echo hm, 3? >&2; echo 3;; esac; done'"
    assert main([slug, talks, bot(tmp_path / "b.py", lines("1212"), ("REQUEST_MOVE", "@ ", "O "))]) == 0
    out, err = capsys.readouterr()
    assert err == shown * 4 and "hm" not in out


def test_answers_ahead_of_its_exit_win(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gamestate", "printf '0\n0\n0\n0\n'", bot(tmp_path / "bot1.py", lines("111"))]) == 0
    printed, errors = capsys.readouterr()
    assert (printed[-25:], errors) == ("player0 wins!\nOUTCOME: 0\n", "")


@pytest.mark.parametrize(("column", "verdict"), [("0", "moves to (6,0)"), ("8", "moved illegally! forfeits!")])
def test_a_last_answer_without_its_line_end_is_printed_as_it_was_read(
    column: str, verdict: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The original printed the line end that it had read, and one of its own."""
    assert main(["gamestate", f"printf '0\n{column}'", bot(tmp_path / "bot1.py", lines("1"))]) == 0
    printed, _ = capsys.readouterr()
    assert "got reply from player0: 0\n\nplayer0 moves to (7,0)\n" in printed
    assert "got reply from player1: 1\n\nplayer1 moves to (7,1)\n" in printed
    assert f"got reply from player0: {column}\nplayer0 {verdict}\n" in printed


def test_a_tie_has_no_winner_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = "8127333184416485161734525858357657535482338116781766774442222626"
    columns = "".join(str(int(column) - 1) for column in game)
    gamestate(tmp_path, lines(columns[::2]), lines(columns[1::2]))
    printed = capsys.readouterr().out
    assert printed.endswith("\n\nOUTCOME: TIE\n")
    assert "wins" not in printed
    assert printed.count("broadcasting") == 63


# A game that ends on the finished board of the text, and that board with what follows it. Behind a row is a blank: `~`.
FIAR_GAME = "4243537553565777775"
FIAR_END = """\
1 2 3 4 5 6 7
. . . . @ . O~
. . . . @ . @~
. . . . @ . O~
. . O . @ . @~
. . O @ O . O~
. O O @ @ O @~
Player @ wins.
""".replace("~", " ")
FIAR_BEGINNING = """\
1 2 3 4 5 6 7
. . . . . . .~
. . . . . . .~
. . . . . . .~
. . . . . . .~
. . . . . . .~
. . . . . . .~
1 2 3 4 5 6 7
. . . . . . .~
. . . . . . .~
. . . . . . .~
. . . . . . .~
. . . . . . .~
. . . @ . . .~
""".replace("~", " ")


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
    told = "Your bot stopped [exited]\n  It ended by itself (exit code 0) although the match went on.\n"
    assert errors.startswith(f"player O (b): {told}")


def test_a_command_with_arguments_is_taken_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A Scheme strategy has to be started as `guile -s strategy.scm` on Linux."""
    first, second = (bot(tmp_path / f"{name}.py", lines("1111"), ("@ ", "O ")) for name in "ab")
    Path(second).write_text(Path(second).read_text().replace("'1\\n'", "'2\\n'"))
    assert main(["fiar", f"{sys.executable} {first}", f"{sys.executable} {second}"]) == 0
    assert capsys.readouterr().out == "Player @ wins.\n"


def test_a_path_is_taken_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With blanks, and without a slash."""
    monkeypatch.chdir(tmp_path)
    bot(tmp_path / "my bot.py", lines("1111"), ("@ ",))
    bot(tmp_path / "other.py", lines("222"), ("O ",))
    assert main(["fiar", "my bot.py", "other.py"]) == 0
    assert capsys.readouterr().out == "Player @ wins.\n"


def test_an_illegal_column_is_asked_for_again_under_the_same_board(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The board stands before every request, before the repeated one too."""
    asks = ("@ ", "O ")
    first = bot(tmp_path / "a.py", ["9\n", *lines("1111")], asks)
    assert main(["fiar", "-v", first, bot(tmp_path / "b.py", lines("222"), asks)]) == 0
    printed = capsys.readouterr().out
    boards = printed.split("1 2 3 4 5 6 7\n")[1:]
    assert boards[0] == boards[1] == ". . . . . . . \n" * 6
    assert len(boards) == 1 + 7 + 1
    assert boards[-1].endswith("Player @ wins.\n")


def test_answers_sent_ahead_are_the_answers_to_the_next_requests(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asks = ("@ ", "O ")
    first, second = bot(tmp_path / "a.py", ["1\n1\n1\n1\n"], asks), bot(tmp_path / "b.py", ["2\n2\n", "2\n"], asks)
    for path in (first, second):
        Path(path).write_text(Path(path).read_text().replace("break", "continue"))
    assert main(["fiar", first, second]) == 0
    assert capsys.readouterr() == ("Player @ wins.\n", "")


# -- what is said on stderr --------------------------------------------------------------------------------------------


def test_who_has_nothing_behind_a_refused_answer_loses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    says = r"sh -c 'printf 1\\n9\\n; exec >&-; while read -r line; do :; done'"
    assert main(["fiar", says, bot(tmp_path / "b.py", lines("2"), ("O ",))]) == 0
    assert capsys.readouterr().out == "Player O wins.\n"


def test_after_long_silence_it_says_what_it_waits_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The bot answers when it has read that: it looks at the file that the runner's words come from."""
    silent = tmp_path / "silent.py"
    silent.write_text(
        f"#!{sys.executable}\n"
        "import os, sys, time\n"
        "input()\n"
        "while not os.path.exists('said'): time.sleep(0.01)\n"
        "print('1')\n"
        "for line in sys.stdin: print('1')\n"
    )
    silent.chmod(0o755)
    words = [sys.executable, "-c", RUNNER, str(silent), bot(tmp_path / "b.py", lines("222"), ("@ ", "O "))]
    with subprocess.Popen(words, cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stderr is not None
        said = run.stderr.readline()
        (tmp_path / "said").touch()
        out, _ = run.communicate(timeout=DEADLINE_S)
    assert said.startswith("runner: waiting for player @ (silent): no answer in 0.1 s. It ")
    assert (run.returncode, out) == (0, "Player @ wins.\n")


RUNNER = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from arena.management import failing
from arena.play import runner
sys.exit(runner.main(["fiar", *sys.argv[1:]], failing.lines_of, silence_s=0.1))
"""


def test_a_bot_that_does_not_exist_is_said_before_anything_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    started = bot(tmp_path / "b.py", [])
    Path(started).write_text(f"#!{sys.executable}\nopen({str(tmp_path / 'started')!r}, 'w')\n")
    assert main(["gamestate", started, "./nothing"]) == 2
    assert capsys.readouterr().err == "runner: no such command: ./nothing\n"
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "received 'nothing': expected fiar or gamestate"),
        (["chess", "a", "b"], "received 'chess': expected fiar or gamestate"),
        (["fiar", "a"], "received 1 bots, expected two"),
        (["fiar", "--fast", "a", "b"], "unknown option --fast"),
        (["fiar", "--clock", "soon", "a", "b"], "expected 5s (a move)"),
        (["gamestate", "-v", "a", "b"], "-v: the runner of gamestate always prints its boards"),
        (["fiar", "", "b"], "bot '': expected an executable"),
        (["fiar", "python3 'a", "b"], "cannot be split into words"),
    ],
)
def test_what_it_cannot_understand_is_named_with_what_is_expected(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["/usr/bin/arena", "runner", *words])
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("usage: arena runner gamestate") and why in err


def test_a_bot_whose_name_begins_with_a_dash_follows_two_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bot(tmp_path / "-a.py", lines("1111"), ("@ ",))
    bot(tmp_path / "b.py", lines("222"), ("O ",))
    assert main(["fiar", "--", "-a.py", "b.py"]) == 0
    assert capsys.readouterr().out == "Player @ wins.\n"


def test_a_clock_is_kept_where_one_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asks = ("@ ", "O ")
    slow = bot(tmp_path / "a.py", [], asks)
    Path(slow).write_text(
        f"#!{sys.executable}\nimport time\nfor line in open(0):\n    print('1')\n    time.sleep(3600)\n"
    )
    assert main(["fiar", "--clock=50ms", slow, bot(tmp_path / "b.py", lines("222"), asks)]) == 0
    printed, errors = capsys.readouterr()
    assert printed == "Player O wins.\n"
    assert errors.startswith("player @ (a): ") and "timeout" not in errors and errors.count("advice: ") == 1


# -- as a command ------------------------------------------------------------------------------------------------------


def test_the_command_loads_next_to_nothing_and_leaves_nobody(tmp_path: Path) -> None:
    """In a process of its own, as people start it; what it has loaded is printed when it ends. Each of what it does
    without takes longer than a game: what is new on its way must not bring it in.
    """
    asks = ("@ ", "O ")
    bots = [bot(tmp_path / "a.py", lines("1111"), asks), bot(tmp_path / "b.py", lines("222"), asks)]
    words = [sys.executable, "-X", "importtime", str(ROOT / "manage.py"), "runner", "fiar", *bots]
    run = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=DEADLINE_S)
    assert (run.returncode, run.stdout) == (0, "Player @ wins.\n")
    loaded = {line.rpartition("|")[2].strip() for line in run.stderr.splitlines()}
    assert "arena.play.driver" in loaded
    kept_out = {"django", "asyncio", "logging", "subprocess", "argparse", "pathlib", "shutil", "arena.settings"}
    kept_out |= {"typing", "re", "enum", "dataclasses", "inspect", "signal", "shlex", "contextlib", "importlib", "json"}
    assert loaded & kept_out == set()
    assert processes_of(tmp_path) == []


def test_a_reader_that_has_gone_is_no_traceback(tmp_path: Path) -> None:
    asks = ("@ ", "O ")
    bots = [bot(tmp_path / "a.py", lines("1111"), asks), bot(tmp_path / "b.py", lines("222"), asks)]
    read, write = os.pipe()
    os.close(read)
    words = [sys.executable, str(ROOT / "manage.py"), "runner", "fiar", "-v", *bots]
    run = subprocess.run(words, cwd=tmp_path, stdout=write, stderr=subprocess.PIPE, text=True, timeout=DEADLINE_S)
    os.close(write)
    assert (run.returncode, run.stderr) == (1, "")
    assert processes_of(tmp_path) == []
