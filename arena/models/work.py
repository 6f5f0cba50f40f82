"""What is to be computed away from play, and the results."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from arena.models.match import Match

_WAITING = Q(state="waiting")


class Work(models.Model):
    """A piece of work: the row is the queue. `arena.work.rows` explains its states, and changes them.

    `key` names its purpose, so that nothing is done twice. `token` is the number of the run that has it, `until` the
    end of that run's lease. `faults` counts the runs that were lost, `why` says how the last one was; `voids` counts
    those that nobody is to blame for, `late` the answers that came when the row was another's, or nobody's any more.

    `needs` is the class of machines that may compute it: any, or `HOST`, the host alone. `lent` is when an engine was
    asked to find a worker for it: with the `job` that the worker is given, for workers of these `rules` at this level
    of the `sandbox` or a higher one. A worker proves that it has the run by its `secret`.

    If it is `watched`, somebody looks on: then its worker sends slices of the log, and `match` is the match that these
    have opened, "" for none. It belongs to the run that has the row, or had it last.

    `lacked` is since when workers have given it back because their machines lack something that it needs; the machine
    that had it last says what.

    `kept` is its answer, if that is stored nowhere else: the command that waits for it reads it here.
    """

    HOST = "host"

    class State(models.TextChoices):
        WAITING = "waiting"
        OUT = "out"
        DONE = "done"
        CANCELLED = "cancelled"
        FAILED = "failed"

    kind = models.CharField(max_length=16)
    key = models.CharField(max_length=80, unique=True)
    spec = models.JSONField(default=dict)
    priority = models.SmallIntegerField(default=0)
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    token = models.PositiveIntegerField(default=0)
    until = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(max_length=64, default="", blank=True)
    faults = models.PositiveSmallIntegerField(default=0)
    voids = models.PositiveSmallIntegerField(default=0)
    late = models.PositiveIntegerField(default=0)
    why = models.TextField(default="", blank=True)
    made = models.DateTimeField(auto_now_add=True)
    needs = models.CharField(max_length=32, default="", blank=True)
    lent = models.DateTimeField(null=True, blank=True)
    job = models.JSONField(null=True, blank=True)
    rules = models.CharField(max_length=16, default="", blank=True)
    sandbox = models.PositiveSmallIntegerField(default=0)
    secret = models.CharField(max_length=36, default="", blank=True)
    watched = models.BooleanField(default=False, db_default=False)
    match = models.CharField(max_length=16, default="", db_default="", blank=True)
    lacked = models.DateTimeField(null=True, blank=True)
    kept = models.TextField(default="", db_default="", blank=True)

    class Meta:
        verbose_name_plural = "work"
        constraints = [
            models.CheckConstraint(condition=~Q(state="out") | Q(until__isnull=False), name="work_out_has_a_lease"),
        ]
        indexes = [
            models.Index(fields=["-priority", "id"], condition=_WAITING, name="work_waiting"),
            models.Index(fields=["until"], condition=Q(state="out"), name="work_out"),
            models.Index(fields=["match"], condition=~Q(match=""), name="work_with_a_match"),
            # What is asked several times a second must not read all that waits, nor all that is done.
            models.Index(fields=["-priority", "id"], condition=_WAITING & Q(needs="host"), name="work_of_host"),
            models.Index(
                fields=["-priority", "id"],
                condition=_WAITING & Q(lent=None, match="") & ~Q(needs="host"),
                name="work_to_lend",
            ),
            models.Index(
                fields=["priority"],
                condition=_WAITING & Q(lent__isnull=False) | Q(state="out") & ~Q(secret=""),
                name="work_lent",
            ),
            models.Index(fields=["made"], condition=Q(state="done"), name="work_done"),
            models.Index(fields=["id"], condition=Q(state__in=("failed", "cancelled")), name="work_given_up"),
            models.Index(fields=["state"], condition=Q(kind="play") & ~Q(state="done"), name="work_of_plays"),
            models.Index(fields=["needs", "lent"], condition=_WAITING & Q(kind="play"), name="work_by_class"),
            models.Index(fields=["lacked"], condition=Q(lacked__isnull=False), name="work_given_back"),
        ]

    def __str__(self) -> str:
        return self.key


class Machine(models.Model):
    """A worker: a process that lends the processors of some machine, as it described itself at `seen`.

    `machine_class` is a word such as `linux-x86_64`, `speed` how many thousand moves it judges in a second. A
    `draining` one takes nothing new; `distrusted` says why its answers are no longer accepted. `lacks` is why it gave
    back a run last, at `lacked`: the machine lacked something that the run needed.
    """

    name = models.CharField(max_length=64, primary_key=True)
    # Older workers use this name, and so do the functions of the database that they call.
    machine_class = models.CharField("class", max_length=32, db_column="sort")
    slots = models.PositiveSmallIntegerField()
    speed = models.PositiveIntegerField()
    rules = models.CharField(max_length=16)
    version = models.CharField(max_length=32)
    sandbox = models.PositiveSmallIntegerField()
    kinds = models.JSONField(default=list)
    since = models.DateTimeField(auto_now_add=True)
    seen = models.DateTimeField()
    draining = models.BooleanField(default=False)
    distrusted = models.TextField(default="", blank=True)
    answered = models.PositiveIntegerField(default=0)
    lost = models.PositiveIntegerField(default=0)
    late = models.PositiveIntegerField(default=0)
    lacks = models.TextField(default="", db_default="", blank=True)
    lacked = models.DateTimeField(null=True, blank=True)

    class Meta:
        # It says it itself; without one it would have no page in the admin, and no order would reach it.
        constraints = [models.CheckConstraint(condition=~Q(name=""), name="machine_has_name")]

    def __str__(self) -> str:
        return self.name

    @property
    def takes(self) -> list[str]:
        """Its kinds of work. It says so itself, and may have said anything."""
        return [kind for kind in self.kinds if isinstance(kind, str)] if isinstance(self.kinds, list) else []


class Returned(models.Model):
    """What a worker has answered, until the host has judged and stored it: JSON as text, for what no row can hold."""

    work = models.ForeignKey(Work, on_delete=models.CASCADE)
    token = models.PositiveIntegerField()
    worker = models.CharField(max_length=64)
    found = models.TextField()
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name, verbose_name_plural = "worker's answer", "workers' answers"
        constraints = [models.UniqueConstraint(fields=["work", "token"], name="one_answer_a_run")]

    def __str__(self) -> str:
        return f"{self.work_id} #{self.token}"


class LogSlice(models.Model):
    """A part of the log of a match that a worker plays, until the host has judged and stored it: JSON as text."""

    work = models.ForeignKey(Work, on_delete=models.CASCADE)
    token = models.PositiveIntegerField()
    worker = models.CharField(max_length=64)
    found = models.TextField()
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.work_id} #{self.token}"


class Analysis(models.Model):
    """The proved values of a finished match: `arena.analysis.matches` describes `values`, compressed JSON.

    Never a part of its log: it can be made again. `kernel` is the version that proved them.
    """

    match = models.OneToOneField(Match, primary_key=True, on_delete=models.CASCADE, related_name="analysis")
    kernel = models.CharField(max_length=16)
    values = models.BinaryField()
    made = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "analyses"

    def __str__(self) -> str:
        return f"{self.match_id} by {self.kernel}"
