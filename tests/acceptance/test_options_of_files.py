"""Options of the dag-processor, each seen in which files are parsed, when, and how they end: a real parse server, a real store."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.acceptance.effects import effect_of
from tests.databases import create_schema
from tests.unit.services.dagfiles.conftest import Home, Parser
from tests.unit.services.dagfiles.test_processor import Deployment

from gnomon.ground.config import set_current_config
from gnomon.services.dagfiles.settings import examples_folder

Deploy = Callable[..., Deployment]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("database") / "empty.db"
    create_schema(f"sqlite:///{path}")
    return path


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def deployed(home: Home, tmp_path: Path, database: Path) -> Iterator[Deploy]:
    """Makes a dag-processor under some options."""
    made: list[Deployment] = []

    def deploy(**options: object) -> Deployment:
        path = tmp_path / f"gnomon{len(made)}.db"
        shutil.copy(database, path)
        made.append(Deployment(home, Parser(home.config(**options)), path))
        return made[-1]

    yield deploy
    for one in made:
        one.parser.pool.close()
        one.db.close()
    set_current_config(None)


@effect_of("dag_processor.parsing_processes")
@pytest.mark.parametrize(("processes", "at_once"), [(1, 1), (3, 3)])
def test_so_many_files_are_parsed_at_a_time(home: Home, deployed: Deploy, processes: int, at_once: int) -> None:
    for number in range(5):
        home.one_dag(f"f{number}.py")
    one = deployed(dag_processor__parsing_processes=processes)
    one.clock.ahead += 1.0
    one.processor.run_once()
    assert len(one.parser.pool.running()) == at_once


@effect_of("dag_processor.refresh_interval")
@pytest.mark.parametrize(("interval", "parsed"), [(100, []), (5, ["new.py"])])
def test_the_folder_is_listed_every_interval(home: Home, deployed: Deploy, interval: int, parsed: list[str]) -> None:
    one = deployed(dag_processor__refresh_interval=interval)
    one.settle()
    home.one_dag("new.py")
    assert one.later(10) == parsed
    assert one.later(100) == (["new.py"] if not parsed else [])


@effect_of("dag_processor.min_file_process_interval")
@pytest.mark.parametrize(("interval", "parsed"), [(100, []), (5, ["asks.py"])])
def test_a_file_that_looks_further_is_parsed_every_interval(
    home: Home, deployed: Deploy, interval: int, parsed: list[str]
) -> None:
    home.write(
        "asks.py",
        "import subprocess\nsubprocess.run(['true'])\nfrom gnomon.authoring.sdk.dags.dag import DAG\ndag = DAG('a')\n",
    )
    one = deployed(dag_processor__min_file_process_interval=interval)
    one.settle()
    assert one.later(10) == parsed


@effect_of("dag_processor.file_parsing_sort_mode")
@pytest.mark.parametrize(
    ("mode", "order"), [("alphabetical", ["a.py", "b.py", "c.py"]), ("modified_time", ["c.py", "b.py", "a.py"])]
)
def test_files_are_parsed_in_the_order_of_the_mode(home: Home, deployed: Deploy, mode: str, order: list[str]) -> None:
    for age, name in enumerate(("c.py", "b.py", "a.py")):
        os.utime(home.one_dag(name), (1_700_000_000 - age, 1_700_000_000 - age))
    one = deployed(dag_processor__file_parsing_sort_mode=mode.upper(), dag_processor__parsing_processes=1)
    assert one.settle() == order


@effect_of("core.dag_discovery_safe_mode")
@pytest.mark.parametrize(("safe", "parsed"), [(True, []), (False, ["plain.py"])])
def test_safe_mode_skips_files_without_the_words(home: Home, deployed: Deploy, safe: bool, parsed: list[str]) -> None:
    home.write("plain.py", "print('nothing of the kind')")
    assert deployed(core__dag_discovery_safe_mode=safe).settle() == parsed


@effect_of("core.dag_ignore_file_syntax")
@pytest.mark.parametrize(("syntax", "parsed"), [("glob", ["xtmp.py"]), ("Regexp", ["tmp.py"])])
def test_the_ignore_file_is_read_in_its_syntax(home: Home, deployed: Deploy, syntax: str, parsed: list[str]) -> None:
    home.one_dag("tmp.py")
    home.one_dag("xtmp.py")
    home.write(".airflowignore", "tmp.*\n" if syntax == "glob" else "x.*py\n")
    assert deployed(core__dag_ignore_file_syntax=syntax).settle() == parsed


@effect_of("core.dagbag_import_timeout")
@pytest.mark.parametrize(("seconds", "errors"), [(0.2, {"slow.py": "timeout"}), (30, {})])
def test_an_import_may_take_so_long(home: Home, deployed: Deploy, seconds: float, errors: dict[str, str]) -> None:
    home.write(
        "slow.py", "import time\ntime.sleep(0.6)\nfrom gnomon.authoring.sdk.dags.dag import DAG\ndag = DAG('a')\n"
    )
    one = deployed(core__dagbag_import_timeout=seconds)
    one.settle()
    assert one.errors() == errors


@effect_of("dag_processor.dag_file_processor_timeout")
def test_a_parse_child_that_hides_from_the_import_timeout_is_killed_after_so_long(home: Home, deployed: Deploy) -> None:
    home.write(
        "stubborn.py",
        """
        import signal, time
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        time.sleep(1.6)
        from gnomon.authoring.sdk.dags.dag import DAG
        dag = DAG("late")
    """,
    )
    short = deployed(dag_processor__dag_file_processor_timeout=1, core__dagbag_import_timeout=30)
    short.settle()
    assert (short.active(), short.errors()) == ([], {"stubborn.py": "timeout"})
    long = deployed(dag_processor__dag_file_processor_timeout=30, core__dagbag_import_timeout=30)
    long.settle()
    assert (long.active(), long.errors()) == (["late"], {})


@effect_of("dag_processor.parsing_memory_limit")
@pytest.mark.parametrize(("megabytes", "errors"), [(100, {"large.py": "memory"}), (0, {}), (2048, {})])
def test_a_parse_child_may_take_so_much_memory(
    home: Home, deployed: Deploy, megabytes: int, errors: dict[str, str]
) -> None:
    home.write(
        "large.py", "x = bytearray(300_000_000)\nfrom gnomon.authoring.sdk.dags.dag import DAG\ndag = DAG('a')\n"
    )
    one = deployed(dag_processor__parsing_memory_limit=megabytes)
    one.settle()
    assert one.errors() == errors


@effect_of("core.load_examples", "core.dags_folder", "core.plugins_folder")
def test_files_come_from_the_folders_and_the_examples_that_the_options_name(home: Home, deployed: Deploy) -> None:
    flows, extra = home.folder / "flows", home.folder / "extra"
    flows.mkdir()
    extra.mkdir()
    (extra / "from_plugins.py").write_text("ID = 'named_by_a_plugin'\n")
    (flows / "flow.py").write_text(
        "from from_plugins import ID\nfrom gnomon.authoring.sdk.dags.dag import DAG\ndag = DAG(ID)\n"
    )
    home.one_dag("elsewhere.py")
    plain = deployed()
    plain.settle()
    assert plain.active() == ["elsewhere"]
    moved = deployed(core__dags_folder="flows", core__plugins_folder="extra", core__load_examples=True)
    moved.settle()
    examples = sorted(path.stem for path in Path(examples_folder()).glob("example_*.py"))
    assert moved.active() == [*examples, "named_by_a_plugin"]
