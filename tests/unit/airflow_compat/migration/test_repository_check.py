"""`gnomon migrate check` over a repository of files in both dialects: the verdict on each file, and what is said about it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gnomon.airflow_compat.migration.repository.findings import FileReport
from gnomon.airflow_compat.migration.repository.member_uses import ABSENT_MEMBERS
from gnomon.airflow_compat.migration.repository.repository_check import (
    CheckSettings,
    RepositoryReport,
    check_repository,
)
from gnomon.author_code.context import RuntimeDagRun, RuntimeTaskInstance
from gnomon.author_code.context.airflow_configuration import AirflowConfigParser
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.main import main
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config
from gnomon.model.instants import SECOND

NOW = 1_772_434_800 * SECOND
"""2026-03-02T07:00:00Z, a Monday."""
START = "start_date=datetime(2024, 1, 1)"
HEAD = "from datetime import datetime, timedelta\n"
OLD = HEAD + "from airflow import DAG\nfrom airflow.utils.dates import days_ago\n"
NEW = HEAD + "from airflow.sdk import DAG, task, Asset\n"
NEUTRAL = HEAD + "from airflow import DAG\n"

REPOSITORY: dict[str, tuple[str, str, str]] = {
    # Airflow 2, with arguments that only it takes: these DAGs follow Airflow 2 by themselves.
    "old/interval.py": (
        OLD + f"DAG('a', schedule_interval='0 6 * * *', {START})",
        "runs",
        "because of schedule_interval=",
    ),
    "old/preset.py": (
        OLD + "DAG('a', schedule_interval='@daily', start_date=days_ago(2))",
        "runs",
        "because of schedule_interval=",
    ),
    "old/delta.py": (
        OLD + f"DAG('a', schedule_interval=timedelta(hours=1), {START})",
        "runs",
        "because of schedule_interval=",
    ),
    "old/timetable.py": (
        OLD
        + f"from airflow.timetables.interval import CronDataIntervalTimetable as C\nDAG('a', timetable=C('@daily', 'UTC'), {START})",
        "runs",
        "because of timetable=",
    ),
    "old/concurrency.py": (OLD + f"DAG('a', schedule=None, concurrency=3, {START})", "runs", "because of concurrency="),
    "old/view.py": (
        OLD + f"DAG('a', None, '@daily', default_view='graph', orientation='LR', catchup=False, {START})",
        "runs",
        "default_view=, orientation=",
    ),
    "old/decorated.py": (
        OLD + f"from airflow.decorators import dag\n@dag(schedule_interval='@daily', {START})\ndef flow(): ...\nflow()",
        "runs",
        "DAG 'flow'",
    ),
    "old/module.py": (
        HEAD + f"import airflow.models\nairflow.models.DAG('a', schedule_interval='@daily', {START})",
        "runs",
        "because of schedule_interval=",
    ),
    # Airflow 2, without such arguments: what they mean differs.
    "old/cron.py": (
        OLD + f"DAG('a', schedule='0 6 * * 1-5', catchup=False, {START})",
        "differs",
        "2026-03-02 → 2026-03-03, 2026-03-03 → 2026-03-04",
    ),
    "old/cron_catchup.py": (
        OLD + f"DAG('a', schedule='@weekly', {START})",
        "differs",
        "catchup is True by default, and here False",
    ),
    "old/delta_new_name.py": (
        OLD + f"DAG('a', schedule=timedelta(days=1), catchup=True, {START})",
        "differs",
        "2026-03-02 → 2026-03-03",
    ),
    "old/no_schedule.py": (OLD + f"DAG('a', {START})", "differs", "it ran every day, and here it has no schedule"),
    "old/constant.py": (
        OLD + f"CRON = '30 1 * * *'\nDAG('a', schedule=CRON, catchup=True, {START})",
        "differs",
        "2026-03-02 → 2026-03-03",
    ),
    "old/computed.py": (OLD + f"DAG('a', schedule=f'{{5}} 1 * * *', catchup=True, {START})", "runs", "it is computed"),
    "old/once.py": (OLD + f"DAG('a', schedule='@once', {START})", "runs", ""),
    "old/none.py": (OLD + f"DAG('a', schedule=None, {START})", "runs", ""),
    "old/bad_cron.py": (OLD + f"DAG('a', schedule='61 * * * *', {START})", "missing", "the schedule is not valid here"),
    # Things of Airflow 2 that are missing.
    "old/subdag.py": (
        OLD + "from airflow.operators.subdag import SubDagOperator\nSubDagOperator(task_id='s')",
        "missing",
        "use a TaskGroup",
    ),
    "old/query.py": (
        OLD
        + "from airflow.models import DagRun\nfrom airflow.utils.session import create_session\nwith create_session() as s:\n    s.query(DagRun)",
        "missing",
        "context['dag_run']",
    ),
    "old/session.py": (OLD + "from airflow import settings\nsettings.Session()", "missing", "airflow.settings.Session"),
    "old/contrib.py": (
        OLD + "from airflow.contrib.hooks.ssh_hook import SSHHook",
        "missing",
        "gnomon providers install ssh",
    ),
    "old/moved.py": (
        OLD + "from airflow.operators.postgres_operator import PostgresOperator",
        "missing",
        "gnomon providers install postgres",
    ),
    "old/unknown_name.py": (OLD + "from airflow.models import NoSuchThing", "missing", "does not exist in Gnomon"),
    "old/argument.py": (
        OLD + f"DAG('a', shedule=None, schedule=None, {START})",
        "missing",
        "DAG has no argument shedule=",
    ),
    # Things of Airflow 2 that work, or have no effect.
    "old/annotation.py": (
        OLD + "from airflow.models import DagRun\ndef f(run: DagRun): ...",
        "runs",
        "used in annotations only",
    ),
    "old/templates.py": (
        OLD
        + "from airflow.operators.bash import BashOperator\nBashOperator(task_id='b', bash_command='echo {{ next_ds }} {{ execution_date }}')",
        "runs",
        "next_ds left Airflow with 3.0; Gnomon still provides it",
    ),
    "old/context.py": (
        OLD + "def f(execution_date, **context):\n    context['tomorrow_ds']",
        "runs",
        "tomorrow_ds left Airflow",
    ),
    "old/sla.py": (
        OLD
        + "from airflow.operators.bash import BashOperator\nBashOperator(task_id='b', bash_command='x', sla=timedelta(hours=1), provide_context=True)",
        "runs",
        "sla= has no effect",
    ),
    "old/defaults.py": (
        OLD + f"args = dict(owner='me', sla=timedelta(hours=1))\nDAG('a', schedule=None, default_args=args, {START})",
        "runs",
        "sla in default_args",
    ),
    "old/guarded.py": (OLD + "try:\n    from airflow.nowhere import x\nexcept ImportError:\n    x = None", "runs", ""),
    "old/provider.py": (
        OLD
        + "from airflow.providers.amazon.aws.hooks.s3 import S3Hook\nfrom airflow.providers.cncf.kubernetes.operators.pod import K",
        "runs",
        "",
    ),
    "old/q.sql": ("select '{{ prev_ds }}' -- execution_date\n", "runs", "prev_ds left"),
    # Airflow 3
    "new/cron.py": (NEW + f"DAG('a', schedule='0 6 * * *', {START})", "runs", ""),
    "new/taskflow.py": (NEW + "@task\ndef f(): ...", "runs", ""),
    "new/assets.py": (NEW + f"DAG('a', schedule=[Asset('x')], {START})", "runs", ""),
    "new/provider.py": (
        NEW + "from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator",
        "runs",
        "",
    ),
    "new/standard.py": (
        NEW
        + "from airflow.providers.standard.operators.bash import BashOperator\nBashOperator(task_id='b', bash_command='x', executor='K', run_as_user='k')",
        "runs",
        "run_as_user= has no effect",
    ),
    # Neither
    "plain.py": ("import os\nprint(os.name)\n", "no airflow", ""),
    "python2.py": ("from airflow import DAG\nprint 'old'\n", "unreadable", "Python 2"),
    "broken.py": ("from airflow import DAG\ndef f(:\n", "unreadable", "syntax error"),
    "nul.py": (
        "y = 0\nx = 1\0",
        "unreadable",
        "the file contains a null byte, so it is not Python text; save it as UTF-8",
    ),
    "deep.py": (
        "x = " + "-" * 8000 + "1\n",
        "unreadable",
        "an expression of the file is nested too deeply for Python's parser; assign its parts to variables",
    ),
    "deeper.py": (
        "x = " + "-" * 200_000 + "1\n",
        "unreadable",
        "an expression of the file is nested too deeply for Python's parser; assign its parts to variables",
    ),
    "brackets.py": (
        "x = " + "[" * 300 + "]" * 300 + "\n",
        "unreadable",
        "Python's parser does not read the file; assign the parts of its expressions to variables",
    ),
    "airflow.cfg": (
        "[core]\nparallelism = 8\nsecurity = kerberos\nnew_thing = 1\n# x = 1\ndag_concurrency = 4\n",
        "runs",
        "[core] dag_concurrency acts, as [core] max_active_tasks_per_dag",
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    for name, (text, _, _) in REPOSITORY.items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return root


@pytest.fixture(scope="module")
def report(folder: Path) -> RepositoryReport:
    return check_repository(folder, CheckSettings(NOW))


def test_the_repository_has_forty_files_and_each_verdict_is_right(report: RepositoryReport) -> None:
    assert len(REPOSITORY) >= 40
    assert {file.path: file.verdict for file in report.files} == {
        name: verdict for name, (_, verdict, _) in REPOSITORY.items()
    }


@pytest.mark.parametrize("name", [name for name, (_, _, told) in REPOSITORY.items() if told])
def test_the_finding_says_what_and_where(report: RepositoryReport, name: str) -> None:
    text, _, told = REPOSITORY[name]
    (file,) = (file for file in report.files if file.path == name)
    (finding, *_) = (one for one in file.findings if told in one.message)
    assert 1 <= finding.line <= max(text.count("\n") + 1, 1)


def test_a_file_that_says_what_it_is_needs_no_provider_and_others_name_theirs(report: RepositoryReport) -> None:
    assert report.install_command == "gnomon providers install amazon cncf-kubernetes common-sql"


def test_files_that_do_not_tell_are_judged_by_the_others_and_by_the_option_from(tmp_path: Path) -> None:
    (tmp_path / "neutral.py").write_text(NEUTRAL + f"DAG('a', schedule='@daily', catchup=False, {START})")

    def verdict(**settings: int) -> str:
        return next(
            file.verdict
            for file in check_repository(tmp_path, CheckSettings(NOW, **settings)).files
            if file.path == "neutral.py"
        )

    assert verdict() == "differs", "it may have run on Airflow 2"
    assert verdict(airflow_version=3) == "runs"
    assert verdict(airflow_version=2) == "differs"
    assert verdict(airflow_version=2, dialect=2) == "runs"
    assert verdict(airflow_version=3, dialect=2) == "differs"
    (tmp_path / "other.py").write_text(NEW + f"DAG('b', schedule=None, {START})")
    assert verdict() == "runs"


def test_what_is_said_of_the_next_runs_is_what_both_dialects_do(report: RepositoryReport) -> None:
    (file,) = (file for file in report.files if file.path == "old/cron.py")
    (dates,) = file.run_dates
    assert dates.runs == [
        {"run_after": "2026-03-03T06:00:00.000000+00:00", "ds_before": "2026-03-02", "ds_here": "2026-03-03"},
        {"run_after": "2026-03-04T06:00:00.000000+00:00", "ds_before": "2026-03-03", "ds_here": "2026-03-04"},
        {"run_after": "2026-03-05T06:00:00.000000+00:00", "ds_before": "2026-03-04", "ds_here": "2026-03-05"},
    ]


def test_no_file_makes_the_check_fail(tmp_path: Path) -> None:
    (tmp_path / "latin.py").write_bytes(b"# -*- coding: latin-1 -*-\nfrom airflow import DAG\nx = '\xe9'\n")
    (tmp_path / "wrong.py").write_bytes(b"x = '\xe9\xff'\n")
    (tmp_path / "unknown.py").write_bytes(b"# coding: klingon\n")
    (tmp_path / "large.py").write_bytes(b"x = 1\n" * 1_000_000)
    (tmp_path / "deep.py").write_text("x = " + "(" * 5000 + ")" * 5000)
    (tmp_path / "chain.py").write_text("x = " + "+".join(["1"] * 50_000))
    (tmp_path / "empty.py").write_text("")
    (tmp_path / "bom.py").write_bytes(b"\xef\xbb\xbffrom airflow import DAG\n")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere.py")
    (tmp_path / "self.py").symlink_to(tmp_path / "self.py")
    found = {file.path: file.verdict for file in check_repository(tmp_path, CheckSettings(NOW)).files}
    assert found == {
        "latin.py": "runs",
        "wrong.py": "unreadable",
        "unknown.py": "unreadable",
        "large.py": "unreadable",
        "deep.py": "unreadable",
        "chain.py": "unreadable",
        "empty.py": "no airflow",
        "bom.py": "runs",
    }


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(load_config({}, tmp_path / "home"), VirtualClock(NOW))


def test_the_file_is_not_run(tmp_path: Path, home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "evil.py").write_text(f"from airflow import DAG\nopen({str(tmp_path / 'ran')!r}, 'w')\n")
    assert main(["migrate", "check", str(tmp_path)], obj=home) == 0
    assert not (tmp_path / "ran").exists()
    assert "1 runs" in capsys.readouterr().out


def test_exit_codes_and_documents(folder: Path, home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["migrate", "check", str(folder)], obj=home) == 1
    table = capsys.readouterr().out
    assert "line 4: differs: DAG 'a': in Airflow 2, ds is the start of the data interval" in table
    assert "They need provider packages: gnomon providers install amazon cncf-kubernetes common-sql" in table
    assert main(["migrate", "check", str(folder), "--fail-on", "never"], obj=home) == 0
    assert main(["migrate", "check", str(folder / "old" / "cron.py"), "--fail-on", "missing"], obj=home) == 0
    assert main(["migrate", "check", str(folder / "nowhere")], obj=home) == 2
    capsys.readouterr()
    assert main(["migrate", "check", str(folder), "-o", "json"], obj=home) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["counts"]["runs"] == sum(verdict == "runs" for _, verdict, _ in REPOSITORY.values())
    assert main(["migrate", "check", str(folder), "-o", "sarif"], obj=home) == 1
    log = json.loads(capsys.readouterr().out)
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert {result["ruleId"] for result in run["results"]} == {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert {"ruleId": "python-2", "level": "error"}.items() <= next(
        one for one in run["results"] if one["ruleId"] == "python-2"
    ).items()


def test_watchers_and_links_of_plugins_act_and_are_not_mentioned(tmp_path: Path) -> None:
    (tmp_path / "watched.py").write_text(
        NEW + "from airflow.sdk import AssetWatcher\nAsset('x', watchers=[AssetWatcher(name='w', trigger=None)])"
    )
    (tmp_path / "plug.py").write_text(
        "from airflow.plugins_manager import AirflowPlugin\nclass P(AirflowPlugin):\n    name = 'p'\n    operator_extra_links = [1]\n    flask_blueprints = [1]\n    macros = [1]\n"
    )
    messages = [one.message for file in check_repository(tmp_path, CheckSettings(NOW)).files for one in file.findings]
    assert [text for text in messages if "has no effect" in text or "AssetWatcher" in text] == [
        "plugin P: flask_blueprints has no effect, because the web page is Gnomon's own",
        "plugin P: macros has no effect, because templates have no macros of plugins; give the functions to the DAG with user_defined_macros=",
    ]


def _check(folder: Path, files: dict[str, str], dialect: int = 3) -> dict[str, FileReport]:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return {report.path: report for report in check_repository(folder, CheckSettings(NOW, dialect, dialect)).files}


LOST = "from airflow.models import NoSuchThing\n"


def test_a_file_does_not_run_when_a_file_that_it_imports_cannot_be_imported(tmp_path: Path) -> None:
    reports = _check(
        tmp_path,
        {
            "dags/helper.py": LOST,
            "dags/lib/__init__.py": "",
            "dags/lib/deep.py": "from .. import helper\n",
            "plugins/common/ops.py": "print 'Python 2'\n",
            "dags/direct.py": NEUTRAL + "import helper\n",
            "dags/through.py": NEUTRAL + "from lib.deep import x\n",
            "dags/other/above.py": NEUTRAL + "from helper import f\n",
            "dags/plugin.py": NEUTRAL + "from common.ops import f\n",
            "dags/guarded.py": NEUTRAL + "try:\n    import helper\nexcept ImportError:\n    helper = None\n",
            "dags/later.py": NEUTRAL + "def f():\n    import helper\n",
            "dags/fine.py": NEUTRAL + "from lib import nothing\n",
        },
    )
    verdicts = {path: report.verdict for path, report in reports.items()}
    assert {path for path, verdict in verdicts.items() if verdict == "runs"} == {
        "dags/guarded.py",
        "dags/later.py",
        "dags/fine.py",
    }
    (finding,) = reports["dags/through.py"].findings
    assert (finding.line, finding.rule) == (3, "sibling-import")
    assert finding.message.startswith(
        "it imports dags/lib/deep.py, which imports dags/helper.py, which cannot be imported: line 1: "
    )
    assert "Python 2" in reports["dags/plugin.py"].findings[0].message


def test_files_that_import_one_another_in_a_circle_run(tmp_path: Path) -> None:
    reports = _check(tmp_path, {"a.py": NEUTRAL + "import b\n", "b.py": NEUTRAL + "import a\n"})
    assert {report.verdict for report in reports.values()} == {"runs"}


def test_an_import_inside_a_function_does_not_keep_the_importing_file_from_running(tmp_path: Path) -> None:
    reports = _check(
        tmp_path,
        {"a.py": NEUTRAL + "def f():\n    from airflow.models import NoSuchThing\n", "b.py": NEUTRAL + "import a\n"},
    )
    assert (reports["a.py"].verdict, reports["b.py"].verdict) == ("missing", "runs")


def test_old_paths_run_in_the_dialect_of_airflow_2_and_name_the_new_path_in_that_of_3(tmp_path: Path) -> None:
    text = "from airflow.operators.docker_operator import DockerOperator\nfrom airflow.contrib.hooks import gcs_hook\nfrom airflow.hooks.dbapi import DbApiHook\n"
    old = _check(tmp_path, {"a.py": text}, dialect=2)["a.py"]
    assert old.verdict == "runs"
    assert {"apache-airflow-providers-docker", "apache-airflow-providers-common-sql"} <= set(old.providers)
    new = _check(tmp_path, {"a.py": text}, dialect=3)["a.py"]
    assert new.verdict == "missing"
    assert (
        "airflow.providers.docker.operators.docker; import them from there, or set [core] airflow_dialect = 2"
        in new.findings[0].message
    )


def test_names_that_a_module_only_imports_are_found(tmp_path: Path) -> None:
    assert _check(tmp_path, {"a.py": "from airflow.models.taskinstance import Context\n"})["a.py"].verdict == "runs"


@pytest.mark.parametrize(
    ("code", "member"),
    [
        ("def f(ti, **context):\n    ti.set_state('success')", "ti.set_state"),
        ("def f(**context):\n    context['dag_run'].update_state()", "dag_run.update_state"),
        ("def f(**context):\n    context.get('task_instance').refresh_from_db()", "ti.refresh_from_db"),
        ("dag = DAG('a', schedule=None)\ndag.clear()", "dag.clear"),
        ("from airflow.configuration import conf\nconf.load_test_config()", "conf.load_test_config"),
    ],
)
def test_members_that_gnomon_lacks_are_found_with_what_there_is_instead(code: str, member: str, tmp_path: Path) -> None:
    report = _check(tmp_path, {"a.py": f"{NEUTRAL}{code}\n"})["a.py"]
    (finding,) = [one for one in report.findings if one.rule == "absent-member"]
    assert report.verdict == "missing"
    assert finding.message.startswith(f"{member} does not exist in Gnomon: ")


def test_members_that_gnomon_has_are_not_mentioned(tmp_path: Path) -> None:
    text = (
        NEUTRAL
        + "from airflow.configuration import conf\nconf.read('x')\ndef f(ti, dag, **c):\n    c['dag_run'].get_task_instances()\n    dag.following_schedule(ti.execution_date)\n"
    )
    assert _check(tmp_path, {"a.py": text})["a.py"].verdict == "runs"


def test_no_member_that_is_called_absent_is_there() -> None:
    for kind, made in (
        ("ti", RuntimeTaskInstance),
        ("dag_run", RuntimeDagRun),
        ("dag", DAG("d")),
        ("conf", AirflowConfigParser()),
    ):
        assert [name for name in ABSENT_MEMBERS[kind][0] if hasattr(made, name)] == []
