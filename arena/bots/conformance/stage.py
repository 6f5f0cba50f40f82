"""Carries out the script of one step: does with the bot what the script yields, and sends the result back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from arena.bots.conformance.candidate import Candidate
from arena.bots.conformance.observed import Failed
from arena.bots.failure.diagnosis import card
from arena.protocols.adapter import ToBot
from arena.protocols.steps import (
    Acknowledged,
    AnswersDeadline,
    AskAgain,
    AskBot,
    Begin,
    BeQuiet,
    BotAct,
    EndInput,
    LastLine,
    LeaveTime,
    MovesMade,
    News,
    NotPassed,
    Script,
    StartBot,
    StartRefused,
    StayOpen,
    TellBot,
    Written,
)

# Seconds that a bot may take to exit after its input has ended.
EXIT_S = 1.0

Starting = AbstractContextManager[Candidate]


class BotStage:
    """One bot at a time: starting the next one dismisses the one before."""

    def __init__(self, start: Callable[[bool], Starting], bare: Callable[[], Starting]) -> None:
        """`start(in_pieces)` gives a bot that is ready to play, `bare()` one that has not sent anything yet."""
        self._start, self._bare = start, bare
        self._running: Starting | None = None
        self._bot: Candidate | None = None
        self._failed: Failed | None = None

    def perform(self, script: Script) -> str:
        """Run the script and return its note. Raises Failed if the step fails."""
        try:
            note = self._perform(script)
        except NotPassed as why:
            failed = self._why(why)
            self._leave(failed)
            raise failed from None
        except BaseException as why:
            self._leave(why)
            raise
        self._leave(self._failed)
        return note

    def _perform(self, script: Script) -> str:
        try:
            act = next(script)
            while True:
                try:
                    came = self._do(act)
                except Failed as failed:
                    self._failed = failed
                    act = script.throw(failed)
                else:
                    act = script.send(came)
        except StopIteration as done:
            note: str = done.value
            return note

    def _do(self, act: BotAct) -> object:
        match act:
            case StartBot(in_pieces=in_pieces):
                self._enter(self._start(in_pieces))
                return self._on_stage.name
            case StartRefused(seconds=seconds):
                self._enter(self._bare())
                return self._refuse(seconds)
            case TellBot(news=news):
                self._on_stage.tell(*self._expanded(news))
            case AskBot(position=position, news=news, late_s=late_s):
                return self._on_stage.ask(position, *self._expanded(news), late_s=late_s)
            case _:
                return self._look(act)
        return None

    def _look(self, act: BotAct) -> object:
        bot = self._on_stage
        match act:
            case AskAgain():
                return _ask_again(bot, act)
            case LastLine():
                return bot.said()
            case Written(to_bot=to_bot):
                return bot.tap.since(0, "<" if to_bot else ">")
            case MovesMade():
                return bot.seen.moves
            case LeaveTime(seconds=seconds):
                bot.leave_time(seconds)
            case BeQuiet(code=code, seconds=seconds, starts=starts):
                bot.quiet(code, seconds, starts)
            case Acknowledged():
                bot.until_acknowledged()
            case AnswersDeadline(name=name, word=word):
                return bot.answers_tick(name, word)
            case StayOpen():
                bot.tap.stays_open = True
            case EndInput():
                return _end_input(bot)
        return None

    @property
    def _on_stage(self) -> Candidate:
        assert self._bot is not None, "a script starts a bot before anything else"
        return self._bot

    def _expanded(self, news: Sequence[News]) -> list[ToBot]:
        told: list[ToBot] = []
        for each in news:
            told += self._on_stage.seated(*each) if isinstance(each, Begin) else [each]
        return told

    def _enter(self, starting: Starting) -> None:
        self._leave(self._failed)
        self._bot = starting.__enter__()
        self._running = starting

    def _leave(self, why: BaseException | None) -> None:
        """Dismiss the current bot, and check its whole run if nothing went wrong. Raises Failed."""
        running, self._running, self._failed = self._running, None, None
        if running is not None:
            running.__exit__(type(why) if why else None, why, why.__traceback__ if why else None)

    def _refuse(self, seconds: float) -> str:
        self._on_stage.joins_refused = True
        try:
            self._on_stage.ready(seconds)
        except TimeoutError:
            return ""
        except Failed as failed:
            return failed.code
        return ""

    def _why(self, why: NotPassed) -> Failed:
        bot = self._on_stage
        if not why.code:
            return bot.seen.failed(why.termination, None, **why.known)
        return Failed(card(why.code, bot.seen.evidence(why.termination, **why.known)), bot.seen.wire())


def _ask_again(bot: Candidate, act: AskAgain) -> str:
    try:
        return bot.ask_again(act.position, act.within_s)
    except TimeoutError:
        return ""


def _end_input(bot: Candidate) -> str:
    """How its process exits by itself then; "" if it does not, such as one that floods its output and is killed."""
    bot.tap.end_input()
    exits = bot.exits(EXIT_S)
    return bot.process.exit_words if exits and bot.process is not None and not bot.process.was_ended else ""
