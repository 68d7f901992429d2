"""Functions that run in another interpreter: their source, arguments, context and result; and the environments built for them."""

from __future__ import annotations

import datetime as dt
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gnomon.authoring.operators.interpreter_call import read_function_source
from gnomon.authoring.operators.python_environments import (
    EnvironmentSpec,
    find_or_build_environment,
    prepare_virtualenv,
)
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.tasks.task_decorators import task
from gnomon.ground.config import load_config, set_current_config
from gnomon.model.errors.authoring import (
    AirflowException,
    AirflowSkipException,
    DeserializingResultError,
    DownstreamTasksSkipped,
)
from gnomon.operators import (
    BranchExternalPythonOperator,
    EmptyOperator,
    ExternalPythonOperator,
    PythonVirtualenvOperator,
)

Execute = Callable[..., Any]


def _external(function: Callable[..., Any], **kwargs: Any) -> ExternalPythonOperator:
    return ExternalPythonOperator(task_id="t", python=sys.executable, python_callable=function, **kwargs)


@pytest.mark.ordinary
def test_the_function_gets_its_arguments_and_plain_context_values(dag: DAG, execute: Execute) -> None:
    def function(first, second, ds, logical_date, ti=None, **context):  # type: ignore[no-untyped-def]
        import os
        import sys

        words = (first, second, ds, logical_date.isoformat(), ti, sys.argv[0] != "", os.environ["MINE"])
        return words, sorted(set(context) & {"run_id", "params", "dag", "task"}), virtualenv_string_args  # type: ignore[name-defined] # noqa: F821

    told = execute(
        _external(
            function,
            op_args=["{{ ds_nodash }}"],
            op_kwargs={"second": {1, 2}},
            string_args=["a", 2],
            env_vars={"MINE": "yes"},
        )
    )
    assert told == (
        ("20240304", {1, 2}, "2024-03-04", "2024-03-04T00:00:00+00:00", None, True, "yes"),
        ["params", "run_id"],
        ["a", "2"],
    )


@pytest.mark.ordinary
def test_dates_are_pendulums_where_pendulum_is_installed_and_the_context_is_the_current_one(
    dag: DAG, execute: Execute
) -> None:
    def function(data_interval_start):  # type: ignore[no-untyped-def]
        from airflow.sdk import get_current_context

        return type(data_interval_start).__name__, data_interval_start.timezone_name, get_current_context()["ds"]

    assert execute(_external(function)) == ("DateTime", "UTC", "2024-03-04")


def test_a_context_key_that_cannot_be_passed_is_refused_by_name(dag: DAG, execute: Execute) -> None:
    def function(ti):  # type: ignore[no-untyped-def]
        return ti

    with pytest.raises(
        AirflowException, match=r"'t' takes 'ti' from the task context, which cannot be passed.*op_kwargs"
    ):
        execute(_external(function))


def test_an_argument_that_cannot_be_serialized_is_named(dag: DAG, execute: Execute) -> None:
    def function(good, bad):  # type: ignore[no-untyped-def]
        return good, bad

    with pytest.raises(AirflowException, match=r"Task 't' cannot pass 'bad' to another interpreter"):
        execute(_external(function, op_kwargs={"good": 1, "bad": threading.Lock()}))


@pytest.mark.ordinary
def test_an_exception_of_the_function_fails_the_task_with_its_text(dag: DAG, execute: Execute) -> None:
    def function():  # type: ignore[no-untyped-def]
        raise ValueError("no such customer")

    with pytest.raises(AirflowException, match=r"exit status 1\.\nValueError: no such customer"):
        execute(_external(function))


@pytest.mark.ordinary
@pytest.mark.parametrize("codes", [7, [7, 8]])
def test_an_exit_code_can_skip_the_task(dag: DAG, execute: Execute, codes: Any) -> None:
    def function():  # type: ignore[no-untyped-def]
        import sys

        sys.exit(7)

    with pytest.raises(AirflowSkipException, match="exited with code 7"):
        execute(_external(function, skip_on_exit_code=codes))
    with DAG("other", schedule=None), pytest.raises(AirflowException, match="exit status 7"):
        execute(_external(function))


