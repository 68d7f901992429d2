"""Files in the spelling of Airflow 2 and of Airflow 3, unmodified."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE_S

from gnomon.airflow_compat.stand_ins import NotSupported
from gnomon.author_code.context.runtime_dag_run import RuntimeDagRun
from gnomon.author_code.loading import dagfile, dialect
from gnomon.author_code.loading.new_packages import find_new_packages
from gnomon.ground.config import load_config, set_current_config
from gnomon.model.attempts import RunFacts

TWO = """
from datetime import timedelta
from airflow import DAG
from airflow.configuration import conf
from airflow.models import BaseOperator, Variable
from airflow.operators.bash_operator import BashOperator
from airflow.operators.dummy_operator import DummyOperator
from airflow.operators.python import PythonOperator, BranchPythonOperator
from airflow.utils.dates import days_ago
from airflow.utils.decorators import apply_defaults
from airflow.utils.task_group import TaskGroup
from airflow.utils.trigger_rule import TriggerRule

class Mine(BaseOperator):
    deferrable = conf.getboolean("operators", "default_deferrable", fallback=False)
    workers = conf.getint("mine", "workers", fallback=4)

    @apply_defaults
    def __init__(self, thing, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.thing = thing

    def execute(self, context):
        return self.thing

with DAG("two", description="old", schedule_interval="@daily", start_date=days_ago(2), concurrency=3,
         default_args={"owner": "ada", "retries": 1, "retry_delay": timedelta(minutes=1)}, catchup=False) as dag:
    start = DummyOperator(task_id="start")
    with TaskGroup("g") as g:
        PythonOperator(task_id="p", python_callable=print, provide_context=True)
        Mine(task_id="m", thing=1)
    end = BashOperator(task_id="end", bash_command="true", trigger_rule=TriggerRule.ALL_DONE)
    start >> g >> end
"""

THREE = """
import pendulum
from airflow.sdk import DAG, BaseOperator, Param, TaskGroup, TriggerRule, chain, dag, task, task_group
from airflow.sdk.exceptions import AirflowSkipException
from airflow.providers.standard.operators.bash import BashOperator
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.providers.standard.operators.python import PythonOperator

@dag(schedule="@daily", start_date=pendulum.datetime(2024, 1, 1, tz="UTC"), catchup=False, params={"n": Param(1, type="integer")})
def three():
    @task
    def one() -> dict[str, int]:
        return {"a": 1}

    @task_group
    def group(value):
        @task.branch
        def choose(value):
            return "group.left"

        choose(value) >> [EmptyOperator(task_id="left"), EmptyOperator(task_id="right")]

    chain(group(one()), BashOperator(task_id="end", bash_command="true", trigger_rule=TriggerRule.ALL_DONE))

three()
"""


def _load(tmp_path: Path, text: str) -> Any:
    file = tmp_path / "file.py"
    file.write_text(text)
    return dagfile.load_dag_file(file)


def test_a_file_in_airflow_2s_spelling(tmp_path: Path) -> None:
    loaded = _load(tmp_path, TWO)
    dag = loaded.dags["two"]
    assert dag.task_ids == ["start", "g.p", "g.m", "end"]
    assert dag.get_task("g.m").downstream_task_ids == {"end"}
    assert (dag.max_active_tasks, dag.get_task("end").retries, dag.get_task("end").owner) == (3, 1, "ada")
    assert loaded.module.Mine.deferrable is False
    assert loaded.module.Mine.workers == 4


def test_a_file_in_airflow_3s_spelling(tmp_path: Path) -> None:
    dag = _load(tmp_path, THREE).dags["three"]
    assert sorted(dag.task_ids) == ["end", "group.choose", "group.left", "group.right", "one"]
    assert dag.get_task("group.choose").upstream_task_ids == {"one"}


def test_an_option_of_the_environment_reaches_class_bodies(tmp_path: Path) -> None:
    set_current_config(
        load_config({"AIRFLOW__MINE__WORKERS": "9", "AIRFLOW__OPERATORS__DEFAULT_DEFERRABLE": "True"}, tmp_path)
    )
    module = _load(tmp_path, TWO).module
    assert (module.Mine.deferrable, module.Mine.workers) == (True, 9)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("airflow.DAG", "airflow.sdk.DAG"),
        ("airflow.models.DAG", "airflow.sdk.definitions.dag.DAG"),
        ("airflow.models.BaseOperator", "airflow.sdk.bases.operator.BaseOperator"),
        ("airflow.models.baseoperator.BaseOperator", "airflow.sdk.BaseOperator"),
        ("airflow.operators.python.PythonOperator", "airflow.providers.standard.operators.python.PythonOperator"),
        ("airflow.operators.python_operator.PythonOperator", "gnomon.operators.PythonOperator"),
        ("airflow.operators.bash.BashOperator", "airflow.providers.standard.operators.bash.BashOperator"),
        ("airflow.operators.dummy.DummyOperator", "airflow.providers.standard.operators.empty.EmptyOperator"),
        ("airflow.decorators.task", "airflow.sdk.task"),
        ("airflow.exceptions.AirflowSkipException", "airflow.sdk.exceptions.AirflowSkipException"),
        ("airflow.utils.trigger_rule.TriggerRule", "airflow.sdk.TriggerRule"),
        ("airflow.utils.task_group.TaskGroup", "airflow.sdk.TaskGroup"),
        ("airflow.models.Variable", "airflow.sdk.Variable"),
        ("airflow.hooks.base.BaseHook", "airflow.sdk.BaseHook"),
        ("airflow.sensors.base.BaseSensorOperator", "airflow.sdk.BaseSensorOperator"),
        ("airflow.utils.state.TaskInstanceState", "airflow.sdk.TaskInstanceState"),
        ("airflow.timetables.trigger.CronTriggerTimetable", "airflow.sdk.CronTriggerTimetable"),
        ("airflow.utils.types.NOTSET", "airflow.sdk.definitions._internal.types.NOTSET"),
    ],
)
def test_a_concept_is_one_object_under_all_its_names(one: str, other: str) -> None:
    def get(path: str) -> Any:
        module, _, name = path.rpartition(".")
        return getattr(importlib.import_module(module), name)

    assert get(one) is get(other)


def test_records_of_the_database_can_be_named_but_not_used() -> None:
    models = importlib.import_module("airflow.models")
    with pytest.raises(NotSupported, match=r"DagRun.find cannot be used.*context\['dag_run'\].*airflow-coverage"):
        models.DagRun.find(dag_id="x")
    with pytest.raises(NotSupported, match="TaskInstance cannot be used"):
        models.TaskInstance()
    run = RuntimeDagRun(RunFacts(run_pk=1, dag_id="d", run_id="r", run_type="manual", run_after=0))
    assert isinstance(run, models.DagRun)
    assert not isinstance(run, models.TaskInstance)
    assert issubclass(type("Mine", (models.XCom,), {}), models.XCom)


def test_a_refusal_can_be_subclassed_and_refuses_when_it_is_made() -> None:
    base = importlib.import_module("airflow.models.serialized_dag").SerializedDagModel
    mine = type("Mine", (base,), {"serialize": lambda self: None})
    with pytest.raises(NotSupported, match="Mine cannot be used"):
        mine()


def test_provider_packages_that_are_installed_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "airflow" / "providers" / "acme"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "hooks.py").write_text("from airflow.hooks.base import BaseHook\nclass AcmeHook(BaseHook): ...\n")
    standard = tmp_path / "airflow" / "providers" / "standard"
    standard.mkdir()
    (standard / "__init__.py").write_text("raise RuntimeError('ours must win')")
    monkeypatch.syspath_prepend(str(tmp_path))
    dialect.enable()
    monkeypatch.delitem(sys.modules, "airflow.providers", raising=False)  # another test may have looked before
    monkeypatch.delattr(importlib.import_module("airflow"), "providers", raising=False)
    hooks = importlib.import_module("airflow.providers.acme.hooks")
    assert issubclass(hooks.AcmeHook, importlib.import_module("airflow.sdk").BaseHook)
    importlib.import_module("airflow.providers.standard.operators.bash")


def test_the_compatible_names_are_there_without_the_package_and_taken_from_it_where_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialect.enable()
    assert (
        importlib.import_module("airflow.providers.common.compat.sdk").TriggerRule
        is importlib.import_module("airflow.sdk").TriggerRule
    )
    compat = tmp_path / "airflow" / "providers" / "common" / "compat"
    compat.mkdir(parents=True)
    (compat / "sdk.py").write_text("TriggerRule = 'of the package'\n")
    (compat / "openlineage.py").touch()
    (compat.parent / "sql").mkdir()
    (compat.parent / "sql" / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    dialect.enable()
    _forget("airflow.providers", monkeypatch)
    assert importlib.import_module("airflow.providers.common.compat.sdk").TriggerRule == "of the package"
    importlib.import_module("airflow.providers.common.compat.openlineage")
    importlib.import_module("airflow.providers.common.sql")


def test_a_package_that_is_installed_later_is_found_beside_the_compatible_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialect.enable()
    _forget("airflow.providers", monkeypatch)
    importlib.import_module("airflow.providers.common.compat.sdk")
    sql = tmp_path / "airflow" / "providers" / "common" / "sql"
    sql.mkdir(parents=True)
    (sql / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    find_new_packages()
    importlib.import_module("airflow.providers.common.sql")


def _forget(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package is imported anew for the rest of the test."""
    parent, _, name = package.rpartition(".")
    monkeypatch.setattr(importlib.import_module(parent), name, None, raising=False)
    for known in [known for known in sys.modules if known == package or known.startswith(f"{package}.")]:
        monkeypatch.delitem(sys.modules, known)


def test_a_provider_package_that_is_not_installed_is_told_in_pythons_own_words() -> None:
    assert importlib.util.find_spec("airflow.providers.nothing") is None
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'airflow.providers.nothing'$"):
        importlib.import_module("airflow.providers.nothing")


def test_the_version_is_one_that_providers_accept() -> None:
    assert (
        importlib.import_module("airflow").__version__ == importlib.import_module("airflow.version").version == "3.3.2"
    )


def test_settings_follow_the_options(tmp_path: Path) -> None:
    settings = importlib.import_module("airflow.settings")
    assert str(tmp_path) == settings.AIRFLOW_HOME
    assert settings.DAGS_FOLDER == str(tmp_path / "dags")
    with pytest.raises(NotSupported):
        settings.Session()


def _run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environ = {key: value for key, value in os.environ.items() if not key.startswith(("AIRFLOW", "GNOMON"))}
    return subprocess.run(
        [sys.executable, "-m", "gnomon.airflow_compat", *arguments],
        cwd=cwd,
        env=environ,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


@pytest.mark.ordinary
def test_a_script_runs_with_the_dialect(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("NAME = 'helper'\n")
    (tmp_path / "script.py").write_text(
        textwrap.dedent("""
        import sys
        from airflow.models import DAG
        import beside
        print(__name__, DAG.__module__, beside.NAME, sys.argv[1:])
    """)
    )
    ended = _run("script.py", "--flag", cwd=tmp_path)
    assert (ended.stdout, ended.returncode) == ("__main__ gnomon.authoring.sdk.dags.dag helper ['--flag']\n", 0), (
        ended.stderr
    )


@pytest.mark.ordinary
def test_a_script_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    assert _run("nothing.py", cwd=tmp_path).returncode == 2
    ended = _run(cwd=tmp_path)
    assert ended.returncode == 2
    assert "Usage" in ended.stderr


@pytest.mark.ordinary
def test_importing_the_package_loads_nothing_heavy(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(
        "import sys, airflow\nprint([name for name in ('pendulum', 'jinja2', 'yaml') if name in sys.modules])\n"
    )
    assert _run("script.py", cwd=tmp_path).stdout == "[]\n"
