"""Hosts and their keys as a person meets them: a host with another key is refused as it starts, with what to do."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.acceptance.product import Ended
from tests.commands import run_command
from tests.postgres import own_schema

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
FILE = "fernet.key"
SERVICES = (
    ("triggerer",),
    ("scheduler",),
    ("worker",),
    ("dag-processor",),
    ("api-server", "--port", "0"),
    ("standalone", "--port", "0"),
)


class Host:
    """A home, and the commands that are typed there."""

    def __init__(self, home: Path, url: str | None) -> None:
        home.mkdir()
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("GNOMON_", "AIRFLOW_"))}
        place = {} if url is None else {"GNOMON__DATABASE__SQL_ALCHEMY_CONN": url}
        self._env = {**inherited, **place, "GNOMON_HOME": str(home)}
        self.key = home / FILE

    def __call__(self, *words: str, **options: str) -> Ended:
        done = run_command(*words, env={**self._env, **options})
        return Ended(done.returncode, done.stdout, done.stderr)


NewHost = Callable[[str], Host]


@pytest.fixture
def on_postgres(tmp_path: Path) -> Iterator[NewHost]:
    """Hosts of one database."""
    with own_schema() as url:
        yield lambda name: Host(tmp_path / name, url)


@pytest.fixture
def two(on_postgres: NewHost, tmp_path: Path) -> tuple[Host, Host]:
    """The first has made the database, in which nothing is encrypted; the second has a key of its own, from a life before."""
    first, second = on_postgres("first"), on_postgres("second")
    assert first("db", "migrate").code == 0
    assert Host(tmp_path / "before", None)("db", "migrate").code == 0
    shutil.copy(tmp_path / "before" / FILE, second.key)
    return first, second


@pytest.mark.postgres
def test_every_service_of_a_host_with_another_key_is_refused_at_once(two: tuple[Host, Host]) -> None:
    first, second = two
    for service in (*SERVICES, ("db", "migrate"), ("db", "check"), ("variables", "set", "k", "v")):
        code, out, err = second(*service)
        assert (service, code, out) == (service, 1, "")
        assert f"{second.key} does not open" in err
        assert "every host needs the same key. Copy fernet.key from the home that made it" in err
        assert "gnomon db adopt-key" in err
        assert "Traceback" not in err
    shutil.copy(first.key, second.key)
    assert second("db", "check").code == 0


@pytest.mark.postgres
def test_a_host_without_a_key_is_told_so_and_makes_none(on_postgres: NewHost) -> None:
    first, second = on_postgres("first"), on_postgres("second")
    assert first("db", "migrate").code == 0
    code, out, err = second("triggerer")
    assert (code, out) == (1, "")
    assert f"{second.key} is not there: every host needs the same key" in err
    assert not second.key.exists()


@pytest.mark.postgres
def test_a_key_is_changed_host_by_host(two: tuple[Host, Host]) -> None:
    first, second = two
    old, new = first.key.read_text().strip(), second.key.read_text().strip()
    assert first("db", "migrate", GNOMON__CORE__FERNET_KEY=f"{new},{old}").code == 0
    assert second("db", "check").code == 0
    refused = first("triggerer")
    assert refused.code == 1
    assert f"{first.key} does not open" in refused.err


def test_a_key_that_was_lost_is_replaced_when_nothing_needs_it(tmp_path: Path) -> None:
    host = Host(tmp_path / "home", None)
    assert host("db", "migrate").code == 0
    assert host("variables", "set", "k", "v").code == 0
    host.key.unlink()
    lost = host("standalone", "--port", "0")
    assert lost.code == 1
    assert f"{host.key} is not there" in lost.err
    assert "`gnomon db adopt-key --help`" in lost.err
    refused = host("db", "adopt-key")
    assert (refused.code, refused.out) == (1, "")
    assert "only the old key opens what this database holds: Variable k; nothing was changed" in refused.err
    assert not host.key.exists()
    assert host("variables", "delete", "k").code == 0
    assert host("db", "adopt-key").code == 0
    assert host("db", "check").code == 0
    assert host("variables", "set", "k", "w").code == 0
    assert host("variables", "get", "k").out == "w\n"
