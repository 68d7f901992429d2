"""What a trigger may ask while it waits: the keeper answers, the loop goes on, and nothing is written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.services.triggerer.keeping import Deferred, deferring

from gnomon.ground.config import Config
from gnomon.model import serde
from gnomon.storage.store.admin import variables

ASKING = """
import asyncio
from gnomon.authoring.operators.triggers.external_task import WorkflowTrigger
from gnomon.authoring.sdk.deferral.triggers import BaseTrigger, TriggerEvent
from gnomon.authoring.sdk.connections.variable import Variable

class Asks(BaseTrigger):
    def __init__(self, how):
        super().__init__()
        self.how = how

    def serialize(self):
        return "authored.Asks", {"how": self.how}

    async def run(self):
        if self.how == "in the loop":
            yield TriggerEvent(Variable.get("k"))
        elif self.how == "in a thread":
            yield TriggerEvent(await asyncio.to_thread(Variable.get, "k"))
        else:
            await asyncio.to_thread(Variable.set, "k", "other")
"""


@pytest.fixture
def deferred(tmp_path: Path, cfg: Config) -> Iterator[Deferred]:
    (tmp_path / "plugins" / "authored.py").write_text(ASKING)
    with deferring(f"sqlite:///{tmp_path / 'gnomon.db'}", cfg) as made:
        yield made


def test_triggers_of_other_dags_runs_and_tasks_are_told_by_the_keeper(deferred: Deferred) -> None:
    deferred.world.dag("other")
    deferred.world.run("other", "there")
    fields = {"external_dag_id": "other", "run_ids": ["there"], "poke_interval": 0.01}
    queued = [deferred.wait("WorkflowTrigger", allowed_states=["queued"], **fields) for _ in range(3)]
    never = deferred.wait("WorkflowTrigger", external_task_ids=["a"], **fields)
    one = deferred.keeper()
    deferred.until(lambda: len(deferred.events()) == 3, one)
    assert {key: serde.loads(fired.payload) for key, fired in deferred.events().items()} == {
        wait.key: {"status": "success"} for wait in queued
    }
    assert never.key not in deferred.events()


@pytest.mark.parametrize(
    ("how", "outcome", "words"),
    [("in a thread", "event", ""), ("in the loop", "event", ""), ("writes", "error", "SetVariable is for tasks only")],
)
def test_a_trigger_reads_variables_from_a_thread_or_in_the_loop_and_writes_none(
    deferred: Deferred, how: str, outcome: str, words: str
) -> None:
    with deferred.db.write() as tx:
        variables.set_variable(tx, "k", "v")
    wait = deferred.wait("Asks", how=how)
    one = deferred.keeper()
    deferred.until(lambda: wait.key in deferred.events(), one)
    fired = deferred.events()[wait.key]
    assert fired.outcome == outcome and words in (fired.reason or "")
    assert outcome == "error" or serde.loads(fired.payload) == "v"
    with deferred.db.read() as tx:
        assert variables.get_variable(tx, "k") == "v"
