"""The dag-processor as a whole, with a real parse server and a real database: what `dags list` would show."""

from __future__ import annotations

import os
import select
import shutil
import zipfile
from pathlib import Path

import pytest
from tests.patience import PATIENCE_S
from tests.unit.services.dagfiles.conftest import Home, Parser

from gnomon.author_code.processes.memory import mapped_bytes
from gnomon.ground.clock import SystemClock
from gnomon.ground.metrics import definitions
from gnomon.ground.wakeups import Notifier
from gnomon.services.dagfiles.database_file_registry import DatabaseFileRegistry
from gnomon.services.dagfiles.processor import DagProcessor
from gnomon.storage import store
from gnomon.storage.store import migrations
from gnomon.storage.store.dag_records import dags
from gnomon.storage.store.ownership import commit
from gnomon.storage.store.parsed_files import dag_files

TURNS_MAX = 600


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("database") / "empty.db"
    migrations.upgrade_schema(f"sqlite:///{path}")
    return path


class CountingClock(SystemClock):
    """The system's clock, which a test may put forward."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead


class Deployment:
    """A processor and its database."""

    def __init__(self, home: Home, parser: Parser, database: Path) -> None:
        self.home = home
        self.parser = parser
        self.clock = CountingClock()
        self.db = store.open_database(f"sqlite:///{database}", synchronous="OFF")
        self.parsed: list[str] = []
        self.processor = self._processor()

    def _processor(self) -> DagProcessor:
        paused = self.parser.settings.paused_by_default
        ledger = DatabaseFileRegistry(self.db, self.clock, Notifier(self.home.folder / "run"), paused_by_default=paused)
        made = DagProcessor(self.parser.settings, self, ledger, self.parser.facts, self.clock)
        made.restore()
        return made

    def restart(self) -> None:
        """Another process takes over."""
        self.processor = self._processor()

    # The parse pool, with a note of what is parsed.
    def start(self, path: str) -> None:
        self.parsed.append(os.path.basename(path))
        self.parser.pool.start(path)

    def running(self):
        return self.parser.pool.running()

    def poll(self):
        return self.parser.pool.poll()

    def settle(self, heard: list[str] | None = None) -> list[str]:
        """Turns until nothing is left to do; returns the names of the files that were parsed."""
        self.parsed = []
        if heard:
            self.processor.on_changes(heard)
        self.clock.ahead += 1.0
        self.processor.run_once()
        while not self.processor.is_idle():
            select.select([self.parser.pool], [], [], 0.05)
            self.processor.run_once()
        return self.parsed

    def later(self, seconds: float) -> list[str]:
        """As `settle`, when so much time has passed."""
        self.clock.ahead += seconds
        return self.settle()

    def active(self) -> list[str]:
        with self.db.read() as tx:
            return sorted(row.dag_id for row in dags.list_dags(tx) if row.active)

    def errors(self) -> dict[str, str]:
        with self.db.read() as tx:
            return {os.path.basename(row.path): row.kind for row in dag_files.list_import_errors(tx)}


@pytest.fixture
def deployed(home, parser_with, tmp_path, empty_database):
    made: list[Deployment] = []

    def deploy(**options: object) -> Deployment:
        limit = 300 + mapped_bytes() // 2**20  # the servers are forks of this process
        options = {"dag_processor__parsing_memory_limit": limit, "core__dagbag_import_timeout": PATIENCE_S, **options}
        path = tmp_path / f"gnomon{len(made)}.db"
        shutil.copy(empty_database, path)
        made.append(Deployment(home, parser_with(home.config(**options)), path))
        return made[-1]

    yield deploy
    for one in made:
        one.db.close()


def test_a_folder_of_files_becomes_dags(home, deployed):
    for number in range(5):
        home.one_dag(f"file_{number}.py")
    home.write("not_one.py", "print('no dag here')")

    one = deployed()

    assert sorted(one.settle()) == [f"file_{number}.py" for number in range(5)]
    assert one.active() == [f"file_{number}" for number in range(5)]
    assert one.errors() == {}


def count_files(one: Deployment) -> list[float]:
    return [value for name, _, value in one.processor.figures.list_numbers() if name == definitions.DAG_FILES.name]


def test_the_figure_of_dag_files_counts_all_of_them_also_those_that_a_restarted_processor_does_not_parse(
    home, deployed
):
    for number in range(3):
        home.one_dag(f"file_{number}.py")
    one = deployed()
    one.settle()
    assert count_files(one) == [3]

    one.restart()
    assert one.settle() == []
    assert count_files(one) == [3]

    (home.dags / "file_0.py").unlink()
    one.later(1000)
    assert count_files(one) == [2]


def test_unchanged_files_are_not_parsed_again_not_even_by_another_process(home, deployed):
    home.one_dag("a.py")
    home.one_dag("b.py")
    one = deployed()
    one.settle()

    assert one.later(600) == []
    one.restart()
    assert one.settle() == []
    home.one_dag("b.py", "renamed")
    assert one.later(600) == ["b.py"]
    assert one.active() == ["a", "renamed"]


def test_a_change_that_is_heard_of_is_parsed_at_once(home, deployed):
    path = home.one_dag("a.py")
    one = deployed()
    one.settle()

    home.one_dag("a.py", "renamed")

    assert one.settle(heard=[path]) == ["a.py"]
    assert one.active() == ["renamed"]


def test_a_changed_helper_parses_the_files_that_import_it_and_no_other(home, deployed):
    helper = home.write("ids.py", "ID = 'before'\n")
    home.write("uses.py", "from ids import ID\nfrom gnomon.authoring.sdk.dags.dag import DAG\ndag = DAG(ID)\n")
    home.one_dag("other.py")
    one = deployed()
    one.settle()

    home.write("ids.py", "ID = 'after'\n")

    assert one.settle(heard=[helper]) == ["uses.py"]
    assert one.active() == ["after", "other"]


def test_a_missing_helper_that_comes_heals_the_import_at_once(home, deployed):
    home.write("uses.py", "from late_helper import ID\nfrom gnomon.authoring.sdk.dags.dag import DAG\ndag = DAG(ID)\n")
    one = deployed()
    one.settle()
    assert one.errors() == {"uses.py": "import"}

    helper = home.write("late_helper.py", "ID = 'healed'\n# dag, airflow\n")

    one.settle(heard=[helper])
    assert (one.active(), one.errors()) == (["healed"], {})


def test_a_file_that_looks_further_is_parsed_every_interval(home, deployed):
    home.write(
        "asks.py",
        "import subprocess\nsubprocess.run(['true'])\n# airflow\nfrom gnomon.authoring.sdk.dags.dag import DAG\ndag = DAG('a')\n",
    )
    home.one_dag("plain.py")
    one = deployed(dag_processor__min_file_process_interval=100)
    one.settle()

    assert one.later(50) == []
    assert one.later(51) == ["asks.py"]


def test_a_deleted_file_deactivates_its_dags(home, deployed):
    path = home.one_dag("a.py")
    one = deployed()
    one.settle()

    os.unlink(path)

    one.settle(heard=[path])
    assert one.active() == []
    home.one_dag("a.py")
    one.settle(heard=[path])
    assert one.active() == ["a"]


def test_a_file_that_breaks_keeps_its_dags_with_the_error_beside_them(home, deployed):
    path = home.one_dag("a.py")
    one = deployed()
    one.settle()

    home.write("a.py", "dag = airflow(\n")

    one.settle(heard=[path])
    assert (one.active(), one.errors()) == (["a"], {"a.py": "syntax"})


@pytest.mark.parametrize("source", ["import os\nos._exit(1)\n# airflow dag", "while True: pass\n# airflow dag"])
def test_a_file_whose_parse_ends_badly_keeps_its_dags(source, home, deployed):
    path = home.one_dag("a.py")
    one = deployed(core__dagbag_import_timeout=3)
    one.settle()

    home.write("a.py", source)

    one.settle(heard=[path])
    assert one.active() == ["a"]
    assert list(one.errors()) == ["a.py"]


def test_a_folder_that_vanishes_removes_no_dag(home, deployed):
    home.one_dag("team/a.py")
    one = deployed()
    one.settle()

    home.dags.rename(home.folder / "away")
    one.later(600)
    assert one.active() == ["a"]

    home.dags.mkdir()  # as a mount point without its file system
    one.later(600)
    assert one.active() == ["a"]

    home.one_dag("b.py")
    one.later(600)
    assert one.active() == ["b"]


def test_an_unreadable_folder_removes_no_dag(home, deployed):
    path = Path(home.one_dag("team/a.py"))
    one = deployed()
    one.settle()

    path.unlink()
    path.parent.rmdir()
    path.parent.symlink_to(path.parent)  # listing it fails, whoever asks
    one.later(600)
    assert one.active() == ["a"]

    path.parent.unlink()
    one.later(600)
    assert one.active() == []


def test_a_dag_id_that_two_files_define_belongs_to_the_first_and_passes_on_when_it_goes(home, deployed):
    first = home.one_dag("first.py", "same")
    one = deployed()
    one.settle()
    second = home.one_dag("second.py", "same")
    one.settle(heard=[second])
    assert one.errors() == {"second.py": "duplicate"}

    os.unlink(first)

    one.settle(heard=[first])
    assert (one.active(), one.errors()) == (["same"], {})
    with one.db.read() as tx:
        assert dags.find_dag_row(tx, "same").file == second


def test_members_of_an_archive_are_dag_files_with_the_archives_modules(home, deployed):
    archive = home.dags / "team.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr(
            "etl.py",
            "# airflow\nfrom inside.ids import ID\nfrom gnomon.authoring.sdk.dags.dag import DAG\ndag = DAG(ID)\n",
        )
        opened.writestr("plain.py", "x = 1\n")
        opened.writestr("inside/__init__.py", "")
        opened.writestr("inside/ids.py", "ID = 'zipped'  # airflow dag\n")
    one = deployed()

    assert one.settle() == ["etl.py"]
    assert one.active() == ["zipped"]
    assert one.later(600) == []
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("other.py", "# airflow\nfrom gnomon.authoring.sdk.dags.dag import DAG\ndag = DAG('other')\n")
    one.settle(heard=[str(archive)])
    assert one.active() == ["other"]
    archive.unlink()
    one.settle(heard=[str(archive)])
    assert one.active() == []


def test_a_file_that_is_ignored_from_now_on_is_no_dag_file(home, deployed):
    home.one_dag("keep/a.py")
    home.one_dag("skip/b.py")
    one = deployed()
    one.settle()

    ignore = home.write(".airflowignore", "skip/\n")

    one.settle(heard=[ignore])
    assert one.active() == ["a"]


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.soak)])
def test_a_file_that_generates_many_dags_is_recorded_whole(count, home, deployed):
    home.write(
        "many.py",
        f"""
        from gnomon.authoring.operators.empty import EmptyOperator
        from gnomon.authoring.sdk.dags.dag import DAG
        for number in range({count}):
            with DAG("many_" + str(number)):
                EmptyOperator(task_id="only")
    """,
    )
    one = deployed(core__dagbag_import_timeout=30, dag_processor__parsing_memory_limit=2048)

    one.settle()

    assert len(one.active()) == count
    assert one.later(600) == []


def test_a_file_that_is_deleted_while_it_is_parsed_is_no_error(home, deployed):
    path = home.write(
        "vanishes.py",
        """
        import os
        from gnomon.authoring.sdk.dags.dag import DAG
        os.unlink(__file__)
        raise RuntimeError("# airflow")
    """,
    )
    one = deployed()

    one.settle()

    assert not os.path.exists(path)
    assert (one.active(), one.errors()) == ([], {})


def test_a_sleeping_a_crashing_and_a_vanishing_file_delay_no_other(home, deployed):
    """The sleeper is started first and still sleeps when the twenty good ones are done."""
    good = [home.one_dag(f"good_{number:02}.py") for number in range(20)]
    for path in good:
        os.utime(path, (1_000_000_000, 1_000_000_000))
    home.write("sleeps.py", "import time\ntime.sleep(3600)\n# airflow dag\n")
    home.write("crashes.py", "import os\nos.abort()\n# airflow dag\n")
    home.write("vanishes.py", "import os\nos.unlink(__file__)\nos._exit(1)\n# airflow dag\n")
    one = deployed(core__dagbag_import_timeout=600, dag_processor__dag_file_processor_timeout=600)

    for _ in range(TURNS_MAX):
        one.processor.run_once()
        if len(one.active()) == 20:
            break
        select.select([one.parser.pool], [], [], 0.05)
        one.clock.ahead += 0.05

    assert [os.path.basename(path) for path in one.running()] == ["sleeps.py"]
    assert one.errors() == {"crashes.py": "crash"}


def test_while_the_store_is_away_outcomes_are_kept(home, deployed, monkeypatch):
    home.one_dag("a.py")
    one = deployed()
    write, calls = one.db.write, []

    def away():
        calls.append(1)
        if len(calls) < 3:
            raise store.DatabaseUnavailable("the database does not answer")
        return write()

    monkeypatch.setattr(one.db, "write", away)
    for _ in range(TURNS_MAX):
        one.clock.ahead += 1.0
        one.processor.run_once()
        if one.active():
            break
        select.select([one.parser.pool], [], [], 0.05)

    assert one.active() == ["a"]
    assert one.parsed == ["a.py"]


def test_a_dag_that_was_deleted_comes_back_from_its_file(home, deployed):
    home.one_dag("a.py")
    one = deployed()
    one.settle()
    with one.db.write() as tx:
        commit.delete_dags(tx, [dags.find_dag_row(tx, "a").dag_pk])
    assert one.active() == []

    assert one.later(10) == ["a.py"]
    assert one.active() == ["a"]


@pytest.mark.parametrize("paused", [True, False])
def test_new_dags_are_paused_as_the_option_says(paused, home, deployed):
    home.one_dag("a.py")
    one = deployed(core__dags_are_paused_at_creation=paused)
    one.settle()

    with one.db.read() as tx:
        assert bool(dags.find_dag_row(tx, "a").paused) is paused


def test_the_ignore_syntax_is_the_options(home, deployed):
    home.one_dag("team_a/a.py")
    home.one_dag("b.py")
    home.write(".airflowignore", "^team_.\n")

    by_glob, by_regexp = deployed(), deployed(core__dag_ignore_file_syntax="regexp")
    by_glob.settle()
    by_regexp.settle()

    assert (by_glob.active(), by_regexp.active()) == (["a", "b"], ["b"])


def test_without_safe_mode_every_python_file_is_parsed(home, deployed):
    home.write("plain.py", "x = 1\n")

    assert deployed().settle() == []
    assert deployed(core__dag_discovery_safe_mode=False).settle() == ["plain.py"]


def test_the_last_plugin_that_was_removed_meanwhile_is_gone_without_a_warning(home, deployed, caplog):
    plugin = home.plugins / "mine.py"
    plugin.write_text(
        "from airflow.plugins_manager import AirflowPlugin\n\n\nclass Mine(AirflowPlugin):\n    name = 'mine'\n"
    )
    one = deployed()
    assert one.settle() == ["mine.py"]

    plugin.unlink()
    one.restart()
    one.later(600)
    assert str(plugin) not in one.processor.queue
    assert _warnings(caplog, "folder_unavailable") == 0


def test_a_folder_that_stays_silent_is_told_once_however_much_happens_elsewhere(home, deployed, caplog):
    home.one_dag("a.py")
    one = deployed()
    one.settle()

    home.dags.rename(home.folder / "away")
    for number in range(3):
        (home.plugins / "mine.py").write_text(
            f"from airflow.plugins_manager import AirflowPlugin\n\n\nclass Mine(AirflowPlugin):\n    name = 'mine_{number}'\n"
        )
        assert "mine.py" in one.later(600)
    assert _warnings(caplog, "folder_unavailable") == 1

    (home.folder / "away").rename(home.dags)
    one.later(600)
    home.dags.rename(home.folder / "away")
    one.later(600)
    assert _warnings(caplog, "folder_unavailable") == 2


def _warnings(caplog, event: str) -> int:
    return [record.message for record in caplog.records].count(event)


USES = "from {module} import ID\nfrom gnomon.authoring.sdk.dags.dag import DAG\ndag = DAG(ID)\n"


@pytest.fixture
def site(tmp_path, monkeypatch) -> Path:
    """Where packages are installed: on the path, and not there yet."""
    folder = tmp_path / "python" / "site-packages"
    monkeypatch.syspath_prepend(str(folder))
    return folder


def _install(site: Path, module: str) -> None:
    path = site / f"{module.replace('.', '/')}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("ID = 'healed'\n")


@pytest.mark.parametrize("module", ["package_that_comes_late", "airflow.providers.package_that_comes_late.hooks.late"])
@pytest.mark.parametrize("is_there", [False, True], ids=["the first package", "one more package"])
def test_a_missing_package_that_is_installed_heals_the_import_within_seconds(module, is_there, home, deployed, site):
    if is_there:
        _install(site, "package_that_is_there")
    home.write("uses.py", USES.format(module=module))
    home.one_dag("plain.py")
    one = deployed(dag_processor__min_file_process_interval=3600)
    one.settle()
    assert one.errors() == {"uses.py": "import"}
    assert [one.settle() for _ in range(5)] == [[]] * 5, "parsed in vain"

    _install(site, module)
    assert sorted(one.settle() + one.settle() + one.settle()) == ["uses.py"]
    assert (one.active(), one.errors()) == (["healed", "plain"], {})


def test_an_installation_that_goes_on_is_waited_for_and_parsed_after_once(home, deployed, site):
    home.write("uses.py", USES.format(module="package_that_never_comes"))
    one = deployed(dag_processor__min_file_process_interval=3600)
    one.settle()
    for number in range(4):
        _install(site, f"package_{number}_of_several")
        assert one.settle() == []
    assert one.settle() == ["uses.py"]
    assert [one.settle() for _ in range(3)] == [[]] * 3


def test_a_package_that_was_installed_while_nobody_looked_heals_the_import_at_the_start(home, deployed, site):
    home.write("uses.py", USES.format(module="package_that_comes_late"))
    home.one_dag("plain.py")
    one = deployed(dag_processor__min_file_process_interval=3600)
    one.settle()

    _install(site, "package_that_comes_late")
    one.restart()
    assert one.settle() == ["uses.py"]
    assert one.errors() == {}


def test_a_refresh_that_brings_no_other_version_of_a_bundle_lists_no_file(home, deployed):
    one = deployed()
    folder = home.folder / "bundle"
    folder.mkdir()
    text = Path(home.one_dag("first.py")).read_text()
    (folder / "first.py").write_text(text.replace("first", "of_bundle"))
    one.processor.on_bundle_refreshed("team", str(folder), "v1")
    assert sorted(one.settle()) == ["first.py", "first.py"]

    (folder / "second.py").write_text(text.replace("first", "second"))
    one.processor.on_bundle_refreshed("team", str(folder), "v1")
    assert one.settle() == []
    one.processor.on_bundle_refreshed("team", str(folder), "v2")
    assert one.settle() == ["second.py"]


def test_each_refresh_of_a_bundle_without_versions_lists_its_files(home, deployed):
    one = deployed()
    folder = home.folder / "bundle"
    folder.mkdir()
    text = Path(home.one_dag("first.py")).read_text()
    one.processor.on_bundle_refreshed("team", str(folder), None)
    assert one.settle() == ["first.py"]
    (folder / "second.py").write_text(text.replace("first", "second"))
    one.processor.on_bundle_refreshed("team", str(folder), None)
    assert one.settle() == ["second.py"]
