"""Every reason that a scheduler stores in random deployments is a sentence of the catalogue: in Chinese no English words are left."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from gnomon.entry.simulate import FaultPlan
from gnomon.ground.config.language_files import find_language
from gnomon.model.languages.translation import translate

from .projected_deployments import build_deployment, run_in_store
from .world import simulate

WORLD_SEEDS, DEPLOYMENT_SEEDS = (100, 101, 103), range(4)
COLUMNS = {"task_instance": "reason", "attempt": "reason", "dag_run": "reason", "run_wait": "reason", "dag": "error"}
OF_SCRIPTS = re.compile("ValueError: by chance|killed by signal 9|the child died before it entered")
"""What the scripts of attempts say, as authors would."""
REASONS_MIN = 30


def list_reasons(folder: Path) -> Iterator[str]:
    for file in folder.glob("*.db"):
        with closing(sqlite3.connect(file)) as db:
            for table, column in COLUMNS.items():
                names = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
                if column in names:
                    yield from (row[0] for row in db.execute(f"SELECT DISTINCT {column} FROM {table}") if row[0])
            yield from (row[0] for row in db.execute("SELECT body FROM event_log WHERE kind = 'run_failed'"))


def test_no_stored_reason_is_left_in_english(tmp_path: Path) -> None:
    for seed in WORLD_SEEDS:
        simulate(tmp_path, seed, FaultPlan(), worker_deaths=0.005, people=True)
    for seed in DEPLOYMENT_SEEDS:
        run_in_store(tmp_path, build_deployment(seed))
    chinese = find_language("zh")
    assert chinese is not None
    reasons = {OF_SCRIPTS.sub("X9", reason) for reason in list_reasons(tmp_path)} - {"X9"}
    assert len(reasons) > REASONS_MIN
    words = {reason: translate(reason, chinese) for reason in reasons}
    assert {
        reason: text for reason, text in words.items() if text == reason or re.search(r"[a-z]{2,} [a-z]{2,}", text)
    } == {}
