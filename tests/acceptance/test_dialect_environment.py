"""Airflow's names outside Gnomon's processes: `python my_dag.py`, pytest over a repository, and `gnomon dialect`."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.acceptance.scratch_environment import ScratchEnvironment
from tests.patience import PATIENCE_S

from gnomon.author_code.loading import dialect
from gnomon.author_code.loading.dialect_environment import PTH_NAME

DAG_FILE = """
import pendulum
from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG, task

with DAG("dag_{number}", schedule="@daily", start_date=pendulum.datetime(2026, 1, 1, tz="UTC"), tags=["etl"], catchup=False):
    @task(retries=2)
    def extract():
        return [1, 2, {number}]

    @task
    def load(rows):
        return sum(rows)

    load(extract()) >> BashOperator(task_id="report", bash_command="echo {{{{ ds }}}}")
"""
REPOSITORY_TESTS = """
from pathlib import Path
import pytest
from airflow.models import DagBag
from airflow.sdk import DAG

FOLDER = Path(__file__).parent.parent / "dags"

@pytest.fixture(scope="session")
def bag():
    return DagBag(dag_folder=FOLDER, include_examples=False)

def test_no_import_errors(bag):
    assert bag.import_errors == {}
    assert bag.size() == 30

@pytest.mark.parametrize("number", range(30))
def test_structure(bag, number):
    dag = bag.get_dag(f"dag_{number}")
    assert isinstance(dag, DAG)
    assert set(dag.task_dict) == {"extract", "load", "report"}
    assert dag.get_task("load").upstream_task_ids == {"extract"}
    assert dag.get_task("extract").retries == 2 and dag.tags == {"etl"}

def test_one_of_them_runs(bag, run_dag):
    run = run_dag(bag.get_dag("dag_7"))
    assert run.state == "success"
    assert run.get_task_instance("load").xcom_pull() == 10
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScratchEnvironment]:
    return ScratchEnvironment(tmp_path_factory.mktemp("scratch") / "venv")


@pytest.fixture
def enabled(environment: ScratchEnvironment) -> Iterator[ScratchEnvironment]:
    """The environment after `gnomon dialect enable`, whose own test is below."""
    path = environment.packages / PTH_NAME
    path.write_text(dialect.TREE + "\n")
    yield environment
    path.unlink()


