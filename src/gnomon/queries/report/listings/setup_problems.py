"""Set-ups of several hosts that cannot work, or that work by accident: clocks, DAG folders, and workers that no scheduler uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gnomon.ground.metrics import definitions
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import REMOTE_ADDRESS
from gnomon.model.sentences import Sentence, render, say
from gnomon.queries.report.listings.service_list import ServiceRow, WrittenFigures, list_services, read_figures
from gnomon.storage.store import Transaction
from gnomon.storage.store.coordination import leases

CLOCK_DIFFERENCE_S = 1.0
STEADY_S = 150.0
"""Folders are compared that have not changed for so long: files reach several hosts one after the other, and each host looks once a minute."""


@dataclass(frozen=True, slots=True)
class SetupProblem:
    """What is wrong, and what to do; text in back quotes is a command or a name."""

    found: Sentence
    remedy: Sentence

    def __str__(self) -> str:
        return f"{render(self.found)}. {render(self.remedy)}."


@dataclass(frozen=True, slots=True)
class FolderState:
    """The DAG folder as a process has seen it."""

    row: ServiceRow
    digest: str
    files: str
    since_s: float


def find_setup_problems(
    tx: Transaction, triggerer_beat_s: float, figures: WrittenFigures | None = None
) -> tuple[SetupProblem, ...]:
    """The problems of the processes that are alive. `figures`: what the processes have written, if the caller has read it."""
    figures = read_figures(tx) if figures is None else figures
    rows = [row for row in list_services(tx, triggerer_beat_s, figures) if row.alive]
    remote = {worker.worker_id for worker in leases.list_workers(tx) if worker.address.startswith(REMOTE_ADDRESS)}
    return (
        *_compare_clocks(rows, figures),
        *_compare_folders(rows, figures, tx.lease_now()),
        *_compare_hosts(rows, remote),
    )


def find_setup_sentences(tx: Transaction, triggerer_beat_s: float) -> list[Sentence]:
    """The same problems with their remedies as sentences."""
    problems = find_setup_problems(tx, triggerer_beat_s)
    return [say("setup_is_wrong", why=problem.found, hint=problem.remedy) for problem in problems]


def _compare_clocks(rows: Sequence[ServiceRow], figures: WrittenFigures) -> Iterator[SetupProblem]:
    worst: dict[str, tuple[float, str]] = {}
    for row in rows:
        for sample in figures.samples.get(row.id, ()):
            if (
                sample.metric is definitions.CLOCK_DIFFERENCE
                and isinstance(sample.value, int | float)
                and abs(sample.value) > abs(worst.get(row.host, (0.0,))[0])
            ):
                worst[row.host] = (float(sample.value), row.service)
    for host, (difference_s, service) in sorted(worst.items()):
        if abs(difference_s) > CLOCK_DIFFERENCE_S:
            yield SetupProblem(
                say("clock_differs", host=host, number=f"{difference_s:+.1f}", process_kind=service),
                say("synchronise_clocks"),
            )


def _compare_folders(rows: Sequence[ServiceRow], figures: WrittenFigures, now: Instant) -> Iterator[SetupProblem]:
    """Workers whose folder is not that of a dag-processor."""
    steady = [state for row in rows for state in _find_folder(row, figures) if now / SECOND - state.since_s >= STEADY_S]
    parsed = [state for state in steady if state.row.service == "dag-processor"]
    if not parsed:
        return
    known_digests, reference = {state.digest for state in parsed}, parsed[0]
    for host, state in sorted(
        {
            state.row.host: state
            for state in steady
            if state.row.service == "worker" and state.digest not in known_digests
        }.items()
    ):
        yield SetupProblem(
            say("folders_differ", host=host, number=state.files, place=reference.row.host, length=reference.files),
            say("give_the_same_files"),
        )


def _find_folder(row: ServiceRow, figures: WrittenFigures) -> Iterator[FolderState]:
    for sample in figures.samples.get(row.id, ()):
        if sample.metric is definitions.DAG_FOLDER and isinstance(sample.value, int | float):
            yield FolderState(row, sample.labels[0], sample.labels[1], float(sample.value))


def _compare_hosts(rows: Sequence[ServiceRow], remote: set[str]) -> Iterator[SetupProblem]:
    """A local worker listens on a Unix socket: only schedulers of its own host reach it."""
    schedulers = {row.host for row in rows if row.service == "scheduler"}
    workers = {row.host for row in rows if row.service == "worker" and row.id not in remote}
    if not schedulers:
        return
    for host in sorted(workers - schedulers):
        yield SetupProblem(
            say("worker_has_no_scheduler", host=host, names=", ".join(sorted(schedulers))),
            say("start_scheduler_on_host", host=host),
        )
    for host in sorted(schedulers - workers) if workers else ():
        yield SetupProblem(
            say("scheduler_has_no_worker", host=host),
            say("start_worker_on_host", host=host),
        )
