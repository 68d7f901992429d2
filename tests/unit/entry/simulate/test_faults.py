"""A fault plan reaches the transactions of schedulers and triggerers."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager
from dataclasses import fields
from typing import cast

import pytest

from gnomon.entry.simulate.faults import FaultPlan, FaultyDatabase, SimulatedCrash
from gnomon.storage.store import CommitUncertain, DatabaseUnavailable
from gnomon.storage.store.database import Database


class _RecordingDatabase:
    """The two methods that take a fault; `committed` holds the ids of those that ended without an error."""

    def __init__(self) -> None:
        self.committed: list[str] = []

    @contextmanager
    def _transaction(self, service_id: str):  # type: ignore[no-untyped-def]
        yield None
        self.committed.append(service_id)

    scheduler_write = _transaction
    triggerer_write = _transaction


def test_the_methods_that_take_a_fault_are_methods_of_the_database() -> None:
    """Else the calls pass by them to the real database, and a simulation has no faults."""
    methods = {name for name, value in vars(FaultyDatabase).items() if callable(value) and not name.startswith("_")}
    assert methods == {"scheduler_write", "triggerer_write"}
    assert all(hasattr(Database, name) for name in methods)


@pytest.mark.parametrize("method", ["scheduler_write", "triggerer_write"])
@pytest.mark.parametrize(("fault", "committed"), [("crash_before", []), ("crash_after", ["me"])])
def test_a_crash_ends_the_transaction_before_or_after_its_commit(method: str, fault: str, committed: list[str]) -> None:
    database = _RecordingDatabase()
    faulty = FaultyDatabase(cast(Database, database), FaultPlan(**{fault: 1.0}), random.Random(1))
    begin = cast("Callable[[str], AbstractContextManager[object]]", getattr(faulty, method))
    with pytest.raises(SimulatedCrash), begin("me"):
        pass
    assert database.committed == committed
    assert faulty.injected == {fault: 1}


@pytest.mark.parametrize("fault", [field.name for field in fields(FaultPlan)])
def test_every_fault_of_the_plan_ends_the_transaction_with_an_error(fault: str) -> None:
    faulty = FaultyDatabase(cast(Database, _RecordingDatabase()), FaultPlan(**{fault: 1.0}), random.Random(1))
    with pytest.raises((SimulatedCrash, CommitUncertain, DatabaseUnavailable)), faulty.scheduler_write("me"):
        pass
