"""Marks of hooks, listeners of plugins, and cluster policies: which functions are found, how they are called, and what their errors say."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pluggy
import pytest

from gnomon.author_code.loading import cluster_policies, listeners
from gnomon.author_code.loading.cluster_policies import ClusterPolicyFailed
from gnomon.author_code.loading.dagfile import LoadedFile, load_dag_file
from gnomon.author_code.loading.hooks import LISTENER_MARK, HookMarker, list_implementations
from gnomon.author_code.runner import listener_calls
from gnomon.ground.config import load_config, set_current_config
from gnomon.model.run_callbacks import CallbackKind, CallbackRequest
from gnomon.model.states import TaskInstanceState

DAGS = """
from gnomon.authoring.operators.empty import EmptyOperator
from gnomon.authoring.sdk import DAG
for name in ("one", "two"):
    with DAG(name, schedule=None):
        EmptyOperator(task_id="a")
        EmptyOperator(task_id="b", retries=9)
"""
Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Iterator[Write]:
    """Write a file of a home whose options are current."""
    set_current_config(load_config({}, tmp_path))
    path, modules = list(sys.path), dict(sys.modules)
    listeners.forget_listeners()

    def at(name: str, text: str) -> Path:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    yield at
    sys.path[:] = path
    for name in sys.modules.keys() - modules.keys():
        if not name.startswith(("gnomon", "airflow")):
            del sys.modules[name]
    cluster_policies.forget_policies()
    listeners.forget_listeners()


def load(write: Write, policies: str) -> LoadedFile:
    write("config/airflow_local_settings.py", policies)
    return load_dag_file(write("dags/flow.py", DAGS))


# ---- marks -----------------------------------------------------------------------------------------------------------
def test_functions_that_pluggy_marks_are_found_as_those_of_gnomons_marker() -> None:
    ours, theirs = HookMarker("airflow"), pluggy.HookimplMarker("airflow")

    class Both:
        @ours
        def on_dag_run_success(self, msg: str) -> str:
            return f"ours {msg}"

        @theirs(specname="on_dag_run_failed", tryfirst=True)
        def other(self, dag_run: Any) -> str:
            return f"theirs {dag_run}"

        @theirs(hookwrapper=True)
        def on_dag_run_running(self) -> Iterator[None]:
            yield

        def on_starting(self) -> None: ...

    found = {one.name: one for one in list_implementations(Both(), LISTENER_MARK)}
    assert found.keys() == {"on_dag_run_success", "on_dag_run_failed"}
    arguments = {"dag_run": "r", "msg": "m"}
    assert [found[name].call(arguments) for name in sorted(found)] == ["theirs r", "ours m"]
    assert found["on_dag_run_failed"].order == -1 and f"{__file__}, line " in found["on_dag_run_success"].place
    with pytest.raises(TypeError, match="hookimpl has no option 'first'"):
        ours(first=True)


# ---- listeners -------------------------------------------------------------------------------------------------------
LISTENER = """
import sys
from airflow.listeners import hookimpl
from airflow.plugins_manager import AirflowPlugin
SEEN = []

@hookimpl
def on_task_instance_failed(previous_state, task_instance, error):
    SEEN.append((previous_state, task_instance, error))
    raise ValueError("no room")

class Other:
    @hookimpl
    def on_task_instance_failed(self, task_instance):
        SEEN.append(task_instance)

    @hookimpl
    def on_dag_run_success(self, dag_run, msg):
        SEEN.append((dag_run, msg))

class Plugin(AirflowPlugin):
    name = "watch"
    listeners = [sys.modules[__name__], Other()]
"""


def test_every_listener_is_called_and_one_that_raises_is_named(write: Write) -> None:
    file = write("plugins/watch_plugin.py", LISTENER)
    assert listeners.describe_listeners() == {
        "run_listeners": (CallbackKind.RUN_SUCCEEDED.value,),
        "calls_task_listeners": True,
    }
    (failure,) = listener_calls.call_task_listeners("failed", TaskInstanceState.RUNNING, "ti", "error")
    assert failure == f"listener on_task_instance_failed ({file}, line 7) failed: ValueError: no room"
    request = CallbackRequest(kind=CallbackKind.RUN_SUCCEEDED, reason="success")
    assert listener_calls.call_run_listeners(request, {"dag_run": "run"}) == []
    assert sys.modules["watch_plugin"].SEEN == [(TaskInstanceState.RUNNING, "ti", "error"), "ti", ("run", "success")]


def test_a_listener_that_hangs_is_ended(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener_calls, "LISTENER_TIMEOUT_S", 0.05)

    class Slow:
        @LISTENER_MARK
        def on_task_instance_success(self) -> None:
            while True:
                time.sleep(0.001)

    write("plugins/none.py", "")
    listeners.get_listener_manager().add_listener(Slow())
    (failure,) = listener_calls.call_task_listeners("success", TaskInstanceState.RUNNING, "ti")
    assert failure.endswith("ran for longer than 0.05 s and was ended")


def test_without_plugins_there_are_no_listeners(write: Write) -> None:
    write("plugins/plain.py", "raise AssertionError('a module without a plugin is not imported')")
    assert listeners.describe_listeners() == {"run_listeners": (), "calls_task_listeners": False}


# ---- policies --------------------------------------------------------------------------------------------------------
def test_policies_change_dags_and_tasks(write: Write) -> None:
    loaded = load(
        write,
        "def task_policy(t):\n    t.retries = min(t.retries, 2)\n\ndef dag_policy(dag):\n    dag.tags.add('checked')\n",
    )
    dag = loaded.dags["one"]
    assert (dag.tags, [task.retries for task in dag.tasks]) == ({"checked"}, [0, 2])


def test_a_violation_refuses_one_dag_and_a_skip_leaves_one_out(write: Write) -> None:
    loaded = load(
        write,
        """
