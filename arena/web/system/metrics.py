"""`/metrics`: the state of this process in the text format of Prometheus, for the networks of ARENA_METRICS.

Nothing in it names a player, a room or a match.
"""

from __future__ import annotations

import os
import resource
import time
from collections import Counter
from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from pathlib import Path

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import Error
from django.http import HttpRequest, HttpResponse

from arena.bots.session import tokens
from arena.cluster.roles import front_of
from arena.common.logs import recent_errors
from arena.common.metrics import Sample, each, family, one
from arena.host import Host, NoHost, here
from arena.web.views import view
from arena.work.rules_version import rules_version
from arena.work.state import counts, totals, workers_seen

TYPE = "text/plain; version=0.0.4; charset=utf-8"
_started = time.time()
# By method: requests to the pages of this process, over its port or from a front.
asked: Counter[str] = Counter()


@view("GET", hosted=False)
async def metrics(request: HttpRequest) -> HttpResponse:
    """The metrics that a process other than the host has."""
    if why := why_not(request):
        return HttpResponse(f"{why}\n", status=403, content_type="text/plain; charset=utf-8")
    try:
        said = [*of_process(), *of_host(here()), *(await sync_to_async(of_work)())]
    except NoHost:
        said = list(of_process())
    return HttpResponse("".join(said), content_type=TYPE)


def why_not(request: HttpRequest) -> str:
    """Why this client may not read them, "" if it may."""
    if not settings.TRUSTED_PROXY_HOPS and "X-Forwarded-For" in request.headers:
        # The peer is a proxy that is not configured: its address says nothing about the client.
        return "This came through a proxy, and TRUSTED_PROXY_HOPS is 0. Set it, or ask the server itself."
    said = request.META.get("REMOTE_ADDR") or ""
    try:
        address = ip_address(said.partition("%")[0])
    except ValueError:
        return f"The address {said[:60]!r} cannot be read."
    address = getattr(address, "ipv4_mapped", None) or address
    if address.is_loopback or any(address in ip_network(net) for net in settings.ARENA_METRICS):
        return ""
    return f"Metrics are for this machine and for ARENA_METRICS; {address} is neither."


# -- what is said ------------------------------------------------------------------------------------------------------


def of_process() -> Iterator[str]:
    front = front_of()
    usage = resource.getrusage(resource.RUSAGE_SELF)
    yield family("arena_front", "gauge", "1 in a process that passes all on to the host.", one(int(front is not None)))
    yield family("arena_front_without_host", "gauge", "1 while a front has no host.", one(int(front == "")))
    yield family("arena_requests_total", "counter", "Requests for pages, by method.", each("method", asked))
    yield family("arena_errors_last_hour", "gauge", "Errors logged, 1000 at most.", one(recent_errors.count()))
    yield family("process_start_time_seconds", "gauge", "When this process began.", one(round(_started, 3)))
    yield family(
        "process_cpu_seconds_total", "counter", "Time on processors.", one(round(usage.ru_utime + usage.ru_stime, 3))
    )
    yield family("process_resident_memory_bytes", "gauge", "Memory that is held.", one(_resident_bytes()))
    yield family(
        "process_open_fds", "gauge", "Open files, sockets among them.", one(sum(1 for _ in os.scandir("/proc/self/fd")))
    )


def of_host(host: Host) -> Iterator[str]:
    running = host.hub.running()
    seats = Counter((seat.kind, seat.protocol or "") for live in running for seat in live.state.setup.seats)
    by_seat = [Sample("", {"kind": kind, "protocol": name}, n) for (kind, name), n in sorted(seats.items())]
    variants = Counter(live.state.setup.variant for live in running)
    viewers = {
        "player": sum(live.readers(seat) for live in host.hub.lives.values() for seat in ("0", "1")),
        "watcher": sum(live.readers("") for live in host.hub.lives.values()),
    }
    queues = {"ledger": host.ledger.waiting, "mailboxes": sum(len(live.mailbox) for live in running)}
    yield family("arena_matches", "gauge", "Matches without an ending.", each("variant", variants))
    yield family("arena_rooms", "gauge", "Rooms in memory.", one(len(host.lobby.rooms)))
    yield family("arena_rooms_waiting", "gauge", "Public rooms that wait.", one(len(host.lobby.open_rooms())))
    yield family("arena_seats", "gauge", "Seats of running matches.", by_seat)
    yield family("arena_bots_connected", "gauge", "Registered bots that are here.", one(len(tokens.players())))
    yield family("arena_viewers", "gauge", "Websockets of pages on a match.", each("audience", viewers))
    yield family("arena_seat_ports_used", "gauge", "Ports for single seats in use.", one(host.seat_ports.pool.used))
    yield family("arena_seat_ports", "gauge", "Ports for single seats.", one(len(settings.ARENA_SEAT_PORTS)))
    yield family("arena_queue_depth", "gauge", "What waits to be decided or stored.", each("queue", queues))
    yield family("arena_storage_failing", "gauge", "1 while the log cannot be written.", one(int(host.ledger.failing)))
    yield from _grown(host)


def _grown(host: Host) -> Iterator[str]:
    ended = host.ended
    thinking = [sample for kind, found in sorted(ended.thinking.items()) for sample in found.samples({"kind": kind})]
    yield family("arena_commits_total", "counter", "Transactions of the log.", one(host.ledger.commits.count))
    yield family("arena_commit_seconds", "histogram", "From batch to commit.", host.ledger.commits.times.samples({}))
    yield family(
        "arena_matches_ended_total", "counter", "Ended, by termination.", each("termination", ended.by_termination)
    )
    yield family("arena_moves_total", "counter", "Moves of ended matches, by player.", each("kind", ended.moves))
    yield family("arena_think_seconds", "histogram", "Time for a move, of ended matches.", thinking)


def of_work() -> list[str]:
    """Reads the database; empty if that fails, because the other numbers are wanted then."""
    try:
        return list(_of_work())
    except Error:
        return []


def _of_work() -> Iterator[str]:
    work = [Sample("", {"kind": row.kind, "state": row.state}, row.number) for row in counts()]
    seen = workers_seen(rules_version())
    here = [worker for worker in seen if worker.state in ("works", "idle")]
    total = totals()
    yield family("arena_work", "gauge", "Pieces of work, by kind and state.", work)
    yield family("arena_workers", "gauge", "Workers, by state.", each("state", Counter(each.state for each in seen)))
    yield family("arena_worker_slots", "gauge", "Runs that they can have.", one(sum(w.machine.slots for w in here)))
    yield family("arena_worker_slots_used", "gauge", "Runs that they have.", one(sum(w.running for w in here)))
    lacking = sum(worker.lacks for worker in seen)
    yield family("arena_workers_lacking", "gauge", "Workers that gave back a run a moment ago.", one(lacking))
    yield family("arena_worker_answers", "gauge", "Answers stored, of workers of the last day.", one(total.answered))
    yield family("arena_worker_lost", "gauge", "Runs lost, of workers of the last day.", one(total.lost))
    yield family("arena_worker_late", "gauge", "Late answers, of workers of the last day.", one(total.late))


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()