@pytest.mark.ordinary
def test_the_environment_of_the_worker_can_be_left_out(
    dag: DAG, execute: Execute, monkeypatch: pytest.MonkeyPatch
) -> None:
    def function():  # type: ignore[no-untyped-def]
        import os

        return os.environ.get("OF_THE_WORKER"), os.environ.get("MINE")

    monkeypatch.setenv("OF_THE_WORKER", "1")
    assert execute(_external(function)) == ("1", None)
    with DAG("other", schedule=None):
        assert execute(_external(function, inherit_env=False, env_vars={"MINE": "2"})) == (None, "2")


@pytest.mark.ordinary
def test_a_result_that_cannot_be_read_here_says_so(dag: DAG, execute: Execute) -> None:
    def function():  # type: ignore[no-untyped-def]
        import sys
        import types

        module = types.ModuleType("only_there")
        exec("class Thing: pass", vars(module))
        module.Thing.__module__ = "only_there"
        sys.modules["only_there"] = module
        return module.Thing()

    with pytest.raises(DeserializingResultError, match=r"result of task 't' cannot be read here.*only_there"):
        execute(_external(function))


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"python_callable": lambda: 1}, ValueError, "only supports functions"),
        (
            {"serializer": "json"},
            AirflowException,
            "Unsupported serializer 'json'.*Expected one of 'pickle', 'cloudpickle', 'dill'",
        ),
        ({"serializer": "pickle", "use_dill": True}, AirflowException, "use_dill and serializer='pickle'"),
        ({"python": ""}, ValueError, "Python Path must be defined"),
    ],
)
def test_arguments_that_cannot_work_are_refused(
    dag: DAG, change: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        ExternalPythonOperator(**{"task_id": "t", "python": sys.executable, "python_callable": _plain, **change})


def test_a_generator_is_refused(dag: DAG) -> None:
    def function():  # type: ignore[no-untyped-def]
        yield 1

    with pytest.raises(ValueError, match="'yield'"):
        _external(function)


@pytest.mark.parametrize(("python", "words"), [("/no/such/python", "must exist"), ("/tmp", "must be a file")])
def test_an_interpreter_that_is_not_there_is_named(dag: DAG, execute: Execute, python: str, words: str) -> None:
    with pytest.raises(ValueError, match=f"{python}' of task 't' {words}"):
        execute(ExternalPythonOperator(task_id="t", python=python, python_callable=_plain))


@pytest.mark.ordinary
def test_a_branch_follows_what_the_other_interpreter_says(dag: DAG, execute: Execute) -> None:
    def function():  # type: ignore[no-untyped-def]
        return "left"

    branch = BranchExternalPythonOperator(task_id="branch", python=sys.executable, python_callable=function)
    branch >> [EmptyOperator(task_id="left"), EmptyOperator(task_id="right")]
    with pytest.raises(DownstreamTasksSkipped) as raised:
        execute(branch)
    assert raised.value.task_ids == ["right"]


@pytest.mark.ordinary
def test_a_decorated_function_runs_without_its_decorator(dag: DAG, execute: Execute) -> None:
    @task.external_python(
        python=sys.executable,
        multiple_outputs=True,
    )
    def double(x: int):  # type: ignore[no-untyped-def]
        """Twice as much."""
        return {"x": 2 * x}

    made = double(4).operator
    assert execute(made) == {"x": 8}
    assert made.custom_operator_name == "@task.external_python"
    assert "external_python" not in read_function_source(double.function)


@pytest.mark.ordinary
def test_a_decorated_branch_chooses(dag: DAG, execute: Execute) -> None:
    @task.branch_external_python(python=sys.executable)
    def choose():  # type: ignore[no-untyped-def]
        return ["right"]

    made = choose().operator
    made >> [EmptyOperator(task_id="left"), EmptyOperator(task_id="right")]
    with pytest.raises(DownstreamTasksSkipped) as raised:
        execute(made)
    assert raised.value.task_ids == ["left"]


def _plain() -> int:
    return 1


# ---- environments ----------------------------------------------------------------------------------------------------
@pytest.mark.ordinary
def test_an_environment_is_built_for_the_task_and_kept_in_a_cache(dag: DAG, execute: Execute, tmp_path: Path) -> None:
    def function():  # type: ignore[no-untyped-def]
        import sys

        return sys.prefix

    made = PythonVirtualenvOperator(task_id="t", python_callable=function, venv_cache_path=str(tmp_path / "{{ ds }}"))
    os.environ["AIRFLOW_VAR_PYTHON_VIRTUALENV_OPERATOR_CACHE_KEY"] = "1"
    try:
        first = execute(made)
        marker = Path(first) / "install_complete_marker.json"
        written = marker.stat().st_mtime_ns
        assert execute(made) == first
    finally:
        del os.environ["AIRFLOW_VAR_PYTHON_VIRTUALENV_OPERATOR_CACHE_KEY"]
    assert Path(first).parent == tmp_path / "2024-03-04"
    assert marker.stat().st_mtime_ns == written


PIP_FAILS = """#!/bin/sh
if [ "$2" = venv ]; then mkdir -p "$(echo "$@" | sed 's/.* //')/bin"; cp "$0" "$(echo "$@" | sed 's/.* //')/bin/python"; exit 0; fi
echo "Collecting nothing"
echo "ERROR: No matching distribution found for nothing==1"
exit 1
"""


def _program(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)


@pytest.mark.ordinary
def test_requirements_that_cannot_be_installed_end_with_the_output_of_pip(
    dag: DAG, execute: Execute, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _program(tmp_path / "bin", "python3.99", PIP_FAILS)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    set_current_config(load_config({"GNOMON__STANDARD__VENV_INSTALL_METHOD": "pip"}, tmp_path))
    cache = tmp_path / "cache"
    monkeypatch.setenv("AIRFLOW_VAR_PYTHON_VIRTUALENV_OPERATOR_CACHE_KEY", "1")
    made = PythonVirtualenvOperator(
        task_id="t", python_callable=_plain, requirements=["nothing==1"], python_version="3.99", venv_cache_path=cache
    )
    with pytest.raises(
        AirflowException,
        match=r"environment of task 't' could not be built.*No matching distribution.*nothing==1: correct them",
    ):
        execute(made)
    assert [path.name for path in cache.iterdir() if path.is_dir()] == []


@pytest.mark.ordinary
def test_a_python_that_is_not_installed_is_named(dag: DAG, execute: Execute, tmp_path: Path) -> None:
    set_current_config(load_config({"GNOMON__STANDARD__VENV_INSTALL_METHOD": "pip"}, tmp_path))
    made = PythonVirtualenvOperator(task_id="t", python_callable=_plain, python_version="3.0")
    with pytest.raises(AirflowException, match=r"no program 'python3.0' is in PATH"):
        execute(made)


RECORDS = """#!/bin/sh
echo "uv $@ default=$UV_DEFAULT_INDEX more=$UV_INDEX" >> "$RECORD"
"""


@pytest.mark.ordinary
def test_uv_is_used_when_it_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _program(tmp_path / "bin", "uv", RECORDS)
    record = tmp_path / "record"
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("RECORD", str(record))
    made = prepare_virtualenv(
        str(tmp_path / "venv"),
        "python3",
        True,
        requirements=["a", "b==1"],
        pip_install_options=["--no-deps"],
        index_urls=["https://one.example/simple", "https://two.example/simple"],
    )
    assert made == f"{tmp_path}/venv/bin/python"
    urls = "default=https://one.example/simple more=https://two.example/simple"
    assert record.read_text().splitlines() == [
        f"uv venv --allow-existing --seed --python python3 --system-site-packages {tmp_path}/venv {urls}",
        f"uv pip install --python {tmp_path}/venv/bin/python --no-deps a b==1 {urls}",
    ]


def test_an_install_method_that_is_missing_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    set_current_config(load_config({"GNOMON__STANDARD__VENV_INSTALL_METHOD": "uv"}, tmp_path))
    with pytest.raises(AirflowException, match="no program `uv` is in PATH. Install uv"):
        prepare_virtualenv(str(tmp_path / "venv"), "python3", True)


@pytest.mark.ordinary
def test_processes_that_need_the_same_environment_build_it_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _program(tmp_path / "bin", "uv", RECORDS)
    record = tmp_path / "record"
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("RECORD", str(record))
    spec = EnvironmentSpec(requirements=("a",))
    threads = [
        threading.Thread(target=find_or_build_environment, args=(tmp_path / "cache", spec, "t")) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(record.read_text().splitlines()) == 2


@pytest.mark.ordinary
def test_an_environment_that_was_not_finished_is_built_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _program(tmp_path / "bin", "uv", RECORDS)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("RECORD", str(tmp_path / "record"))
    spec = EnvironmentSpec(requirements=("a",))
    folder = tmp_path / spec.cache_name()
    folder.mkdir()
    (folder / "half").touch()
    assert find_or_build_environment(tmp_path, spec, "t") == folder / "bin" / "python"
    assert not (folder / "half").exists()


def test_other_arguments_have_another_environment_and_passwords_stay_out_of_its_marker() -> None:
    plain = EnvironmentSpec(requirements=("a",))
    names = {
        spec.cache_name()
        for spec in (
            plain,
            EnvironmentSpec(requirements=("b",)),
            EnvironmentSpec(requirements=("a",), python_version="3.11"),
            EnvironmentSpec(requirements=("a",), system_site_packages=False),
            EnvironmentSpec(requirements=("a",), cache_key="2"),
            EnvironmentSpec(requirements=("a",), index_urls=("https://x.example",)),
            EnvironmentSpec(requirements=("a",), pip_install_options=("-q",)),
        )
    }
    assert len(names) == 7
    assert "secret" not in EnvironmentSpec(index_urls=("https://me:secret@x.example/simple",)).to_json()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"python_version": 3.11}, 'non-string types.*"3.11" in quotes'),
        ({"python_version": "2.7", "op_args": [1]}, "different Python major versions"),
    ],
)
def test_versions_that_cannot_work_are_refused(dag: DAG, change: dict[str, Any], words: str) -> None:
    with pytest.raises(AirflowException, match=words):
        PythonVirtualenvOperator(**{"task_id": "t", "python_callable": _plain, **change})