from airflow.exceptions import AirflowClusterPolicySkipDag, AirflowClusterPolicyViolation
def dag_policy(dag):
    if dag.dag_id == "one":
        raise AirflowClusterPolicyViolation(f"DAG {dag.dag_id} has no owner")
    raise AirflowClusterPolicySkipDag("not here")
""",
    )
    assert loaded.dags == {}
    assert {dag_id: str(error) for dag_id, error in loaded.refused.items()} == {"one": "DAG one has no owner"}
    assert loaded.warnings[-1].endswith("DAG 'two' is left out by a cluster policy: not here")


def test_a_policy_that_raises_is_named_with_file_and_line(write: Write, tmp_path: Path) -> None:
    loaded = load(write, "def task_policy(task):\n    if task.task_id == 'b':\n        return {}['x']\n")
    place = f"{tmp_path}/config/airflow_local_settings.py, line 3"
    assert (
        str(loaded.refused["one"])
        == f"the cluster policy task_policy failed at {place}: KeyError: 'x'; correct the policy, or remove it"
    )


def test_policies_that_cannot_be_loaded_fail_the_file(write: Write, tmp_path: Path) -> None:
    with pytest.raises(
        ClusterPolicyFailed,
        match=f"the cluster policies cannot be loaded: {tmp_path}/config/airflow_local_settings.py, line 2: ZeroDivisionError",
    ):
        load(write, "import os\n1 / 0\n")


def test_all_names_the_policies_where_it_is_given(write: Write) -> None:
    loaded = load(
        write,
        "__all__ = ['dag_policy']\ndef dag_policy(dag):\n    dag.tags.add('x')\ndef task_policy(task):\n    raise AssertionError\n",
    )
    assert loaded.dags["one"].tags == {"x"} and loaded.refused == {}


def test_hooks_that_are_called_later_are_no_warning(write: Write) -> None:
    loaded = load(write, "def pod_mutation_hook(pod): ...\ndef task_instance_mutation_hook(task_instance): ...\n")
    assert list(loaded.warnings) == [] and cluster_policies.load_policies().has("pod_mutation_hook")
    assert cluster_policies.describe_policies() == {"mutates_instances": True}


def test_the_import_timeout_and_the_context_variables_are_asked_for(write: Write) -> None:
    load(
        write,
        "def get_dagbag_import_timeout(path):\n    return 7 if 'slow' in path else 0\ndef get_airflow_context_vars(context):\n    return {'TEAM': 'us'}\n",
    )
    assert [cluster_policies.find_import_timeout(path) for path in ("/slow.py", "/x.py")] == [7.0, 0.0]
    assert cluster_policies.collect_context_variables({}) == {"TEAM": "us"}
    write("config/airflow_local_settings.py", "def get_dagbag_import_timeout(path):\n    return 'long'\n")
    with pytest.raises(
        ClusterPolicyFailed, match="get_dagbag_import_timeout returned 'long' for /x.py; return a number of seconds"
    ):
        cluster_policies.find_import_timeout("/x.py")


def test_without_a_policy_file_nothing_is_called(write: Write) -> None:
    assert load_dag_file(write("dags/flow.py", DAGS)).dags.keys() == {"one", "two"}
    assert cluster_policies.find_import_timeout("/x.py") is None


def test_properties_of_a_listener_are_not_read_when_its_hooks_are_looked_for() -> None:
    class Listener:
        @property
        def pool(self) -> object:
            raise AssertionError("read")

        @LISTENER_MARK
        def on_dag_run_success(self, msg: str) -> None: ...

    assert [one.name for one in list_implementations(Listener(), LISTENER_MARK)] == ["on_dag_run_success"]


def test_a_hook_that_is_never_called_is_named_in_the_log(write: Write, caplog: pytest.LogCaptureFixture) -> None:
    write("plugins/watch_plugin.py", LISTENER.replace("on_dag_run_success", "on_moonrise"))
    assert listeners.describe_listeners()["run_listeners"] == ()
    assert "plugin watch: the hook on_moonrise is never called" in caplog.text


def test_a_hook_of_components_says_where_it_is_called(write: Write, caplog: pytest.LogCaptureFixture) -> None:
    write("plugins/watch_plugin.py", LISTENER.replace("on_dag_run_success", "on_starting"))
    assert listeners.describe_listeners()["calls_task_listeners"]
    assert (
        "plugin watch: on_starting and before_stopping are called in processes of tasks and of run listeners only"
        in caplog.text
    )
