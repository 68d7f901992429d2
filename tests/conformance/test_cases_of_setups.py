"""Cases about the scopes of setups, as `dag.test()` runs them: the real scheduler, and the authors' code."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest
from tests.conformance.case_dags import CASES, load_case

from gnomon.author_code.loading import dagfile
from gnomon.author_code.loading.class_loader import load_class
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec

RULES = (
    "all_success",
    "all_done",
    "one_success",
    "none_failed",
    "none_failed_min_one_success",
    "one_done",
    "all_done_min_one_success",
    "none_skipped",
    "one_failed",
    "all_skipped",
)


@pytest.fixture(autouse=True)
def shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The module `show` of the cases: it shows a run when a file is called as a program."""
    monkeypatch.setitem(sys.modules, "show", show := ModuleType("show"))
    show.show = print  # type: ignore[attr-defined]


def _run(name: str) -> tuple[str, dict[str, str]]:
    """The state of a run of a case, and the states of its task instances."""
    run: Any = load_case(name).test()
    return str(run.state), {
        ti.task_id if ti.map_index < 0 else f"{ti.task_id}[{ti.map_index}]": str(ti.state) for ti in run.task_instances
    }


def test_a_task_takes_the_skip_or_failure_of_its_setup_whatever_its_rule_and_its_parents() -> None:
    state, states = _run("setup-indirect-parent")
    assert state == "failed"
    assert {rule: (states[f"skip_{rule}_w2"], states[f"fail_{rule}_w2"]) for rule in RULES} == dict.fromkeys(
        RULES, ("skipped", "upstream_failed")
    )
    assert (states["skip_always_w2"], states["fail_always_w2"]) == ("success", "success"), (
        "as Airflow 3.3.2 runs it: `always` waits for nothing"
    )


def test_a_setup_that_another_rule_follows_directly_is_refused() -> None:
    (dag,) = dagfile.load_dag_file(CASES / "setup-indirect-parent/dag_direct.py").dags.values()
    with pytest.raises(ValueError, match="Setup tasks must be followed with trigger rule ALL_SUCCESS") as refused:
        build_dag_spec(dag, "dag_direct.py", load_class)
    message = str(refused.value)
    assert (
        message.startswith("DAG 'c13': task 'skip_all_done_d' (")
        and "dag_direct.py:19) comes directly after setup 'skip_all_done_s'" in message
    )


def test_in_a_mapped_group_a_failed_setup_fails_its_index_and_the_run() -> None:
    state, states = _run("setup-in-mapped-group")
    assert state == "failed"
    assert [states[f"g.w2[{index}]"] for index in range(3)] == ["success", "skipped", "upstream_failed"]
    assert [states[f"g.t[{index}]"] for index in range(3)] == ["success", "skipped", "upstream_failed"]


def test_a_setup_that_a_branch_leaves_out_leaves_out_its_scope() -> None:
    _, states = _run("setup-skipped-by-branch")
    assert {
        task_id: states[task_id] for task_id in states if task_id.startswith("a_") and states[task_id] != "success"
    } == dict.fromkeys(("a_heavy", "a_wait", "a_light", "a_bench", "a_stop"), "skipped")
    assert {states[task_id] for task_id in ("b_light", "b_bench", "b_stop")} == {"success"}, "without setups"
