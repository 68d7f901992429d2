"""Simulations of the API: a row for each job, which any api-server can answer, and which the process of the job writes."""

from __future__ import annotations

import msgspec

from gnomon.model.instants import Instant
from gnomon.model.simulations import SimulationAnswer, SimulationJob, SimulationState
from gnomon.storage.store.transaction import Transaction

_decoder = msgspec.json.Decoder(SimulationAnswer)


def add_job(tx: Transaction, simulation_id: str, account: str, scenario: str, samples: int, now: Instant) -> None:
    """A new job, which counts as running."""
    tx.run("simulations.add", simulation_id=simulation_id, account=account, scenario=scenario, samples=samples, now=now)


def count_running(tx: Transaction) -> int:
    """The jobs that have not ended."""
    row = tx.one("simulations.count_running")
    return 0 if row is None else int(row[0])


def find_job(tx: Transaction, simulation_id: str) -> SimulationJob | None:
    """The job; None when there is none."""
    row = tx.one("simulations.find", simulation_id=simulation_id)
    if row is None:
        return None
    key, account, state, created_at, beat_at, ended_at, done, samples, scenario, error = row
    return SimulationJob(
        key, account, SimulationState(state), created_at, beat_at, ended_at, done, samples, scenario, error
    )


def find_answer(tx: Transaction, simulation_id: str) -> SimulationAnswer | None:
    """The answer of a job that is done."""
    row = tx.one("simulations.answer", simulation_id=simulation_id)
    return None if row is None or row[0] is None else _decoder.decode(row[0])


def beat(tx: Transaction, simulation_id: str, samples_done: int, now: Instant) -> bool:
    """Say that the process of the job is alive; False when the job has ended, so that it has no more to do."""
    return bool(tx.run("simulations.beat", simulation_id=simulation_id, samples_done=samples_done, now=now))


def put_answer(tx: Transaction, simulation_id: str, answer: SimulationAnswer, now: Instant) -> bool:
    """The job is done; False when it had ended before."""
    body = msgspec.json.encode(answer).decode()
    return _end(tx, simulation_id, SimulationState.DONE, answer.samples, now, body, None)


def put_error(tx: Transaction, simulation_id: str, samples_done: int, error: str, now: Instant) -> bool:
    """The job has failed, for a reason in a sentence; False when it had ended before."""
    return _end(tx, simulation_id, SimulationState.FAILED, samples_done, now, None, error)


def cancel_job(tx: Transaction, simulation_id: str, now: Instant) -> bool:
    """The job has no more to do; False when it had ended before."""
    return bool(tx.run("simulations.cancel", simulation_id=simulation_id, now=now))


def end_lost_jobs(tx: Transaction, before: Instant, error: str, now: Instant) -> None:
    """Jobs whose process was last heard of before that instant have failed."""
    tx.run("simulations.end_lost", before=before, error=error, now=now)


def remove_old_jobs(tx: Transaction, before: Instant, kept: int) -> None:
    """Delete the ended jobs that began before that instant, and all but the newest `kept`."""
    tx.run("simulations.remove_old", before=before)
    tx.run("simulations.remove_most", kept=kept)


def _end(
    tx: Transaction,
    simulation_id: str,
    state: SimulationState,
    samples_done: int,
    now: Instant,
    answer: str | None,
    error: str | None,
) -> bool:
    return bool(
        tx.run(
            "simulations.end",
            simulation_id=simulation_id,
            state=state.value,
            samples_done=samples_done,
            now=now,
            answer=answer,
            error=error,
        )
    )
