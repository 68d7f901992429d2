"""A home with a DAG folder, and a real parse server for it."""

from __future__ import annotations

import select
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.patience import PATIENCE_S

from gnomon.author_code.processes.memory import mapped_bytes
from gnomon.author_code.processes.task_api_messages import TaskApiHandler
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import Config, load_config, set_current_config
from gnomon.model.spec import ParsedFile
from gnomon.services.dagfiles.inputs import create_environment_stamps
from gnomon.services.dagfiles.parse_pool import ParsePool
from gnomon.services.dagfiles.service import start_parse_pool
from gnomon.services.dagfiles.settings import build_dag_processor_settings

ONE_DAG = """
    from datetime import datetime, timezone
    from gnomon.authoring.operators.empty import EmptyOperator
    from gnomon.authoring.sdk.dags.dag import DAG

    with DAG({dag_id!r}, schedule="@daily", start_date=datetime(2026, 1, 1, tzinfo=timezone.utc)):
        EmptyOperator(task_id="only")
"""


class Home:
    """One installation's folders."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.dags = folder / "dags"
        self.plugins = folder / "plugins"
        self.dags.mkdir(parents=True)
        self.plugins.mkdir()

    def write(self, name: str, text: str) -> str:
        """`name` below the DAG folder holds the text; returns its path."""
        path = self.dags / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return str(path)

    def one_dag(self, name: str, dag_id: str | None = None) -> str:
        """A good file with one DAG."""
        return self.write(name, ONE_DAG.format(dag_id=dag_id or Path(name).stem))

    def config(self, **options: object) -> Config:
        """Options as `section__name=value`."""
        environ = {f"GNOMON__{name.upper()}": str(value) for name, value in options.items()}
        return load_config(environ, self.folder)


class Parser:
    """A parse pool, asked one file at a time."""

    def __init__(self, cfg: Config, answers: TaskApiHandler | None = None) -> None:
        set_current_config(cfg)
        self.settings = build_dag_processor_settings(cfg)
        self.facts = create_environment_stamps(cfg)
        self.clock = SystemClock()
        self.pool: ParsePool = start_parse_pool(cfg, self.settings, self.facts, self.clock)
        if answers is not None:
            self.pool.handle_task_api = answers

    def parse(self, path: str) -> ParsedFile:
        """What parsing this file gives."""
        self.pool.start(path)
        return self.wait(1)[0]

    def wait(self, count: int) -> list[ParsedFile]:
        """The next `count` outcomes."""
        outcomes: list[ParsedFile] = []
        while len(outcomes) < count:
            ready, _, _ = select.select([self.pool], [], [], PATIENCE_S)
            assert ready, f"no outcome after {PATIENCE_S} s"
            outcomes += self.pool.poll()
        return outcomes


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def parser_with() -> Iterator[Callable[..., Parser]]:
    """Makes parsers; their servers end with the test."""
    made: list[Parser] = []

    def make(cfg: Config, answers: TaskApiHandler | None = None) -> Parser:
        made.append(Parser(cfg, answers))
        return made[-1]

    yield make
    for parser in made:
        parser.pool.close()
    set_current_config(None)


@pytest.fixture
def parser(home: Home, parser_with: Callable[..., Parser]) -> Parser:
    """Time is no matter, however busy the machine; memory is."""
    return parser_with(
        home.config(
            core__dagbag_import_timeout=PATIENCE_S,
            dag_processor__dag_file_processor_timeout=int(2 * PATIENCE_S),
            dag_processor__parsing_memory_limit=200 + mapped_bytes() // 2**20,  # the servers are forks of this process
        )
    )


@pytest.fixture
def hasty(home: Home, parser_with: Callable[..., Parser]) -> Parser:
    """An import has a second, for files that never end: an import that ends is asked of `parser`."""
    return parser_with(
        home.config(core__dagbag_import_timeout=1, dag_processor__dag_file_processor_timeout=int(2 * PATIENCE_S))
    )


@pytest.fixture
def stern(home: Home, parser_with: Callable[..., Parser]) -> Parser:
    """A child has three seconds, for files that its own limit does not end."""
    return parser_with(home.config(core__dagbag_import_timeout=1, dag_processor__dag_file_processor_timeout=3))
