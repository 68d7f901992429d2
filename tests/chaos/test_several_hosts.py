"""A deployment of several hosts under random faults: every run once, no attempt begun twice, none lost, and a prompt retry after a worker's death."""

from __future__ import annotations

import math
import os
import random
import re
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.chaos import journal
from tests.chaos.cluster import SLOTS, Cluster, Host, cluster
from tests.chaos.faults import Faults
from tests.chaos.home import Home
from tests.chaos.message_waits import LOOK_S, MessageWatch, Span, find_longest_wait
from tests.chaos.processes import kill, until
from tests.patience import PATIENCE_S

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="network namespaces are Linux's"),
]
SEED = int(os.environ.get("CHAOS_SEED", "20261126"))
FAULTS = int(os.environ.get("CHAOS_FAULTS", "200"))
SHORT_FAULTS = 8
FAULTS_LIMIT_S = 6.0 * FAULTS
"""A bound on the time in which the faults of a long form happen."""
RETRY_WITHIN_S = 25.0
"""From a worker's death to the first start of each next attempt: 20 s without heartbeats, and then at once."""
DEATHS = 3
THAW_S = 5.0
"""A host that was frozen may learn so late that its attempts were given up meanwhile."""
RETRIES = 100
END_S = 3 * PATIENCE_S
TICK_S, LONG_TICKS = 0.25, 160
FREE_SLOT_S = 2.0
"""How long an attempt may wait beside a free slot: for one heartbeat, and for a process of a machine that runs the whole deployment."""
HELD_S = 2.5
"""A message that no worker has claimed for so long, while workers are idle, is one that a worker holds and cannot claim."""
HOLD_WITHIN_S = 8.0
"""From its cut: after ten seconds without an answer of the api-server a worker gives its messages back."""
KILLS = 3
HEAD = (
    journal.HEAD
    + """
import socket

def place(ti):
    with open(os.environ["CHAOS_WHERE"], "a") as file:
        file.write(f"{ti.id} {socket.gethostname()}\\n")

def here(ti, seconds):
    place(ti)
    work(ti, seconds)
"""
)
DAGS = (
    HEAD
    + f'''
with DAG("retried", schedule="@daily", start_date=BEGIN, catchup=True, max_active_runs=2, is_paused_upon_creation=False,
         default_args={{"retries": {RETRIES}, "retry_delay": dt.timedelta(0)}}):
    @task
    def first(ti=None):
        here(ti, 0.5)
        return [0.3, 0.8, 1.5]
    @task
    def wide(seconds, ti=None):
        here(ti, seconds)
        return seconds
    @task
    def last(found, ti=None):
        here(ti, 0.1)
        assert sorted(found) == [0.3, 0.8, 1.5], sorted(found)
    last(wide.expand(seconds=first()))

with DAG("long", schedule="@daily", start_date=BEGIN, catchup=True, max_active_runs=1, is_paused_upon_creation=False,
         default_args={{"retries": {RETRIES}, "retry_delay": dt.timedelta(0)}}):
    @task
    def ticks(ti=None):
        """Longer than a worker may be silent: what it writes after its successor has begun is found."""
        place(ti)
        note("start", ti)
        for _ in range({LONG_TICKS}):
            time.sleep({TICK_S})
            note("tick", ti)
        note("end", ti)
    ticks()

with DAG("once", schedule="@daily", start_date=BEGIN, catchup=True, max_active_runs=2, is_paused_upon_creation=False):
    @task
    def one(ti=None): here(ti, 0.6)
    @task
    def two(ti=None): here(ti, 0.1)
    one() >> two()
'''
)
MIXED = (
    HEAD
    + f"""
with DAG("mixed", schedule="@daily", start_date=BEGIN, catchup=True, max_active_runs=2, is_paused_upon_creation=False,
         default_args={{"retries": {RETRIES}, "retry_delay": dt.timedelta(0)}}):
    @task
    def one(seconds, ti=None): here(ti, seconds)
    one.expand(seconds=[4.0 if number % 6 == 0 else 0.3 for number in range(12)])
"""
)
"""More tasks at a time than there are slots, and some that are long: a short one must not wait behind a long one while another worker is idle."""


