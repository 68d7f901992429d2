"""What this machine can do at best: a transaction of one row that waits for the disk. The yardstick of whatever is stored."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

SECONDS = 1.0


def sqlite_commits() -> float:
    """Commits a second of SQLite in the folder for temporary files, with the options of Gnomon: a write-ahead log, and each commit waits for the disk."""
    with tempfile.TemporaryDirectory(prefix="gnomon-bench-") as folder:
        db = sqlite3.connect(Path(folder) / "commits.db", isolation_level=None)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")
            db.execute("CREATE TABLE t (n INTEGER)")
            return _rate(lambda: db.execute("INSERT INTO t VALUES (1)"))
        finally:
            db.close()


def postgresql_commits(url: str) -> float:
    """Commits a second of one connection to this database."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as db:
        db.execute("CREATE TABLE gnomon_bench_commits (n INTEGER)")
        try:
            return _rate(lambda: db.execute("INSERT INTO gnomon_bench_commits VALUES (1)", prepare=True))
        finally:
            db.execute("DROP TABLE gnomon_bench_commits")


def _rate(commit: Callable[[], object]) -> float:
    began, count = time.perf_counter(), 0
    while time.perf_counter() - began < SECONDS:
        commit()
        count += 1
    return count / (time.perf_counter() - began)
