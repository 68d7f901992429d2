"""Runs of DAGs in the process of a test: what `dag.test()` and the pytest fixtures stand on."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from gnomon import DAG, BaseOperator, Connection, Variable, task
from gnomon.author_code.loading import cluster_policies, dialect
from gnomon.authoring.sdk.arguments.timezone import utcnow
from gnomon.authoring.sdk.connections.channel import has_channel
from gnomon.authoring.sdk.deferral.triggers import BaseTrigger, TriggerEvent
from gnomon.entry.testing.dag_runs.foreground_run import run_dag
from gnomon.entry.testing.dag_runs.private_store import PrivateStore
from gnomon.entry.testing.dag_runs.task_trial import run_single_task
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import current_config, load_config, set_current_config
from gnomon.model.errors import UserError
from gnomon.model.errors.authoring import AirflowException, AirflowFailException, AirflowNotFoundException
from gnomon.operators import EmptyOperator, PythonSensor, TimeDeltaSensor
from gnomon.queries.report.listings.not_found import NameNotFound

START = 1_767_225_600_000_000


@pytest.fixture(autouse=True)
def _own_search_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != dialect.TREE])


@pytest.fixture
def store() -> Iterator[PrivateStore]:
    made = PrivateStore()
    yield made
    made.close()


def _states(run: Any) -> dict[str, str]:
    return {
        one.task_id if one.map_index < 0 else f"{one.task_id}[{one.map_index}]": str(one.state)
        for one in run.task_instances
    }


def test_a_run_has_branches_mapped_tasks_retries_and_xcoms(store: PrivateStore) -> None:
    calls = []
    with DAG("d", params={"n": 2}) as dag:

        @task
        def numbers(params: Any = None) -> list[int]:
            return list(range(params["n"]))

        @task
        def double(x: int) -> int:
            return 2 * x

        @task(retries=2, retry_delay=timedelta(hours=1))
        def flaky() -> int:
            calls.append(os.environ["AIRFLOW_CTX_TASK_ID"])
            if len(calls) < 3:
                raise AirflowException("not yet")
            return len(calls)

        @task.branch
        def choose() -> str:
            return "left"

        double.expand(x=numbers())
        flaky()
        choose() >> [EmptyOperator(task_id="left"), EmptyOperator(task_id="right")]
    run = run_dag(dag, run_conf={"n": 3}, store=store, logical_date=datetime(2026, 3, 1, tzinfo=UTC))
    assert run.state == "success" and run.is_success and run.conf == {"n": 3}
    assert str(run.logical_date) == "2026-03-01 00:00:00+00:00"
    assert _states(run) == {
        "numbers": "success",
        "double[0]": "success",
        "double[1]": "success",
        "double[2]": "success",
        "flaky": "success",
        "choose": "success",
        "left": "success",
        "right": "skipped",
    }
    flaky_instance = run.get_task_instance("flaky")
    assert flaky_instance is not None and (flaky_instance.try_number, flaky_instance.xcom_pull()) == (3, 3)
    assert flaky_instance.xcom_pull(task_ids="double") == [0, 2, 4]
    assert flaky_instance.xcom_pull(task_ids=["flaky", "numbers"]) == [3, [0, 1, 2]]
    assert flaky_instance.xcom_pull(key="other", default="none") == "none"
    assert [one.map_index for one in run.get_task_instances("skipped")] == [-1]
    with pytest.raises(NameNotFound):
        run.get_task_instance("flakey")
    assert calls == ["flaky"] * 3
    assert "AIRFLOW_CTX_TASK_ID" not in os.environ and not has_channel()


def test_a_failed_task_fails_the_run_and_its_callbacks_are_called(store: PrivateStore) -> None:
    seen: list[str] = []
    with DAG("d", on_failure_callback=lambda context: seen.append(f"run: {context['reason']}")) as dag:

        @task(retries=3, on_failure_callback=lambda context: seen.append(str(context["exception"])))
        def bad() -> None:
            raise AirflowFailException("broken")

        bad() >> EmptyOperator(task_id="after")
    run = run_dag(dag, store=store)
    assert _states(run) == {"bad": "failed", "after": "upstream_failed"}
    assert (
        run.state == "failed"
        and run.reason == "task bad failed: AirflowFailException: broken; not run because of it: after"
    )
    assert seen[0] == "broken" and seen[1].startswith("run: ")
    bad_instance = run.get_task_instance("bad")
    assert bad_instance is not None and bad_instance.reason == "AirflowFailException: broken"


class EventTrigger(BaseTrigger):
    """Fires at once."""

    def __init__(self, word: str) -> None:
        super().__init__()
        self.word = word

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return f"{__name__}.EventTrigger", {"word": self.word}

    async def run(self) -> Any:
        if self.word == "raise":
            raise ValueError("the trigger is broken")
        if self.word == "variable":
            yield TriggerEvent(Variable.get("city"))
        yield TriggerEvent(self.word)


class Deferring(BaseOperator):
    def __init__(self, *, word: str, timeout: timedelta | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.word = word

    def execute(self, context: Any) -> Any:
        self.defer(trigger=EventTrigger(self.word), method_name="resume")

    def resume(self, context: Any, event: Any) -> Any:
        return event


def test_the_hook_of_the_cluster_policies_is_called_and_may_name_any_pool(store: PrivateStore, tmp_path: Path) -> None:
    before = current_config()
    set_current_config(load_config({}, tmp_path))
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "airflow_local_settings.py").write_text(
        "def task_instance_mutation_hook(ti):\n    ti.pool, ti.queue = 'gpu', f'q{ti.try_number}'\n"
    )
    try:
        with DAG("d") as dag:

            @task
            def look(ti: Any = None) -> list[str]:
                return [ti.pool, ti.queue]

            look()
        run = run_dag(dag, store=store)
        assert run.state == "success" and run.get_task_instance("look").xcom_pull() == ["gpu", "q0"]
    finally:
        cluster_policies.forget_policies()
        set_current_config(before)


def test_triggers_run_in_this_process(store: PrivateStore) -> None:
    store.set_variable("city", "Basel")
    with DAG("d") as dag:
        for word in ("one", "two", "raise", "variable"):
            Deferring(task_id=word, word=word)
    run = run_dag(dag, store=store)
    assert _states(run) == {"one": "success", "two": "success", "raise": "failed", "variable": "success"}
    found = [run.get_task_instance(name) for name in ("one", "variable", "raise")]
    assert [one.xcom_pull() for one in found if one is not None] == ["one", "Basel", None]
    assert found[2] is not None and "the trigger is broken" in str(found[2].reason)


def test_a_run_inside_a_running_event_loop_as_in_a_notebook(store: PrivateStore) -> None:
    with DAG("d") as dag:
        Deferring(task_id="one", word="one")

    async def cell() -> Any:
        return run_dag(dag, store=store)

    assert asyncio.run(cell()).state == "success"


def test_a_virtual_clock_waits_for_no_timer(store: PrivateStore) -> None:
    clock, pokes = VirtualClock(START), []
    with DAG("d") as dag:
        PythonSensor(
            task_id="sensor",
            python_callable=lambda: pokes.append(1) or len(pokes) > 3,
            mode="reschedule",
            poke_interval=3600,
        )
    run = run_dag(dag, store=store, clock=clock)
    assert run.state == "success" and len(pokes) == 4
    assert START + 3 * 3600 * 1_000_000 <= clock.now() <= START + 3 * 3601 * 1_000_000
    with pytest.raises(UserError, match="virtual clock"):
        run_dag(dag, store=store, clock=clock, use_executor=True)


def test_a_virtual_clock_is_the_clock_of_tasks_sensors_and_triggers(store: PrivateStore) -> None:
    clock, pokes = VirtualClock(START), []
    with DAG("d") as dag:
        PythonSensor(task_id="poking", python_callable=lambda: pokes.append(1) or len(pokes) > 2, poke_interval=7200)
        TimeDeltaSensor(task_id="deferring", delta=timedelta(hours=20), deferrable=True)

        @task
        def now() -> str:
            return utcnow().isoformat()

        now()
    run = run_dag(dag, store=store, clock=clock, logical_date=datetime(2026, 1, 1, tzinfo=UTC))
    assert set(_states(run).values()) == {"success"}
    found = run.get_task_instance("now")
    assert found is not None and found.xcom_pull().startswith("2026-01-01T")
    assert clock.now() >= START + 20 * 3600 * 1_000_000


def test_marked_tasks_are_not_run(store: PrivateStore) -> None:
    with DAG("d") as dag:

        @task
        def send_mail() -> None:
            raise AssertionError("was run")

        send_mail() >> EmptyOperator(task_id="after")
    assert run_dag(dag, mark_success_pattern="send_.*", store=store).state == "success"
    assert run_dag(dag, mark_success_pattern="send", store=store).state == "failed"
    with pytest.raises(UserError, match="not a regular expression"):
        run_dag(dag, mark_success_pattern="(", store=store)


def test_one_task_runs_alone(store: PrivateStore) -> None:
    with DAG("d") as dag:

        @task
        def extract() -> None:
            raise AssertionError("was run")

        @task(trigger_rule="one_failed")
        def add(x: int, y: int) -> int:
            return x + y

        add(extract(), 2) >> EmptyOperator(task_id="after")
    (found,) = run_single_task(dag.get_task("add"), store, None, xcoms={"extract": 40})
    assert (found.state, found.xcom_pull()) == ("success", 42)
    with pytest.raises(NameNotFound, match="extract"):
        run_single_task(dag.get_task("add"), store, None, xcoms={"extrac": 40})
    with pytest.raises(UserError, match="the task that is run"):
        run_single_task(dag.get_task("add"), store, None, xcoms={"add": 40})


FILES = {
    "c.json": '{"db": "postgres://u:p@host:1/s", "api": {"conn_type": "http", "host": "h", "extra": {"a": 1}}}',
    "c.yaml": "db: postgres://u:p@host:1/s\napi:\n  conn_type: http\n  host: h\n  extra_dejson:\n    a: 1\n",
    "c.env": "# comment\n\ndb=postgres://u:p@host:1/s\napi=http://h/?a=1\n",
}
VARIABLES = {
    "v.json": '{"city": "Basel", "list": [1, 2]}',
    "v.yml": "city: Basel\nlist: [1, 2]\n",
    "v.env": "city=Basel\nlist=[1, 2]\n",
}


@pytest.mark.parametrize(("connections", "variables"), list(zip(FILES, VARIABLES, strict=True)))
def test_files_of_connections_and_variables_take_precedence(
    connections: str, variables: str, tmp_path: Path, store: PrivateStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / connections).write_text(FILES[connections])
    (tmp_path / variables).write_text(VARIABLES[variables])
    monkeypatch.setenv("AIRFLOW_VAR_CITY", "from the environment")
    with DAG("d") as dag:

        @task
        def read() -> list[Any]:
            api = Connection.get("api")
            return [
                Connection.get("db").host,
                api.host,
                str(api.extra_dejson["a"]),
                Variable.get("city"),
                Variable.get("list", deserialize_json=True),
            ]

        read()
    run = run_dag(
        dag, conn_file_path=str(tmp_path / connections), variable_file_path=str(tmp_path / variables), store=store
    )
    found = run.get_task_instance("read")
    assert found is not None and found.xcom_pull() == ["host", "h", "1", "Basel", [1, 2]]
    assert os.environ["AIRFLOW_VAR_CITY"] == "from the environment"


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("v.json", '{"a": 1,\n}', "line 2: not valid JSON"),
        ("v.yaml", "a: 1\nb: [", "v.yaml, line"),
        ("v.env", "A=1\nnonsense", "line 2: write NAME=VALUE"),
        ("v.txt", "a", "name it .env, .json, .yaml or .yml"),
        ("v.json", "[1]", "a list at the top"),
    ],
)
def test_a_file_that_is_not_valid_is_named_with_its_line(
    name: str, text: str, says: str, tmp_path: Path, store: PrivateStore
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UserError, match=says.replace("[", r"\[")):
        run_dag(DAG("d"), variable_file_path=str(tmp_path / name), store=store)
    with pytest.raises(UserError, match="cannot be read"):
        run_dag(DAG("d"), variable_file_path=str(tmp_path / "missing.json"), store=store)


def test_a_store_is_empty_and_its_own(store: PrivateStore) -> None:
    store.set_connection("db", {"conn_type": "postgres", "host": "h", "port": 5432})
    with DAG("d") as dag:

        @task
        def use() -> str:
            Variable.set("written", "yes")
            with pytest.raises(AirflowNotFoundException):
                Connection.get("other")
            return Connection.get("db").get_uri()

        use()
    run = run_dag(dag, store=store)
    found = run.get_task_instance("use")
    assert found is not None and found.xcom_pull() == "postgres://h:5432"
    assert store.get_variable("written") == "yes"
    folder = store.folder
    other = PrivateStore()
    assert other.get_variable("written") is None
    other.close()
    store.close()
    assert not folder.exists()


def test_ctrl_c_and_a_debugger_end_the_run(store: PrivateStore) -> None:
    with DAG("d") as dag:

        @task(retries=3)
        def interrupted() -> None:
            raise KeyboardInterrupt

        interrupted()
    with pytest.raises(KeyboardInterrupt):
        run_dag(dag, store=store)
    assert not has_channel()


def test_a_conf_that_does_not_fit_is_refused(store: PrivateStore) -> None:
    from gnomon import Param

    with DAG("d", params={"n": Param(1, type="integer")}) as dag:
        EmptyOperator(task_id="t")
    with pytest.raises(UserError, match="run_conf does not fit the params of DAG 'd'"):
        run_dag(dag, run_conf={"n": "x"}, store=store)


def test_methods_of_the_metadata_database_say_what_to_use() -> None:
    dag = DAG("d")
    with pytest.raises(AttributeError, match=r"dag.create_dagrun .* use the run that dag.test\(\) returns"):
        _ = dag.create_dagrun
    assert not hasattr(dag, "something_else")