def test_eight_faults_of_two_schedulers_and_three_workers_lose_nothing_and_double_nothing() -> None:
    with cluster("redis", 2) as deployment:
        _begin(deployment)
        faults = Faults(deployment, random.Random(SEED), long_share=0.0)
        for _ in range(SHORT_FAULTS):
            print(faults.strike())
            time.sleep(0.5)
        _end(deployment, faults)


@pytest.mark.soak
@pytest.mark.parametrize(("broker", "schedulers"), [("redis", 2), ("rabbitmq", 4)])
def test_two_hundred_faults_lose_nothing_and_double_nothing(broker: str, schedulers: int) -> None:
    rng = random.Random(SEED)
    with cluster(broker, schedulers) as deployment:
        _begin(deployment)
        faults = Faults(deployment, rng)
        began = time.monotonic()
        for number in range(FAULTS):
            print(f"{time.monotonic() - began:.1f} s, fault {number}: {faults.strike()}")
            time.sleep(rng.uniform(0.2, 1.5))
            assert time.monotonic() - began < FAULTS_LIMIT_S, f"only {number} faults within {FAULTS_LIMIT_S:g} s"
        faults.heal_all()
        spans = [_kill_a_worker(deployment, rng) for _ in range(DEATHS)]
        print(f"the last retry after a worker's death began after {', '.join(f'{span:.1f}' for span in spans)} s")
        _end(deployment, faults)
        assert max(spans) <= RETRY_WITHIN_S


@pytest.mark.soak
@pytest.mark.parametrize("what", ["link", "frozen worker process"])
def test_an_attempt_whose_worker_cannot_renew_it_does_nothing_after_its_successor_has_begun(what: str) -> None:
    """The link is that to the api-servers alone: the worker still reaches the broker, and would take an api-server that is away for the cause."""
    with cluster("redis", 2) as deployment:
        _begin(deployment)
        records = deployment.records
        start = until(lambda: _find_young(records), "a long attempt that has just begun", END_S)
        host = deployment.hosts[dict(_places(deployment))[start.attempt]]
        workers = [pid for pid in host.pids() if Path(f"/proc/{pid}/comm").read_text().strip() == "gnomon-worker"]
        if what == "link":
            deployment.network.cut_link(host.name, deployment.network.api)
        else:
            for pid in workers:
                kill(pid, signal.SIGSTOP)
        cut_at = time.time()
        [next_at] = (
            until(lambda: _next_starts(deployment, {start.instance: start.attempt}), "the next attempt", END_S)
        ).values()
        print(
            f"{what}: the next attempt began {next_at - cut_at:.1f} s after the cut; the last notes of the first one came after "
            f"{max(note.at for note in journal.read(records) if note.attempt == start.attempt) - cut_at:.1f} s"
        )
        time.sleep(10 * TICK_S)
        if what == "link":
            deployment.network.mend_link(host.name, deployment.network.api)
        _end(deployment, Faults(deployment, random.Random(SEED)))


@pytest.mark.soak
@pytest.mark.parametrize("broker", ["redis", "rabbitmq"])
def test_attempts_of_a_dead_worker_begin_anew_within_25_seconds(broker: str) -> None:
    with cluster(broker, 2) as deployment:
        _begin(deployment)
        span_s = _kill_a_worker(deployment, random.Random(SEED))
        print(f"the last retry began {span_s:.1f} s after the death of the worker")
        _end(deployment, Faults(deployment, random.Random(SEED)))
        assert span_s <= RETRY_WITHIN_S


@dataclass(frozen=True, slots=True)
class Death:
    """Of a worker that held messages; seconds since the epoch."""

    host: str
    failed_at: float
    """When it began to be cut off, or was killed."""
    killed_at: float
    held: frozenset[str]
    """The attempts that no worker had claimed just before it was killed: it held the messages of these, or of some of them."""
    began_at: tuple[float, ...]
    """When each of them that had not begun at the kill began, and the next attempt of each that ran on it."""
    cuts: tuple[Span, ...]
    """From its failure to its death; and when it was cut off before, held nothing, and was let in again."""


