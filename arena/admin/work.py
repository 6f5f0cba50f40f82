"""Work, and the machines that do it, in the admin: who has a piece, its purpose, and what staff may order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from arena import paths
from arena.admin import known
from arena.admin.acting import Acting
from arena.admin.record import RawRecord, Record
from arena.admin.work_actions import MACHINE_ACTIONS, WORK_ACTIONS
from arena.common.numbers import whole_number
from arena.models import Analysis, LogSlice, Machine, Match, Pairing, Returned, Work
from arena.work.rules_version import rules_version

MOST_ANSWERS = 12


@admin.register(Work)
class WorkAdmin(RawRecord, Acting):
    """Background work: what waits, what is out and with whom, and what has failed."""

    list_display = ("key", "kind", "state", "priority", "worker", "until", "faults", "why", "made")
    finds = ("key",)
    search_help_text = "Key of a piece of work, such as analyse:7gk3mzrq2x"
    exclude = ("secret", "kept")
    told_in_words = True
    ordering = ("-id",)
    own_actions = WORK_ACTIONS

    def may_act(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def shown_with(self, request: HttpRequest, obj: Work) -> dict[str, Any]:
        """Its purpose, who has it, the answers, and the actions on it."""
        answers = Returned.objects.filter(work=obj).defer("found").order_by("-pk")[:MOST_ANSWERS]
        return {
            **self.acts_on_page(request, obj),
            "left": known.KnownPanel("Status", list(_standing(obj))),
            "panels": [
                known.KnownPanel("Purpose", [*_purpose(obj), *_holder(obj)]),
                *known.filled(known.KnownPanel("Answers not judged yet", [_answer(each) for each in answers])),
                known.done(str(obj)),
            ],
        }


def _purpose(work: Work) -> Iterator[known.KnownLine]:
    """The match or the pairing that its key names: `analyse:7gk3mzrq2x`, `pairing:12:1`; `match:…:3` is the third round
    of a command.
    """
    about, _, rest = work.key.partition(":")
    key = rest.partition(":")[0]
    if about == "pairing":
        for pairing in Pairing.objects.filter(pk=whole_number(key) or 0).select_related("tournament", "a", "b"):
            event = known.page_of("tournament", pairing.tournament_id)
            yield known.KnownLine("Event", str(pairing.tournament), event, facts=str(pairing))
    if about == "match":
        yield known.KnownLine("Command", f"{paths.PROGRAM} match", facts=f"round {rest.rpartition(':')[2]}")
    for match in Match.objects.filter(pk=key) if about == "analyse" else ():
        yield known.KnownLine("Match", match.pk, known.page_of("match", match.pk), facts=match.get_variant_display())


def _holder(work: Work) -> Iterator[known.KnownLine]:
    """The worker that has it or had it last, or a process of the host, which has no page."""
    if not work.worker:
        return
    is_machine = Machine.objects.filter(pk=work.worker).exists()
    until = f"until {work.until:%H:%M:%S}" if work.state == Work.State.OUT and work.until is not None else ""
    address = known.page_of("machine", work.worker) if is_machine else ""
    yield known.KnownLine("Worker", work.worker, address, facts=until)


def _standing(work: Work) -> Iterator[known.KnownLine]:
    urgent = f"priority {work.priority}" if work.priority else ""
    made = f"since {work.made:{known.WHEN}}"
    yield known.KnownLine("State", work.get_state_display().lower(), quote=work.why, facts=f"{made} {urgent}".strip())
    counts = ((work.token, "run"), (work.faults, "lost"), (work.voids, "void"), (work.late, "late"))
    yield known.KnownLine("Runs", ", ".join(f"{n} {what}" for n, what in counts if n) or "not begun")
    where = "this host only" if work.needs == Work.HOST else work.needs or "any machine"
    rules = f"rules {work.rules}" if work.rules else ""
    bound = f"sandbox of level {work.sandbox} or higher" if work.sandbox else ""
    yield known.KnownLine("Where", where, facts=", ".join(filter(None, (rules, bound))))
    if work.lacked is not None:
        yield known.KnownLine("Given back", f"since {work.lacked:{known.WHEN}}", facts="its worker says why")
    if work.watched:
        page = known.page_of("match", work.match) if work.match else ""
        yield known.KnownLine("Watched", work.match or "has not begun", page)


def _answer(answer: Returned) -> known.KnownLine:
    address = known.page_of("returned", answer.pk)
    return known.KnownLine(f"{answer.at:{known.WHEN}}", f"Run {answer.token}", address, f"by {answer.worker}")


@admin.register(Machine)
class MachineAdmin(RawRecord, Acting):
    """The workers, as they last described themselves."""

    list_display = (
        "name",
        "machine_class",
        "slots",
        "sandbox",
        "seen",
        "draining",
        "distrusted",
        "answered",
        "lost",
        "late",
    )
    finds = ("name",)
    ordering = ("name",)
    told_in_words = True
    own_actions = MACHINE_ACTIONS

    def may_act(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def shown_with(self, request: HttpRequest, obj: Machine) -> dict[str, Any]:
        """Its current work, and the actions on it."""
        runs = Work.objects.filter(state=Work.State.OUT, worker=obj.pk).defer("job", "spec").order_by("pk")
        return {
            **self.acts_on_page(request, obj),
            "left": known.KnownPanel("Status", list(_described(obj))),
            "panels": [known.KnownPanel("Current runs", [_run(each) for each in runs]), known.done(str(obj))],
        }


def _described(machine: Machine) -> Iterator[known.KnownLine]:
    """Its description of itself, and the outcome of its runs."""
    trust = "its answers are not accepted" if machine.distrusted else "its answers are accepted"
    takes = "finishes what it has and takes nothing new" if machine.draining else "takes work"
    yield known.KnownLine("State", f"{takes}, {trust}", quote=machine.distrusted)
    yield known.KnownLine(
        "Last seen", f"{machine.seen:{known.WHEN}}", facts=f"there since {machine.since:{known.WHEN}}"
    )
    speed = f"{machine.speed} thousand moves a second, sandbox of level {machine.sandbox}"
    yield known.KnownLine("Slots", f"{machine.slots} of class {machine.machine_class or 'unknown'}", facts=speed)
    yield known.KnownLine("Work", " and ".join(machine.takes) or "none", facts="kinds of work" if machine.takes else "")
    ours = "as here" if machine.rules == rules_version() else f"not those here, {rules_version()}"
    rules = f"rules {machine.rules}, {ours}" if machine.rules else ""
    yield known.KnownLine("Version", machine.version or "unknown", facts=rules)
    runs = f"{machine.answered} answered, {machine.lost} lost, {machine.late} late"
    yield known.KnownLine("Runs", runs)
    if machine.lacked is not None:
        yield known.KnownLine("Gave back", f"{machine.lacked:{known.WHEN}}", quote=machine.lacks)


def _run(work: Work) -> known.KnownLine:
    until = f"until {work.until:%H:%M:%S}" if work.until is not None else ""
    return known.KnownLine("", work.key, known.page_of("work", work.pk), facts=f"run {work.token}, {until}")


@admin.register(Returned)
class ReturnedAdmin(RawRecord):
    """Answers of workers that have not been judged yet."""

    list_display = ("work", "token", "worker", "at")
    list_select_related = ("work",)
    finds = ("work__key",)
    ordering = ("-id",)


@admin.register(LogSlice)
class LogSliceAdmin(RawRecord):
    """Reports of workers about running matches that have not been judged yet."""

    list_display = ("work", "token", "worker", "at")
    list_select_related = ("work",)
    finds = ("work__key",)
    ordering = ("-id",)


@admin.register(Analysis)
class AnalysisAdmin(Record):
    private = "match__room__private"
    list_display = ("match", "kernel", "made")
    list_select_related = ("match",)
    exclude = ("values",)
    finds = ("match",)
    search_help_text = "Number of a match"
    ordering = ("-pk",)
