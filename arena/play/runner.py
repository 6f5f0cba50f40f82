"""`manage.py runner`: replaces the runners that started bots as child processes, with their arguments and output.

`runner gamestate BOT0 BOT1` prints the output of the sample game in protocol text 000, `runner fiar [-v] BOT0 BOT1`
that of text 001. A bot is the path of an executable, or a command with arguments in quotes. As in the originals there
is no clock unless one is requested. Messages that the originals do not have go to stderr.

The bots are started before anything else is loaded, so that they start up while the referee is imported. Therefore this
file imports next to nothing at the top, and a game takes no longer than with the originals.
"""

from __future__ import annotations

import os
import sys

from arena.play.start import Child, keeper, start
from arena.transports.programs import check, environment

TYPE_CHECKING = False  # as in `typing`, whose import takes longer than that of a runner
if TYPE_CHECKING:
    from arena.play.printing import Explain
    from arena.protocols.drop_in import Output

NO_RESULT, WRONG_USAGE, INTERRUPTED = 1, 2, 130
SILENCE_S = 60.0
HUMAN = "human"

USAGE = """\
usage: {program} runner gamestate [--clock CLOCK] BOT0 BOT1
       {program} runner fiar [-v] [--clock CLOCK] BOT0 BOT1

Play one match between two programs, with the output of the original runner.

  BOT              an executable, or a command in quotes; for gamestate also
                   the word human: who types the columns here
  -v, --verbose    print the board before every request, and at the end
  --clock CLOCK    5s (a move), 2m (in total), 1m+1s; default: none
"""


class WrongUsage(Exception):
    """The arguments are invalid; the text says what was received and what is expected."""


class Options:
    protocol = ""
    clock = "none"
    verbose = False

    def __init__(self, words: list[str]) -> None:
        """Raises WrongUsage."""
        self.bots: list[str] = []
        left = iter(words)
        for word in left:
            if word in ("-v", "--verbose"):
                self.verbose = True
            elif word == "--clock" or word.startswith("--clock="):
                self.clock = word[8:] if "=" in word else next(left, "")
                _check_clock(self.clock)
            elif word == "--":
                self.bots += left
            elif word.startswith("-"):
                raise WrongUsage(f"unknown option {word}")
            elif self.protocol:
                self.bots.append(word)
            else:
                self.protocol = word
        if not _has_runner(self.protocol):
            raise WrongUsage(f"received {self.protocol or 'nothing'!r}: expected {_known()}")
        if self.verbose and not _output(self.protocol).may_be_quiet:
            raise WrongUsage(f"-v: the runner of {self.protocol} always prints its boards")
        if len(self.bots) != 2:
            raise WrongUsage(f"received {len(self.bots)} bots, expected two")


def _usage() -> str:
    return USAGE.format(program=os.path.basename(sys.argv[0]))


def main(words: list[str], explain: Explain, silence_s: float = SILENCE_S) -> int:
    """Play the match and print it; `explain` says why a bot failed. The exit status: 0 for a result, 2 for usage."""
    if any(word in ("-h", "--help") for word in words):
        print(_usage(), end="")
        return 0
    cwd, env = os.getcwd(), environment()
    try:
        options = Options(words)
        people = _people(options)
        typed = os.dup(0) if people else -1  # a program has another input
        commands = [
            _person(options, typed) if seat in people else _argv(bot, cwd) for seat, bot in enumerate(options.bots)
        ]
        for argv in commands:
            check(argv[0], cwd, env)
    except WrongUsage as why:
        print(f"{_usage()}\nrunner: {why}", file=sys.stderr)
        return WRONG_USAGE
    except OSError as why:
        print(f"runner: {why.strerror}: {why.filename}", file=sys.stderr)
        return WRONG_USAGE
    try:
        begun = [start(argv, cwd, env, keeps=(typed,) if seat in people else ()) for seat, argv in enumerate(commands)]
    except OSError as why:
        keeper.close()
        print(f"runner: no process can be started: {why}", file=sys.stderr)
        return NO_RESULT
    try:
        return _play(options, commands, people, cwd, begun, silence_s, explain)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone. Without this, the interpreter would complain again when it flushes the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NO_RESULT


def _play(
    options: Options,
    commands: list[tuple[str, ...]],
    people: list[int],
    cwd: str,
    begun: list[Child],
    silence_s: float,
    explain: Explain,
) -> int:
    from arena.play.driver import play
    from arena.play.printing import Printer
    from arena.play.spec import CommandSeat, Spec

    first, second = (
        CommandSeat(options.protocol, argv, HUMAN if seat in people else "") for seat, argv in enumerate(commands)
    )
    output = _output(options.protocol)(options.verbose, people)
    printer = Printer(output, explain)
    play(
        Spec(output.variant, (first, second), clock=options.clock, cwd=cwd, silence_s=silence_s, patient=True),
        printer,
        begun,
    )
    if printer.broken:
        print(f"runner: {printer.broken}", file=sys.stderr)
        return NO_RESULT
    return 0


def _has_runner(slug: str) -> bool:
    """Checked by file name: any import before the bots are started would delay them."""
    folder = slug.replace("-", "_")
    places = (os.path.join(base, "arena", "protocols", folder, "runner.py") for base in sys.path)
    return folder.isidentifier() and any(map(os.path.isfile, places))


def _output(slug: str) -> type[Output]:
    from arena.protocols import own_part
    from arena.protocols.drop_in import Output

    found = vars(own_part(slug, "runner")).values()
    return next(each for each in found if isinstance(each, type) and issubclass(each, Output) and each is not Output)


# A person at this terminal, as a bot that reads a line of our input when it is asked, byte by byte: what comes behind
# the line is left for the next answer, which may be another person's.
_PERSON = """
import os, sys
asks, typed = sys.argv[1] + "\\n", int(sys.argv[2])
for line in sys.stdin:
    answer = b""
    while line == asks and not answer.endswith(b"\\n"):
        byte = os.read(typed, 1)
        if not byte:
            os.write(1, answer)
            sys.exit()
        answer += byte
    os.write(1, answer)
"""


def _people(options: Options) -> list[int]:
    """The seats of persons, if the original had them."""
    seats = [seat for seat, bot in enumerate(options.bots) if bot == HUMAN]
    return seats if seats and _output(options.protocol).asks_human else []


def _person(options: Options, typed: int) -> tuple[str, ...]:
    """The command of a person who is asked as the original asked, and answers on the file `typed`."""
    return (sys.executable, "-I", "-c", _PERSON, _output(options.protocol).asks_human, str(typed))


def _known() -> str:
    from arena.protocols import own_parts

    return " or ".join(own_parts("runner"))


def _argv(bot: str, cwd: str) -> tuple[str, ...]:
    """The command of a bot. A path is taken as it is, as in the originals, even with blanks. Raises WrongUsage."""
    if os.path.isfile(os.path.join(cwd, bot)):
        return (bot if "/" in bot else f"./{bot}",)
    if any(letter in bot for letter in "'\"\\\t\r\n"):
        import shlex  # most commands are words separated by blanks

        try:
            argv = tuple(shlex.split(bot))
        except ValueError as why:
            raise WrongUsage(f"bot {bot!r}: the command cannot be split into words: {why}") from None
    else:
        argv = tuple(filter(None, bot.split(" ")))
    if not argv:
        raise WrongUsage(f"bot {bot!r}: expected an executable, or a command such as 'guile -s bot.scm'")
    return argv


def _check_clock(text: str) -> None:
    from arena.match.clock import parse_clock

    try:
        parse_clock(text)
    except ValueError as why:
        raise WrongUsage(str(why)) from None
