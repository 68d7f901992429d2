"""Random DAGs with setups, teardowns and mapped groups, run by Airflow itself: each of its states is one that the reference of our rules allows.

The reference is the brute force that `tests/unit/rules/engine/test_random_scopes.py` compares the engine with, step by step.
"""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest
from bench.airflow_env import LeftOut, airflow_python, install
from tests.unit.rules.engine.scoped_run import Instance, ScopedRun, States
from tests.unit.rules.engine.test_random_scopes import RandomScopes

from gnomon.model.mapping import LiteralLength

FIRST_SEED = 1_000_000
DAGS = 200
RUN_TIMEOUT_S = 3_600
INSTALL = ("apache-airflow-providers-standard",)
Told = dict[str, Any]


@pytest.mark.soak
@pytest.mark.network
def test_airflow_ends_every_instance_as_our_rules_say(tmp_path: Path) -> None:
    dags = choose_dags()
    told = {seed: tell(dag, seed) for seed, dag in dags.items()}
    answers = run_in_airflow([*told.values()], tmp_path)
    faults = [
        f"seed {seed}: {fault}"
        for seed, answer in zip(dags, answers, strict=True)
        for fault in find_faults(dags[seed], told[seed], answer)
    ]
    instances = sum(len(answer.get("states", ())) for answer in answers)
    print(f"\n{len(answers)} DAGs, {instances} task instances, {len(faults)} faults")
    assert not faults, "\n".join(faults)


def choose_dags() -> dict[int, RandomScopes]:
    """By seed. Without `fail_fast`, where teardowns differ on purpose (airflow-differences.md), and with lengths that are known before the run."""
    chosen: dict[int, RandomScopes] = {}
    seed = FIRST_SEED
    while len(chosen) < DAGS:
        seed += 1
        dag = RandomScopes(seed)
        if not dag.fails_fast and all(isinstance(one.factors[0], LiteralLength) for one in dag.expansions.values()):
            chosen[seed] = dag
    return chosen


def tell(dag: RandomScopes, seed: int) -> Told:
    """A line for `run_scopes_in_airflow.py`: the DAG, and how each instance that runs ends."""
    rng = random.Random(seed)
    reference = ScopedRun(dag.record.spec, dag.lengths)
    rows = []
    for task in dag.tasks:
        groups = reference.groups(task.task_id)
        indices = range(math.prod(dag.lengths[group] for group in groups)) if groups else (-1,)
        rows.append(
            {
                "task_id": task.task_id,
                "upstream": task.upstream,
                "group": task.group,
                "rule": task.trigger_rule,
                "retries": task.retries,
                "kind": "setup" if task.is_setup else "teardown" if task.is_teardown else "task",
                "fails_run": task.on_failure_fail_dagrun,
                "is_empty": not task.runs_code,
                "ends": {str(index): rng.choices(("success", "failed", "skipped"), (6, 2, 1))[0] for index in indices},
            }
        )
    return {"number": seed, "tasks": rows, "groups": dag.groups, "lengths": dag.lengths}


def find_faults(dag: RandomScopes, told: Told, answer: Told) -> list[str]:
    """What our rules do not allow in a run of Airflow."""
    if "error" in answer:
        return [f"Airflow did not run it: {answer['error']}"]
    reference = ScopedRun(dag.record.spec, dag.lengths)
    states = {(task_id, index): state for task_id, index, state in answer["states"]}
    skips_itself = {
        (row["task_id"], int(index))
        for row in told["tasks"]
        if not row["is_empty"]
        for index, end in row["ends"].items()
        if end == "skipped"
    }
    faults = []
    for instance, state in states.items():
        verdicts = reference.verdicts(instance, {}, states, ())
        kinds = {
            state if state in ("skipped", "upstream_failed") else "run",
            *({"run"} if state == "skipped" and instance in skips_itself else ()),
        }
        is_expanded = instance[1] >= 0 or not reference.groups(instance[0])
        if is_expanded and not kinds & verdicts and not is_departure(reference, instance, states):
            faults.append(f"{instance} is {state}; our rules say {sorted(verdicts) or 'wait'}")
    if reference.run_outcome(states) != answer["run"]:
        faults.append(f"the run is {answer['run']}, our rules say {reference.run_outcome(states)}: {states}")
    return faults


def is_departure(reference: ScopedRun, instance: Instance, states: States) -> bool:
    """Whether the state is one of the two that airflow-differences.md names: a skipped task above `all_done_min_one_success`, and a rule that does not wait for the setup."""
    task_id, state = instance[0], states[instance]
    task = reference.tasks[task_id]
    if task.trigger_rule == "all_done_min_one_success" and state == "skipped":
        return any(states[above] == "skipped" for above in reference.related(instance, task.upstream, states))
    awaited, reference.awaited[task_id] = reference.awaited[task_id], set()
    try:
        return (
            bool(awaited)
            and state in ("skipped", "upstream_failed")
            and state in reference.verdicts(instance, {}, states, ())
        )
    finally:
        reference.awaited[task_id] = awaited


def run_in_airflow(told: list[Told], home: Path) -> list[Told]:
    """Airflow's answers, from an installation with an empty database."""
    try:
        python = airflow_python()
        install(python, *INSTALL)
    except LeftOut as reason:
        pytest.fail(f"Airflow cannot be installed: {reason}")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "AIRFLOW", "GNOMON"))},
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
    }
    (home / "dags").mkdir()
    subprocess.run(
        [python, "-m", "airflow", "db", "migrate"],
        env=environment,
        check=True,
        capture_output=True,
        timeout=RUN_TIMEOUT_S,
    )
    done = subprocess.run(
        [python, Path(__file__).parent / "run_scopes_in_airflow.py"],
        input="\n".join(map(json.dumps, told)),
        text=True,
        capture_output=True,
        env=environment,
        timeout=RUN_TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
