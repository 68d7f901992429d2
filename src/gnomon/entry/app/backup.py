"""Copies a SQLite database while services write to it, puts a copy back, and says how PostgreSQL does both."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from gnomon.entry.app.checks import HomeLock
from gnomon.ground.config import Config
from gnomon.model.errors.product import ConfigurationError, UserError
from gnomon.model.sentences import Command, say
from gnomon.storage.store import Database, SchemaTooOld, StoreError, key_check, load_cipher, open_database
from gnomon.storage.store.address import SQLITE, Address, parse_address

PAGES_PER_STEP = 2000
STEP_PAUSE_S = 0.005
"""Pause of the copy between two steps, so that writers get their turn."""
OWNER_ONLY = 0o600


def describe_postgres_backup(address: Address, file: str) -> str:
    """The command that writes a PostgreSQL database to a file."""
    return f"pg_dump --format=custom --file={file} '{address.display_url}'"


def describe_postgres_restore(address: Address, file: str) -> str:
    """The command that puts it back."""
    return f"pg_restore --clean --if-exists --single-transaction --dbname='{address.display_url}' {file}"


def back_up_sqlite(cfg: Config, target: Path) -> int:
    """Copy the database of this home to a new file while services run; returns its size in bytes.

    The copy is one consistent state. It has the name `target` only when it is complete, and only its owner can read it. Raises
    UserError when the target exists or cannot be written.
    """
    address = parse_address(cfg.database_url)
    if target.exists():
        raise UserError(say("backup_file_exists", file=str(target)))
    unfinished = target.with_name(target.name + ".part")
    try:
        with _new_file(unfinished):
            with closing(_open_read_only(address.path)) as source, closing(sqlite3.connect(unfinished)) as copy:
                source.backup(copy, pages=PAGES_PER_STEP, sleep=STEP_PAUSE_S)
                copy.execute("PRAGMA journal_mode = DELETE")
                (verdict,) = copy.execute("PRAGMA quick_check").fetchone()
            if verdict != "ok":
                raise UserError(
                    say("copy_is_not_sound", file=str(address.path), reason=verdict, command=Command("doctor"))
                )
            os.rename(unfinished, target)
    except (OSError, sqlite3.Error) as error:
        raise UserError(say("backup_cannot_be_written", file=str(target), error=str(error))) from error
    return target.stat().st_size


@contextmanager
def _new_file(path: Path) -> Iterator[None]:
    """Create an empty file that only its owner can read; remove it if the block raises."""
    path.unlink(missing_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER_ONLY))
    try:
        yield
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def restore_sqlite(cfg: Config, source: Path, stamp: str) -> Path | None:
    """Put a backup in the place of the database of this home; returns where the database that was there is now.

    `stamp`: the time in the name of the file that is moved away. Raises UserError when the backup is not a database of this
    release, when its key is not that of this home, or when services run; then nothing is changed.
    """
    check_backup(cfg, source)
    lock = HomeLock(cfg)
    try:
        address = parse_address(cfg.database_url)
        _check_no_service(cfg, address)
        new = address.path.with_name(address.path.name + ".restoring")
        with _new_file(new):
            with closing(_open_read_only(source)) as backup, closing(sqlite3.connect(new)) as copy:
                backup.backup(copy)
            moved = _move_away(address.path, stamp)
            os.rename(new, address.path)
        return moved
    finally:
        lock.close()


def check_backup(cfg: Config, source: Path) -> None:
    """Return when the file is a sound database of this release or an older one, whose values the key of this home decrypts."""
    if not source.is_file():
        raise UserError(say("backup_does_not_exist", file=str(source), command=Command("db backup")))
    try:
        with _open(cfg, f"sqlite:///{quote(str(source.absolute()))}") as database:
            database.check_key()
    except SchemaTooOld:
        pass  # the next start, or gnomon db migrate, brings it to this version, and checks the key
    with closing(_open_read_only(source)) as connection:
        (verdict,) = connection.execute("PRAGMA quick_check").fetchone()
    if verdict != "ok":
        raise UserError(say("backup_is_damaged", file=str(source), reason=verdict))


def _open_read_only(path: Path) -> sqlite3.Connection:
    """A connection that cannot write; the path may contain characters that have a meaning in a URI."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


def _check_no_service(cfg: Config, address: Address) -> None:
    if not address.path.exists():
        return
    try:
        with _open(cfg, cfg.database_url) as database, database.read() as tx:
            running = key_check.list_live_services(tx)
    except (StoreError, ConfigurationError):
        return  # a damaged database is what a backup replaces
    if running:
        raise UserError(say("services_use_database", names=", ".join(running)))


def _move_away(path: Path, stamp: str) -> Path | None:
    if not path.exists():
        return None
    moved = path.with_name(f"{path.name}.before-restore-{stamp}")
    for suffix in ("-wal", "-shm"):
        beside = path.with_name(path.name + suffix)
        if beside.exists():
            beside.rename(moved.with_name(moved.name + suffix))
    path.rename(moved)
    return moved


def _open(cfg: Config, url: str) -> closing[Database]:
    return closing(open_database(url, cipher=load_cipher(cfg)))


def is_sqlite(cfg: Config) -> bool:
    """Whether the database of this home is a SQLite file."""
    return parse_address(cfg.database_url).dialect == SQLITE
