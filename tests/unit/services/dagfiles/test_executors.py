"""`executor=` at the parse of a file: an executor that is not configured is an import error that names file, task and remedy."""

from __future__ import annotations

import pytest

from .conftest import Home, Parser
from .test_cluster_policies import write_policies

FLOW = """
    from gnomon.authoring.operators.empty import EmptyOperator
    from gnomon.authoring.sdk.dags.dag import DAG

    with DAG("flow", schedule=None, default_args={default}):
        EmptyOperator(task_id="only"{argument})
    with DAG("good", schedule=None):
        EmptyOperator(task_id="only")
"""


@pytest.mark.parametrize(("default", "argument"), [("None", ", executor='K'"), ("{'executor': 'K'}", "")])
def test_an_executor_that_is_not_configured_is_an_error_of_its_dag(
    home: Home, parser: Parser, default: str, argument: str
) -> None:
    path = home.write("flow.py", FLOW.format(default=default, argument=argument))
    parsed = parser.parse(path)
    assert [dag.spec.dag_id for dag in parsed.dags] == ["good"]
    (failure,) = parsed.failures
    assert failure.message.startswith(
        f"{path}, line 6: UnknownExecutorException: task 'only' of DAG 'flow' ({path}:6) names the executor 'K', which is not configured"
    )
    assert failure.message.endswith(
        "the executor is LocalExecutor; use one of these names, or add it to [core] executor."
    )


@pytest.mark.parametrize("name", ["LocalExecutor", "airflow.executors.local_executor.LocalExecutor"])
def test_a_configured_executor_is_in_the_spec_as_the_author_wrote_it(home: Home, parser: Parser, name: str) -> None:
    parsed = parser.parse(home.write("flow.py", FLOW.format(default="None", argument=f", executor={name!r}")))
    assert not parsed.failures and not parsed.warnings
    assert [task.executor for dag in parsed.dags for task in dag.spec.tasks] == [name, None]


def test_a_policy_sets_the_executor_of_a_task_and_an_unknown_one_is_an_error(home: Home, parser: Parser) -> None:
    path = home.write("flow.py", FLOW.format(default="None", argument=""))
    write_policies(home, "def task_policy(task):\n    task.executor = 'LocalExecutor'\n")
    assert {task.executor for dag in parser.parse(path).dags for task in dag.spec.tasks} == {"LocalExecutor"}
    write_policies(home, "def task_policy(task):\n    task.executor = 'K'\n")
    assert [failure.message.count("names the executor 'K'") for failure in parser.parse(path).failures] == [1, 1]


def test_another_configuration_parses_the_files_again(home: Home, parser: Parser) -> None:
    path = home.write("flow.py", FLOW.format(default="None", argument=", executor='big'"))
    before = parser.parse(path)
    cfg = home.config(core__executor="big:airflow.executors.local_executor.LocalExecutor")
    other = Parser(cfg)
    try:
        after = other.parse(path)
    finally:
        other.pool.close()
    assert (len(before.failures), len(after.failures)) == (1, 0)
    assert before.inputs.input_hash != after.inputs.input_hash
