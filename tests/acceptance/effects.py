"""The register of tests for the effects of options, and a home in which a test can observe them."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tests.unit.entry.cli.deployment import Deployment, Ended

from gnomon.author_code.loading.dagfile import load_dag_file
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.main import main
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import Config, load_config, set_current_config
from gnomon.model.instants import SECOND, Instant
from gnomon.model.spec import FileInputs, ParsedDag, ParsedFile
from gnomon.model.states import TaskInstanceState
from gnomon.services.dagfiles.settings import build_dag_processor_settings as dagfiles_settings
from gnomon.services.worker.settings import build_worker_settings as worker_settings
from gnomon.storage.store.dag_records import dag_runs
from gnomon.storage.store.parsed_files import dag_files
from gnomon.testing import ScriptedWorker

F = TypeVar("F", bound=Callable[..., object])
SEEN_BY: dict[str, list[str]] = {}
"""Option (`section.name`) to the tests that see its effect; filled by importing the modules of tests."""


def effect_of(*options: str) -> Callable[[F], F]:
    """Mark a test that fails when one of these options loses its effect."""

    def note(test: F) -> F:
        for option in options:
            SEEN_BY.setdefault(option, []).append(test.__name__)
        return test

    return note


def options(home: Path, **values: object) -> Config:
    """The configuration of a home with options given as `section__name=value`."""
    return load_config({f"GNOMON__{name.upper()}": str(value) for name, value in values.items()}, home)


class World(Deployment):
    """DAG files read in this process, the real scheduler under a virtual clock, a scripted worker as large as the options say."""

    def __init__(self, cfg: Config, database: Path, start: Instant) -> None:
        self.cfg = cfg
        set_current_config(cfg)
        cfg.home.mkdir(parents=True, exist_ok=True)
        shutil.copy(database, cfg.home / "gnomon.db")
        self.home = Home(cfg, VirtualClock(start))
        super().__init__(self.home, self.home.clock)  # type: ignore[arg-type]
        self._worker = ScriptedWorker("worker-1", self.clock, self._play, worker_settings(cfg, {}).slots)
        self._files = 0

    def file(self, text: str, name: str = "flow.py") -> None:
        """Write a file into the DAGs folder and parse it."""
        self._files += 1
        path = self.cfg.home / f"{self._files}" / name
        path.parent.mkdir()
        path.write_text(
            "from datetime import datetime, timedelta, timezone\nfrom gnomon.authoring.sdk import *\n"
            + textwrap.dedent(text)
        )
        before = list(sys.path)
        try:
            loaded = load_dag_file(path).dags.values()
            dags = tuple(build_dag_spec(dag, str(path)) for dag in loaded)
        finally:
            sys.path[:] = before
        warnings = tuple(told for dag in loaded for told in dag.warnings)
        self._record(str(self.cfg.dags_folder / name), dags, warnings)

    def _record(self, path: str, dags: tuple[ParsedDag, ...], warnings: tuple[str, ...]) -> None:
        parsed = ParsedFile(path=path, inputs=FileInputs(input_hash=str(self._files)), dags=dags, warnings=warnings)
        paused = dagfiles_settings(self.cfg).paused_by_default
        with self.db.write() as tx:
            dag_files.record_parsed(tx, parsed, at=self.clock.now(), paused_by_default=paused)

    def go(self, seconds: float = 0.0) -> None:
        """Run the scheduler for so many seconds of virtual time."""
        if self._service is None:
            self.start()
        self.move(seconds)

    def tick(self) -> None:
        """Run one tick of the scheduler."""
        assert self._service is not None
        self._service.tick()

    def cli(self, *words: str) -> Ended:
        """Run a command on this home."""
        import contextlib
        import io

        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(words, obj=self.home)
        return Ended(code, out.getvalue(), err.getvalue())

    def runs(self, dag_id: str) -> list[str]:
        """`HH:MM:SS` of the runs of a DAG, in order of time."""
        with self.db.read() as tx:
            found = sorted(run.run_after for run in dag_runs.list_runs(tx, dag_id))
        return [
            f"{at // SECOND % 86400 // 3600:02}:{at // SECOND % 3600 // 60:02}:{at // SECOND % 60:02}" for at in found
        ]

    def states(self, dag_id: str) -> list[dict[str, tuple[TaskInstanceState | None, int]]]:
        """State and try of each task, run by run in order of time."""
        with self.db.read() as tx:
            found = sorted(dag_runs.list_runs(tx, dag_id), key=lambda run: run.run_after)
            rows = [dag_runs.list_task_states(tx, run.run_pk) for run in found]
        names = self._names(dag_id)
        return [{names[row.task_no]: (row.state, row.try_number) for row in each} for each in rows]

    def _names(self, dag_id: str) -> dict[int, str]:
        from gnomon.queries.report.listings.dag_list import find_dag

        with self.db.read() as tx:
            return {number: task_id for task_id, number in find_dag(tx, dag_id).task_numbers.items()}

    @property
    def attempts_per_child(self) -> set[int]:
        """After how many attempts the worker is told to end a process, over all that runs at this moment."""
        return {one.attempt.attempts_per_child for one in self._worker.live.values()}

    @property
    def live(self) -> list[str]:
        """Ids of the tasks that run at this moment, in the order in which they came."""
        return [one.attempt.task_id for one in self._worker.live.values()]
