"""The fixtures of the pytest plugin: `gnomon_store`, `virtual_clock`, `dag_maker`, `run_task`, `run_dag`, `simulate_dags`.

The modules that run DAGs are imported when a test uses a fixture: every test run registers the fixtures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gnomon.airflow_compat.pytest_runners import DagMaker, DagRunner, TaskRunner
    from gnomon.entry.projection.simulated_schedule import SimulatedSchedule
    from gnomon.entry.testing.dag_runs.private_store import PrivateStore
    from gnomon.ground.clock import VirtualClock

_START = 1_767_225_600_000_000
"""2026-01-01T00:00:00Z in microseconds: the first instant of `virtual_clock`."""


@pytest.fixture
def gnomon_store() -> Iterator[PrivateStore]:
    """An empty store for the test: Variables, connections, pools, runs and XComs. `set_variable`, `set_connection` and `set_pool` fill it."""
    from gnomon.entry.testing.dag_runs.private_store import PrivateStore

    store = PrivateStore()
    yield store
    store.close()


@pytest.fixture
def virtual_clock() -> VirtualClock:
    """A clock for the test's runs, at 2026-01-01T00:00:00Z: it moves to the next timer instead of waiting."""
    from gnomon.ground.clock import VirtualClock

    return VirtualClock(_START)


@pytest.fixture
def run_dag(request: pytest.FixtureRequest, gnomon_store: PrivateStore) -> DagRunner:
    """`run_dag(dag, ...)` runs a DAG once, with the arguments of `dag.test()`, in `gnomon_store`; returns the run."""
    from gnomon.airflow_compat.pytest_runners import DagRunner

    return DagRunner(gnomon_store, _find_clock(request))


@pytest.fixture
def run_task(request: pytest.FixtureRequest, gnomon_store: PrivateStore) -> TaskRunner:
    """`run_task(operator, ...)` runs one task of a DAG, with given XComs of the tasks before it; returns its task instance."""
    from gnomon.airflow_compat.pytest_runners import TaskRunner

    return TaskRunner(gnomon_store, _find_clock(request))


@pytest.fixture
def dag_maker(request: pytest.FixtureRequest, gnomon_store: PrivateStore) -> DagMaker:
    """`with dag_maker("id"):` makes a DAG, `dag_maker.run()` runs it, `dag_maker.dag` is the DAG."""
    from gnomon.airflow_compat.pytest_runners import DagMaker

    return DagMaker(gnomon_store, _find_clock(request))


@pytest.fixture(scope="session")
def simulate_dags() -> Callable[..., SimulatedSchedule]:
    """`simulate_dags(folder, start=..., days=...)` is `gnomon.testing.simulation.simulate`; the same arguments are simulated once a session."""
    from gnomon.entry.cli.simulations.python_simulation import simulate

    schedules: dict[str, SimulatedSchedule] = {}

    def simulate_once(folder: str, **options: Any) -> SimulatedSchedule:
        key = repr((str(folder), sorted(options.items())))
        if key not in schedules:
            schedules[key] = simulate(folder, **options)
        return schedules[key]

    return simulate_once


def _find_clock(request: pytest.FixtureRequest) -> Any:
    """The virtual clock if the test uses it, else None."""
    return request.getfixturevalue("virtual_clock") if "virtual_clock" in request.fixturenames else None