@pytest.mark.soak
@pytest.mark.parametrize("multiplier", [1, 4])
@pytest.mark.parametrize("broker", ["redis", "rabbitmq"])
def test_what_killed_workers_had_fetched_begins_elsewhere_and_nothing_waits_beside_a_free_slot(
    broker: str, multiplier: int
) -> None:
    """The queued timeout is that of a deployment, five minutes: messages are sent again because their worker is lost, or not in time."""
    rng = random.Random(SEED)
    options = {
        "GNOMON__SCHEDULER__TASK_QUEUED_TIMEOUT": "300",
        "GNOMON__CELERY__WORKER_PREFETCH_MULTIPLIER": str(multiplier),
    }
    with cluster(broker, 2, options) as deployment:
        _begin(deployment, MIXED, "mixed")
        with MessageWatch(deployment.records.url) as watch:
            up_at = _wait_until_up(deployment, watch)
            deaths = [
                _kill_a_worker_with_messages(deployment, watch, rng, holds_only_its_slots=multiplier == 1)
                for _ in range(KILLS)
            ]
            until(
                lambda: _workers_in_use(deployment, time.time() - 5.0) >= {host.name for host in deployment.of("w")},
                "attempts on all workers again",
                END_S,
            )
            _end(deployment, Faults(deployment, rng), MIXED)
        longest_s, attempt = find_longest_wait(*_measure(deployment, watch, deaths, up_at), SLOTS)
    spans = [[at - death.killed_at for at in death.began_at] for death in deaths if death.began_at]
    print(
        f"{broker}, multiplier {multiplier}: held {[len(death.held) for death in deaths]}; the first began {', '.join(f'{min(one):.1f}' for one in spans)} s after the kill, "
        f"the last {', '.join(f'{max(one):.1f}' for one in spans)} s; the longest wait beside a free slot {longest_s:.2f} s, of {len(watch.seen)} attempts"
    )
    assert max(max(one) for one in spans) <= RETRY_WITHIN_S
    if multiplier == 1:  # above, messages wait in their worker
        assert longest_s <= FREE_SLOT_S, (
            f"attempt {attempt} waited {longest_s:.2f} s beside a free slot: {watch.seen[attempt]}, "
            f"then on {dict(_places(deployment)).get(attempt)}; deaths {deaths}"
        )


def _wait_until_up(deployment: Cluster, watch: MessageWatch) -> float:
    """Wait for attempts on all workers, and for the end of what was offered before the api-servers answered. Returns the time; seconds since the epoch."""
    since, workers = time.time(), {host.name for host in deployment.of("w")}
    until(lambda: _workers_in_use(deployment, since) >= workers, "attempts on all workers", END_S)
    until(lambda: watch.looked_at > since and not _find_old(watch), "claims of the first attempts", END_S)
    return time.time()


def _kill_a_worker_with_messages(
    deployment: Cluster, watch: MessageWatch, rng: random.Random, *, holds_only_its_slots: bool
) -> Death:
    """Kill every process of a worker that holds messages of attempts it has not claimed. One that holds no more than it has slots is cut off from the api-servers before."""
    since, workers = time.time(), {host.name for host in deployment.of("w")}
    until(lambda: _workers_in_use(deployment, since) >= workers, "attempts on all workers", END_S)
    host, failed_at, held = rng.choice(deployment.of("w")), since, frozenset[str]()
    cuts: list[Span] = []
    while holds_only_its_slots and not held:
        failed_at = time.time()
        held = _cut_until_it_holds(deployment, watch, host)
        cuts.append(Span(failed_at, time.time()))
    held_at = failed_at
    if not holds_only_its_slots:
        held_at, held = until(lambda: _find_waiting(deployment, watch, host), "messages that wait in workers", END_S)
        failed_at = time.time()
    host.is_down = True
    while pids := host.pids():
        for pid in pids:
            kill(pid)
    killed_at = time.time()
    running = _running(deployment, host, "mixed")
    held -= set(running.values())  # claimed between the look and the kill
    try:
        began = (
            until(lambda: _begun(deployment, watch, held, held_at), "the attempts whose messages were held")
            if held
            else {}
        )
        again = (
            until(lambda: _next_starts(deployment, running), f"the next attempts after the end of {host.name}")
            if running
            else {}
        )
    except AssertionError:
        _print_records(deployment, running)
        raise
    finally:
        if holds_only_its_slots:
            deployment.network.mend_link(host.name, deployment.network.api)
        host.is_down = False
    return Death(
        host.name,
        failed_at,
        killed_at,
        held,
        tuple(at for at in (*began.values(), *again.values()) if at > killed_at),
        (*cuts, Span(failed_at, killed_at)),
    )


