"""Files that cannot serve as a database, and disks that are full, in words."""

from __future__ import annotations

import os
import pwd
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.keys import CIPHER

from gnomon.model.errors import GnomonError
from gnomon.storage.store import Database, DatabaseNotInitialised, DiskFull, UnusableFile, migrations, open_database
from gnomon.storage.store.admin import variables
from gnomon.storage.store.drivers.sqlite_file import check_file_system, check_library, find_file_system

MOUNTS = """\
/dev/vda / ext4 rw 0 0
server:/export /net nfs4 rw 0 0
/dev/vdb /net/local xfs rw 0 0
host:/x /with\\040space fuse.sshfs rw 0 0
"""


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    url = f"sqlite:///{tmp_path / 'gnomon.db'}"
    migrations.upgrade_schema(url)
    database = open_database(url, cipher=CIPHER)
    yield database
    database.close()


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/home/me", "ext4"),
        ("/net/home", "nfs4"),
        ("/net/local/home", "xfs"),
        ("/with space/a", "fuse.sshfs"),
        ("/nets", "ext4"),
    ],
)
def test_the_nearest_mount_tells_the_file_system(folder: str, kind: str) -> None:
    assert find_file_system(Path(folder), MOUNTS) == kind


def test_a_network_file_system_is_refused_with_the_remedy(tmp_path: Path) -> None:
    check_file_system(tmp_path / "g.db", MOUNTS)
    with pytest.raises(UnusableFile, match=r"network file system \(nfs4\).*local disk"):
        check_file_system(tmp_path / "g.db", f"server:/export {tmp_path.resolve()} nfs4 rw 0 0\n")


def test_an_old_sqlite_is_refused_with_the_remedy() -> None:
    check_library((3, 35, 0))
    with pytest.raises(UnusableFile, match=r"3\.34\.1.*3\.35"):
        check_library((3, 34, 1))


@pytest.mark.ordinary
def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "g.db").write_text("this is a text file, not a database\n" * 100)
    before = os.listdir("/dev/fd")
    for ask in (open_database, migrations.upgrade_schema):
        with pytest.raises(UnusableFile, match="not a usable SQLite database"):
            ask(f"sqlite:///{tmp_path / 'g.db'}")
    assert len(os.listdir("/dev/fd")) <= len(before), "a descriptor is left open"


def test_a_missing_file_is_not_made_by_opening_it(tmp_path: Path) -> None:
    with pytest.raises(DatabaseNotInitialised, match="gnomon db migrate"):
        open_database(f"sqlite:///{tmp_path / 'g.db'}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.ordinary
def test_a_full_disk_stores_nothing_and_says_so(db: Database) -> None:
    with pytest.raises(DiskFull, match="free some space"), db.write() as tx:
        pages = tx._connection._connection.execute("PRAGMA page_count").fetchone()[0]
        tx._connection._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        variables.set_variable(tx, "small", "1")
        variables.set_variable(tx, "large", "x" * 100_000)
    with db.write() as tx:
        assert variables.list_variable_keys(tx) == []
        variables.set_variable(tx, "small", "2")


@pytest.mark.ordinary
def test_a_program_that_locks_the_file_without_the_write_lock_is_named(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gnomon.storage.store import DatabaseUnavailable
    from gnomon.storage.store.drivers import sqlite

    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_S", 0.05)
    other = sqlite3.connect(db.address.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    fresh = open_database(db.url, cipher=CIPHER)
    with pytest.raises(DatabaseUnavailable, match="without Gnomon's write lock"), fresh.write():
        pass
    other.execute("ROLLBACK")
    with fresh.write() as tx:
        variables.set_variable(tx, "k", "1")
    fresh.close()
    other.close()


@pytest.fixture
def others_home() -> Iterator[Path]:
    """A folder that everybody may read and only we may write."""
    home = Path(tempfile.mkdtemp(prefix="gnomon-home-"))
    home.chmod(0o755)
    yield home
    shutil.rmtree(home)


@pytest.mark.ordinary
@pytest.mark.skipif(os.getuid() != 0, reason="needs root, to become another user")
@pytest.mark.parametrize(
    ("prepare", "act"),
    [
        ("nothing", migrations.upgrade_schema),
        ("database", open_database),
        ("hidden", open_database),
        ("hidden", migrations.upgrade_schema),
    ],
)
def test_a_home_that_cannot_be_written_is_named_with_the_remedy(
    others_home: Path, prepare: str, act: Callable[[str], object]
) -> None:
    url = f"sqlite:///{others_home / 'gnomon.db'}"
    if prepare == "database":
        migrations.upgrade_schema(url)
    if prepare == "hidden":
        others_home.chmod(0o700)
    message = as_nobody(lambda: act(url))
    assert message.startswith("DatabaseReadOnly: ")
    assert str(others_home) in message
    assert "mode" in message or "rights" in message


def as_nobody(act: Callable[[], object]) -> str:
    """What a process of another user says when it does that."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([])
            os.setgid(pwd.getpwnam("nobody").pw_gid)
            os.setuid(pwd.getpwnam("nobody").pw_uid)
            act()
            said = "nothing"
        except GnomonError as error:
            said = f"{type(error).__name__}: {error}"
        except BaseException as error:
            said = f"unworded {type(error).__name__}: {error}"
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as said_by:
        message = said_by.read()
    os.waitpid(pid, 0)
    return message
