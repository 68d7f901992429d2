"""Cluster policies at the parse of a file: violations, policies that hang, a policy file that changes."""

from __future__ import annotations

from pathlib import Path

from .conftest import Home, Parser

VIOLATION = """
from airflow.exceptions import AirflowClusterPolicyViolation
def dag_policy(dag):
    if dag.dag_id == "bad":
        raise AirflowClusterPolicyViolation(f"DAG {dag.dag_id} has no tag")
"""


def write_policies(home: Home, text: str) -> Path:
    path = home.folder / "config" / "airflow_local_settings.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_a_violation_is_the_error_of_its_dag_only(home: Home, parser: Parser) -> None:
    write_policies(home, VIOLATION)
    both = Path(home.one_dag("good.py")).read_text() + Path(home.one_dag("bad.py")).read_text()
    parsed = parser.parse(home.write("both.py", both))
    assert [dag.spec.dag_id for dag in parsed.dags] == ["good"]
    (failure,) = parsed.failures
    assert (failure.kind, "DAG bad has no tag" in failure.message) == ("dag", True)


def test_a_policy_that_hangs_is_a_timeout_that_names_the_policys_line(home: Home, parser: Parser) -> None:
    path = write_policies(
        home,
        "def task_policy(task):\n    while True:\n        pass\n\ndef get_dagbag_import_timeout(path):\n    return 0.2\n",
    )
    (failure,) = parser.parse(home.one_dag("flow.py")).failures
    assert (
        failure.kind == "timeout"
        and "the import took longer than 0.2 s" in failure.message
        and f"(at {path}, line " in failure.message
    )


def test_the_policy_file_is_an_input_of_every_parse_also_while_it_is_missing(home: Home, parser: Parser) -> None:
    flow = home.one_dag("flow.py")
    before = parser.parse(flow)
    path = home.folder / "config" / "airflow_local_settings.py"
    assert str(path) in dict(before.inputs.paths)
    write_policies(home, "def dag_policy(dag):\n    dag.max_active_runs = 3\n")
    after = parser.parse(flow)
    assert before.inputs.input_hash != after.inputs.input_hash
    assert [dag.spec.max_active_runs for dag in after.dags] == [3]


def test_the_hook_of_task_instances_is_part_of_the_spec(home: Home, parser: Parser) -> None:
    flow = home.one_dag("flow.py")
    before = parser.parse(flow).dags[0]
    write_policies(home, "def task_instance_mutation_hook(task_instance):\n    ...\n")
    after = parser.parse(flow).dags[0]
    assert (before.spec.mutates_instances, after.spec.mutates_instances) == (False, True)
    assert before.spec_hash != after.spec_hash, "another version, so that unfinished runs follow"


def test_listeners_of_plugins_are_part_of_the_spec(home: Home, parser: Parser) -> None:
    flow = home.one_dag("flow.py")
    assert parser.parse(flow).dags[0].spec.run_listeners == ()
    (home.plugins / "watch.py").write_text(
        "import sys\nfrom airflow.listeners import hookimpl\nfrom airflow.plugins_manager import AirflowPlugin\n"
        "@hookimpl\ndef on_dag_run_failed(dag_run, msg): ...\n"
        "class Watch(AirflowPlugin):\n    name = 'watch'\n    listeners = [sys.modules[__name__]]\n"
    )
    assert parser.parse(flow).dags[0].spec.run_listeners == ("run_failed",)