def _cut_until_it_holds(deployment: Cluster, watch: MessageWatch, host: Host) -> frozenset[str]:
    """Cut the host off from the api-servers. Returns attempts whose messages are held; mends the link when none comes while the worker holds some."""
    deployment.network.cut_link(host.name, deployment.network.api)
    cut_at = time.time()
    until_at = cut_at + HOLD_WITHIN_S
    while time.time() < until_at:
        if watch.looked_at > cut_at and (held := _find_old(watch)):
            return held
        time.sleep(LOOK_S)
    deployment.network.mend_link(host.name, deployment.network.api)
    time.sleep(HOLD_WITHIN_S)
    return frozenset()


def _find_waiting(deployment: Cluster, watch: MessageWatch, host: Host) -> tuple[float, frozenset[str]] | None:
    """The attempts whose messages wait in workers while this host runs some, and a time after which each of them begins."""
    looked_at, unclaimed = watch.looked_at, watch.unclaimed
    return (looked_at, unclaimed) if len(unclaimed) >= SLOTS and _running(deployment, host, "mixed") else None


def _begun(
    deployment: Cluster, watch: MessageWatch, attempts: frozenset[str], since: float
) -> dict[tuple[str, int], float] | None:
    """When each of these attempts began since then, or the next one of its task instance: the last claims of a killed worker may arrive. None until all have."""
    names = {run.run_pk: run.run_id for _, run in deployment.records.runs("mixed")}
    wanted = {(names[watch.seen[attempt].run_pk], watch.seen[attempt].map_index) for attempt in attempts}
    found: dict[tuple[str, int], float] = {}
    for note in journal.starts(deployment.records, "mixed"):
        if note.at > since and (note.run_id, note.map_index) in wanted:
            found.setdefault((note.run_id, note.map_index), note.at)
    return found if found.keys() == wanted else None


def _find_old(watch: MessageWatch) -> frozenset[str]:
    """The attempts that no worker had claimed at the last look, although they were offered more than HELD_S before it."""
    return frozenset(one for one in watch.unclaimed if watch.looked_at - watch.seen[one].offered_at > HELD_S)