def test_requirements_may_be_a_templated_file(dag: DAG, tmp_path: Path, context_of: Callable[..., Any]) -> None:
    (tmp_path / "requirements.txt").write_text("one=={{ ds_nodash }}\ntwo")
    dag.template_searchpath = [str(tmp_path)]
    made = PythonVirtualenvOperator(
        task_id="t", python_callable=_plain, requirements="requirements.txt"
    ).prepare_for_execution()
    made.render_template_fields(context_of(made))
    assert made.requirements == ["one==20240304\ntwo"]
    assert made.describe_environment().requirements == ("one==20240304\ntwo",)


def test_a_serializer_is_installed_where_the_other_packages_are_not_seen(dag: DAG) -> None:
    made = PythonVirtualenvOperator(
        task_id="t", python_callable=_plain, requirements=["x"], serializer="dill", system_site_packages=False
    )
    assert made.describe_environment().requirements == ("dill", "x")


# ---- stubs -----------------------------------------------------------------------------------------------------------
def test_a_stub_must_be_empty_and_does_not_run_here(dag: DAG, execute: Execute) -> None:
    @task.stub(queue="go")
    def elsewhere():  # type: ignore[no-untyped-def]
        """What it does."""

    made = elsewhere().operator
    assert (made.queue, made.custom_operator_name) == ("go", "@task.stub")
    with pytest.raises(AirflowException, match="is a @task.stub.*BashOperator"):
        execute(made)

    @task.stub
    def filled():  # type: ignore[no-untyped-def]
        return dt.datetime.now()

    with pytest.raises(ValueError, match="must be an empty function.*'filled'"):
        filled()


@pytest.mark.ordinary
@pytest.mark.parametrize("raises", [False, True], ids=["returns", "raises"])
def test_a_fork_of_the_function_writes_no_result(dag: DAG, execute: Execute, raises: bool) -> None:
    def function(raises):  # type: ignore[no-untyped-def]
        import os

        pid = os.fork()
        if pid == 0 and raises:
            raise ValueError("only the fork fails")
        return "child" if pid == 0 else os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    assert execute(_external(function, op_kwargs={"raises": raises})) == int(raises)


@pytest.mark.ordinary
def test_an_error_of_the_function_whose_text_cannot_be_made_is_told(dag: DAG, execute: Execute) -> None:
    def function():  # type: ignore[no-untyped-def]
        class E(Exception):
            def __str__(self):  # type: ignore[no-untyped-def]
                raise ValueError("no str")

        raise E

    with pytest.raises(AirflowException, match=r"E: <its text cannot be made: ValueError>"):
        execute(_external(function))