def test_pytest_over_a_repository_of_dags_needs_nothing_but_gnomon(
    environment: ScratchEnvironment, tmp_path: Path
) -> None:
    (tmp_path / "dags").mkdir()
    (tmp_path / "tests").mkdir()
    for number in range(30):
        (tmp_path / "dags" / f"dag_{number}.py").write_text(DAG_FILE.format(number=number))
    (tmp_path / "tests" / "test_dags.py").write_text(REPOSITORY_TESTS)
    done = environment.run(
        "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", home=tmp_path / "home", cwd=tmp_path
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    assert "32 passed" in done.stdout
    assert not (tmp_path / "home").exists(), "a test run writes nothing into the home"


def test_without_the_plugin_and_beside_another_airflow_pytest_is_as_before(
    environment: ScratchEnvironment, tmp_path: Path
) -> None:
    (tmp_path / "test_it.py").write_text(
        "import importlib.util, sys\n"
        "def test_it(request):\n"
        "    found = importlib.util.find_spec('airflow')\n"
        "    print('FOUND', None if found is None else found.origin, 'gnomon.authoring.sdk' in sys.modules)\n"
        "    print('FIXTURE', request.config.pluginmanager.has_plugin('gnomon.airflow_compat.pytest_fixtures'))\n"
    )
    other = tmp_path / "other" / "airflow"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("")
    common = ("-m", "pytest", "-q", "-s", "-W", "error", "-p", "no:cacheprovider", "test_it.py")
    ours = environment.run(*common, home=tmp_path, cwd=tmp_path)
    assert "gnomon/airflow_compat/tree/airflow/__init__.py False" in ours.stdout, ours.stdout + ours.stderr
    assert "FIXTURE True" in ours.stdout
    off = environment.run(*common, "-p", "no:gnomon", home=tmp_path, cwd=tmp_path)
    assert "FOUND None False" in off.stdout and "FIXTURE False" in off.stdout, off.stdout + off.stderr
    theirs = environment.run(*common, home=tmp_path, cwd=tmp_path, PYTHONPATH=str(tmp_path / "other"))
    assert f"FOUND {other / '__init__.py'} False" in theirs.stdout and "FIXTURE False" in theirs.stdout, (
        theirs.stdout + theirs.stderr
    )


def test_dialect_is_enabled_shown_and_disabled(environment: ScratchEnvironment, tmp_path: Path) -> None:
    before = environment.run("-m", "gnomon", "dialect", "status", home=tmp_path)
    assert before.returncode == 1
    assert "gnomon dialect enable" in before.stdout and "nothing is found" in before.stdout
    done = environment.run("-m", "gnomon", "dialect", "enable", home=tmp_path)
    assert done.returncode == 0 and str(environment.folder) in done.stdout, done.stderr
    assert (environment.packages / PTH_NAME).read_text().strip() == dialect.TREE
    environment.add_distribution("apache-airflow-providers-ftp", "3.12.0")
    provider = environment.packages / "airflow" / "providers" / "ftp"
    provider.mkdir(parents=True)
    (provider / "__init__.py").write_text("WORD = 'found'\n")
    try:
        status = json.loads(environment.run("-m", "gnomon", "dialect", "status", "-o", "json", home=tmp_path).stdout)
        assert status["enabled"] and status["environment"] == f"virtual environment {environment.folder}"
        assert status["file"] == str(environment.packages / "gnomon_airflow_dialect.pth")
        assert status["providers"] == ["apache-airflow-providers-ftp 3.12.0"]
        seen = environment.run(
            "-c",
            "from airflow.providers.ftp import WORD; from airflow.sdk import DAG; print(WORD, DAG('x'))",
            home=tmp_path,
        )
        assert seen.stdout == "found <DAG: x>\n", seen.stderr
    finally:
        shutil.rmtree(environment.packages / "airflow")
        shutil.rmtree(environment.packages / "apache_airflow_providers_ftp-3.12.0.dist-info")
    removed = environment.run("-m", "gnomon", "dialect", "disable", home=tmp_path)
    assert removed.stdout.startswith("removed ")
    again = environment.run("-m", "gnomon", "dialect", "disable", home=tmp_path)
    assert again.returncode == 0 and "nothing to remove" in again.stdout
    assert "No module named 'airflow'" in environment.run("-c", "import airflow", home=tmp_path).stderr


def test_dialect_refuses_beside_an_installed_airflow_and_where_it_cannot_write(
    environment: ScratchEnvironment, tmp_path: Path
) -> None:
    folder = environment.add_distribution("apache-airflow", "3.1.0")
    try:
        refused = environment.run("-m", "gnomon", "dialect", "enable", home=tmp_path)
        assert refused.returncode != 0 and "Traceback" not in refused.stderr
        assert (
            "apache-airflow 3.1.0 is installed" in refused.stderr and "pip uninstall apache-airflow" in refused.stderr
        )
        assert (
            "no: apache-airflow 3.1.0 is installed"
            in environment.run("-m", "gnomon", "dialect", "status", home=tmp_path).stdout
        )
    finally:
        shutil.rmtree(folder)
    user = environment.run("-m", "gnomon", "dialect", "enable", "--user", home=tmp_path)
    assert user.returncode != 0 and "leave out --user" in user.stderr
    obstacle = environment.packages / "gnomon_airflow_dialect.pth"
    obstacle.mkdir()  # as root, a folder without write permission can be written
    try:
        unwritable = environment.run("-m", "gnomon", "dialect", "enable", home=tmp_path)
        assert (
            unwritable.returncode != 0
            and "cannot be written" in unwritable.stderr
            and "virtual environment" in unwritable.stderr
        )
        assert "Traceback" not in unwritable.stderr
    finally:
        obstacle.rmdir()


BREAKPOINT = """
from airflow.sdk import DAG, task

with DAG("debugged") as dag:
    @task
    def compute():
        answer = 41
        breakpoint()
        return answer + 1

    compute()

if __name__ == "__main__":
    run = dag.test()
    print("ENDED", run.state, run.get_task_instance("compute").xcom_pull())
"""


def test_a_breakpoint_in_a_task_stops_in_pdb(enabled: ScratchEnvironment, tmp_path: Path) -> None:
    (tmp_path / "debugged.py").write_text(BREAKPOINT)
    terminal, theirs = pty.openpty()
    process = subprocess.Popen(
        [enabled.python, "debugged.py"],
        env=enabled.environ(tmp_path / "home"),
        cwd=tmp_path,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        assert "return answer + 1" in _read_until(terminal, "(Pdb) ")
        os.write(terminal, b"p answer\n")
        assert "41" in _read_until(terminal, "(Pdb) ")
        os.write(terminal, b"p run.state if 'run' in dir() else dag_run\n")
        _read_until(terminal, "(Pdb) ")
        os.write(terminal, b"answer = 1000\n")
        _read_until(terminal, "(Pdb) ")
        os.write(terminal, b"continue\n")
        assert "ENDED success 1001" in _read_until(terminal, "ENDED success 1001")
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.wait()
        os.close(terminal)


def _read_until(terminal: int, text: str) -> str:
    """What the terminal shows, up to `text`."""
    seen, deadline = "", time.monotonic() + PATIENCE_S
    while text not in seen:
        left = deadline - time.monotonic()
        assert left > 0 and select.select([terminal], [], [], left)[0], seen
        try:
            seen += os.read(terminal, 65536).decode(errors="replace")
        except OSError:  # the process has ended
            break
    return seen


def test_use_executor_runs_tasks_in_processes_of_a_worker(enabled: ScratchEnvironment, tmp_path: Path) -> None:
    (tmp_path / "flow.py").write_text(
        "import os\n"
        "from airflow.sdk import DAG, task\n"
        "with DAG('flow') as dag:\n"
        "    @task\n"
        "    def pid():\n"
        "        print('said by the task')\n"
        "        return os.getpid()\n"
        "    @task\n"
        "    def skipped_by_mark():\n"
        "        raise ValueError('not run')\n"
        "    pid() >> skipped_by_mark()\n"
        "if __name__ == '__main__':\n"
        "    run = dag.test(use_executor=True, mark_success_pattern='skipped.*')\n"
        "    print(run.state, run.get_task_instance('pid').xcom_pull() not in (None, os.getpid()))\n"
    )
    done = enabled.run("flow.py", home=tmp_path / "home", cwd=tmp_path)
    assert done.stdout == "success True\n", done.stderr
    assert "pid | said by the task" in done.stderr
    nowhere = enabled.run(
        "-c", "from airflow.sdk import DAG\nDAG('x').test(use_executor=True)", home=tmp_path / "home", cwd=tmp_path
    )
    assert "is defined in no file that a worker could load" in nowhere.stderr


def test_a_dag_that_tests_itself_at_its_top_level_says_where_the_call_belongs(
    enabled: ScratchEnvironment, tmp_path: Path
) -> None:
    (tmp_path / "flow.py").write_text("from airflow.sdk import DAG\nwith DAG('flow') as dag: ...\ndag.test()\n")
    code = "from airflow.models import DagBag\nprint(DagBag('flow.py').import_errors['flow.py'])"
    done = enabled.run("-c", code, home=tmp_path / "home", cwd=tmp_path)
    assert "below `if __name__ == '__main__':`" in done.stdout, done.stderr


def test_the_blocks_of_the_how_to_run(enabled: ScratchEnvironment, tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "how-to" / "test-your-dags.md"
    for name, text in re.findall(r"^```python\n# ([\w/.]+)\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL):
        file = tmp_path / name.removeprefix("package/")
        file.parent.mkdir(exist_ok=True)
        file.write_text(text.replace('with DAG("prices", ', 'with DAG("prices", tags=["markets"], '))
    done = enabled.run(
        "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", "tests", home=tmp_path / "home", cwd=tmp_path
    )
    assert "5 passed" in done.stdout, done.stdout + done.stderr
    debugged = enabled.run("dags/prices.py", home=tmp_path / "home", cwd=tmp_path)
    assert debugged.stdout == "success {'city': 'Basel', 'price': 12.5}\n", debugged.stderr