def _measure(
    deployment: Cluster, watch: MessageWatch, deaths: list[Death], up_at: float
) -> tuple[dict[str, Span], dict[str, list[Span]], dict[str, list[Span]]]:
    """The arguments of `find_longest_wait`, for the attempts that were offered after `up_at`. A worker is live from its first attempt to its failure, and again from its first attempt after its death."""
    notes, places = journal.read(deployment.records), dict(_places(deployment))
    starts = {note.attempt: note.at for note in notes if note.what == "start"}
    ends = {note.attempt: note.at for note in notes if note.what == "end"}
    waits = {
        attempt: Span(one.offered_at, starts[attempt])
        for attempt, one in watch.seen.items()
        if attempt in starts
        and one.offered_at > up_at
        and not any(  # a worker that was cut off or is dead may have held its message
            one.offered_at < cut.until and starts[attempt] > cut.since for death in deaths for cut in death.cuts
        )
    }
    busy: dict[str, list[Span]] = {}
    live: dict[str, list[Span]] = {}
    for worker in {host.name for host in deployment.of("w")}:
        own = sorted(starts[attempt] for attempt, name in places.items() if name == worker and attempt in starts)
        failures = [(death.failed_at, death.killed_at) for death in deaths if death.host == worker]
        began = [own[0], *(next((at for at in own if at > killed_at), math.inf) for _, killed_at in failures)]
        live[worker] = [
            Span(since, until_at)
            for since, until_at in zip(
                began, [*(failed_at for failed_at, _ in failures), max(ends.values())], strict=True
            )
            if since < until_at
        ]
        for attempt in (attempt for attempt, name in places.items() if name == worker and attempt in starts):
            killed_at = next((killed_at for _, killed_at in failures if killed_at >= starts[attempt]), math.inf)
            seen = watch.seen.get(attempt)
            since = (
                starts[attempt] if seen is None or seen.claimed_at is None else min(seen.claimed_at, starts[attempt])
            )
            busy.setdefault(worker, []).append(Span(since, min(ends.get(attempt, math.inf), killed_at)))
    return waits, busy, live


def _begin(deployment: Cluster, dags: str = DAGS, *dag_ids: str) -> None:
    print(f"CHAOS_SEED={SEED}")
    records = deployment.records
    records.dag_file("work", dags)
    until(
        lambda: all(journal.starts(records, dag_id) for dag_id in dag_ids or ("retried", "once")),
        "the first tasks",
        END_S,
    )
    until(lambda: len({host for _, host in _places(deployment)}) > 1, "tasks on several workers", END_S)


def _end(deployment: Cluster, faults: Faults, dags: str = DAGS) -> None:
    """Nothing is broken from now on; the runs under way end, and the records are compared with the journal."""
    faults.heal_all()
    records = deployment.records
    records.finish("work", dags, END_S)
    until(lambda: not _held(deployment), "no attempt is left with the executor", END_S)
    listed = records.runs()
    attempts = records.records([run.run_pk for _, run in listed])[1]
    print(
        f"{dict(faults.counts)}; runs {dict(Counter(str(run.state) for _, run in listed))}, attempts {dict(Counter(one.state for one in attempts))}"
    )
    print(
        dict(
            Counter(
                re.sub(r"worker [0-9a-f-]+", "worker", one.reason or "")[:200]
                for one in attempts
                if one.state != "success"
            )
        )
    )
    assert _tracebacks(deployment) == []
    assert journal.audit(records, RETRIES, _excused(deployment, faults)) == []
    assert Counter(str(run.state) for dag_id, run in listed if dag_id != "once").keys() == {"success"}


def _find_young(records: Home) -> journal.Note | None:
    """The start of a long attempt that goes on for longer than a worker lives without heartbeats."""
    start = next(reversed(journal.starts(records, "long")), None)
    notes = [note for note in journal.read(records) if start is not None and note.attempt == start.attempt]
    return start if 0 < len(notes) < LONG_TICKS / 4 else None


def _tracebacks(deployment: Cluster) -> list[str]:
    """Of Gnomon: Celery logs the exceptions of its connection to the broker by itself, and connects again."""
    return [
        f"{host.name}: {line[:3000]}"
        for host in deployment.hosts.values()
        for line in host.said.splitlines()
        if "Traceback" in line and not (host.name[0] == "w" and '"logger": "celery.worker.' in line)
    ]


def _held(deployment: Cluster) -> int:
    import psycopg

    with psycopg.connect(deployment.records.url) as connection:
        row = connection.execute("SELECT count(*) FROM remote_attempt").fetchone()
    return 0 if row is None else int(row[0])


def _places(deployment: Cluster) -> list[tuple[str, str]]:
    """(attempt, host) of each attempt that began."""
    path = Path(deployment.folder / "where")
    return (
        [(attempt, host) for attempt, host in map(str.split, path.read_text().rpartition("\n")[0].splitlines())]
        if path.exists()
        else []
    )


