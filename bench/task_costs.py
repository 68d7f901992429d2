"""The processor time of an isolated task in each service, through a local worker and through Celery, beside the rate at which they run."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from bench.celery_rate import FILES, OPTIONS, REPEATS, TASKS, Costs, read_costs, read_sessions_cpu, through_celery
from bench.deployment import Deployment, deployment, postgres
from bench.figures import rate
from bench.processes import cpu_s, family

_URL = "GNOMON__DATABASE__SQL_ALCHEMY_CONN"


def measure_celery(broker_url: str, repeats: int = REPEATS) -> tuple[float, Costs]:
    """Isolated tasks a second through this broker, and the processor ms of one in each service."""
    with postgres() as database, through_celery(broker_url, database or {}) as running:
        url = (database or {}).get(_URL)
        running.run_to_end("wide_python_500", "warm")
        before = read_costs(running, broker_url, url)
        rates = [rate(running.run_to_end("wide_python_500", f"r{number}")) for number in range(repeats)]
        return max(rates), _costs_of_one(before, read_costs(running, broker_url, url), repeats)


def measure_local(repeats: int = REPEATS) -> tuple[float, Costs]:
    """The same through a local worker."""
    with postgres() as database, deployment(FILES, **OPTIONS, **(database or {})) as running:
        url = (database or {}).get(_URL)
        running.wait_for_dag("wide_python_500")
        running.run_to_end("wide_python_500", "warm")
        before = _read_local_costs(running, url)
        rates = [rate(running.run_to_end("wide_python_500", f"r{number}")) for number in range(repeats)]
        return max(rates), _costs_of_one(before, _read_local_costs(running, url), repeats)


def _read_local_costs(running: Deployment, database_url: str | None) -> Costs:
    worker = {member for pid in _service_pids(running, "worker") for member in family(pid)}
    found = {"scheduler": cpu_s(_service_pids(running, "scheduler")), "worker": cpu_s(worker)}
    return found if database_url is None else {**found, "PostgreSQL": read_sessions_cpu(database_url)}


def _costs_of_one(before: Costs, after: Costs, repeats: int) -> Costs:
    return {part: (spent - before.get(part, 0.0)) * 1000 / (repeats * TASKS) for part, spent in after.items()}


def _service_pids(running: Deployment, role: str) -> list[int]:
    """The processes of the standalone with that title."""
    found = []
    for pid in running.processes():
        with suppress(OSError):
            if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(f"gnomon: {role}".encode()):
                found.append(pid)
    return found