def _excused(deployment: Cluster, faults: Faults) -> frozenset[str]:
    """Attempts on a host that was frozen and had not heard yet that they were given up: nothing outside can stop the next instruction of a process that thaws."""
    places = dict(_places(deployment))
    return frozenset(
        note.attempt
        for note in journal.read(deployment.records)
        for freeze in faults.freezes
        if places.get(note.attempt) == freeze.host and freeze.until <= note.at < freeze.until + THAW_S
    )


def _kill_a_worker(deployment: Cluster, rng: random.Random) -> float:
    """Kill every process of a worker that runs attempts; returns the seconds until each of these had begun anew.

    Before, each worker has taken an attempt: one that is still starting could not take the next attempts.
    """
    since, workers = time.time(), {host.name for host in deployment.of("w")}
    until(lambda: _workers_in_use(deployment, since) >= workers, "attempts on all workers", END_S)
    running: dict[tuple[str, str, str, int], str] = {}
    while not running:  # those that ran when it was chosen may have ended before the kill
        host = until(lambda: _pick_busy(deployment, rng), "a worker that runs attempts that can be tried again", END_S)
        host.is_down = True
        killed = time.time()
        while pids := host.pids():
            for pid in pids:
                kill(pid)
        running = _running(deployment, host)
        host.is_down = bool(running)
    try:
        again = until(lambda: _next_starts(deployment, running), f"the next attempts after the end of {host.name}")
    except AssertionError:
        _print_records(deployment, running)
        raise
    host.is_down = False
    return max(at - killed for at in again.values())


def _workers_in_use(deployment: Cluster, since: float) -> set[str]:
    """The workers on which attempts have begun since then."""
    places = dict(_places(deployment))
    return {
        places[note.attempt]
        for note in journal.starts(deployment.records)
        if note.at >= since and note.attempt in places
    }


def _print_records(deployment: Cluster, running: dict[tuple[str, str, str, int], str]) -> None:
    for instance, attempt in running.items():
        print(
            attempt,
            *(note for note in journal.read(deployment.records) if note.instance == instance),
            *_recorded(deployment, instance),
            sep="\n    ",
        )


def _recorded(deployment: Cluster, instance: tuple[str, str, str, int]) -> list[object]:
    """The attempts of a task instance, and those that the executor has, as they are stored."""
    import psycopg

    run_pks = [run.run_pk for dag_id, run in deployment.records.runs(instance[0]) if run.run_id == instance[1]]
    attempts = deployment.records.records(run_pks)[1]
    with psycopg.connect(deployment.records.url) as connection:
        held = connection.execute(
            "SELECT attempt, worker, offered_at, published_at, claimed_at, entered_at, cancel_reason FROM remote_attempt"
        ).fetchall()
    return [*attempts, *held]


def _pick_busy(deployment: Cluster, rng: random.Random) -> Host | None:
    busy = [host for host in deployment.of("w") if _running(deployment, host)]
    return rng.choice(busy) if busy else None


def _running(deployment: Cluster, host: Host, dag_id: str = "retried") -> dict[tuple[str, str, str, int], str]:
    """The attempt of each task instance that began on the host, has not ended, and may be tried again."""
    notes = journal.read(deployment.records)
    ended = {note.attempt for note in notes if note.what == "end"}
    places = dict(_places(deployment))
    last = {note.instance: note.attempt for note in notes if note.what == "start"}
    return {
        instance: attempt
        for instance, attempt in last.items()
        if instance[0] == dag_id and attempt not in ended and places.get(attempt) == host.name
    }


def _next_starts(
    deployment: Cluster, running: dict[tuple[str, str, str, int], str]
) -> dict[tuple[str, str, str, int], float] | None:
    """When each instance began anew; None until all have."""
    seen: set[tuple[str, str, str, int]] = set()
    found: dict[tuple[str, str, str, int], float] = {}
    for note in journal.starts(deployment.records):
        if note.instance in seen:
            found.setdefault(note.instance, note.at)
        elif running.get(note.instance) == note.attempt:
            seen.add(note.instance)
    return found if found.keys() >= running.keys() else None
