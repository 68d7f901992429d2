"""A home that Gnomon had made before its schema became revision 1: the next start upgrades it, and its runs are continued to their ends."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.acceptance.product import Product
from tests.conformance.storeworld import raw
from tests.databases import BOTH, empty_database
from tests.former_home.database import load_former_database
from tests.former_home.make_former_home import DATA, KEY

from gnomon.storage.store import SchemaTooOld, migrations, open_database
from gnomon.storage.store.admin import variables
from gnomon.storage.store.encryption.cipher import Cipher
from gnomon.storage.store.schema_revision import HEAD

FORMER_TRIGGERS = {
    "gnomon.operators.triggers.temporal.DateTimeTrigger",
    "gnomon.operators.triggers.file.FileTrigger",
    "former_plugin.FlagTrigger",
}
ENDS = {
    "orders": [
        "scheduled__2025-01-06T06:00:00+00:00",
        "scheduled__2025-01-07T06:00:00+00:00",
        "scheduled__2025-01-08T06:00:00+00:00",
    ],
    "inventory": ["scheduled__2025-01-07T12:00:00+00:00", "scheduled__2025-01-08T00:00:00+00:00"],
    "reports": ["first", "second"],
}
"""The runs of each DAG: those of the home, and those that its timetables still plan."""


@pytest.fixture(params=BOTH)
def former(request: pytest.FixtureRequest) -> Iterator[tuple[Path, str]]:
    """The home and the address of its database, of schema 0031."""
    with tempfile.TemporaryDirectory(prefix="g-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        shutil.copytree(DATA, home, ignore=shutil.ignore_patterns("*.sql", "__pycache__"), dirs_exist_ok=True)
        with empty_database(request.param, home) as url:
            load_former_database(url, home)
            yield home, url


def move_paths(url: str, home: Path) -> None:
    """Let the Variable and the trigger, whose values are encrypted, name files of this home; the rows of triggers are those of the home that was."""
    with closing(open_database(url, cipher=Cipher(lambda: [KEY]))) as database, database.write() as tx:
        variables.set_variable(tx, "home", str(home))
        stored = raw(tx, "SELECT trigger_pk, classpath, kwargs FROM trigger")
        assert {classpath for _, classpath, _ in stored} == FORMER_TRIGGERS
        for trigger_pk, classpath, sealed in stored:
            if classpath.endswith(".FileTrigger"):
                kwargs = json.loads(tx.cipher.decrypt(sealed))
                kwargs["filepath"] = str(home / "delivered")
                moved = tx.cipher.encrypt(json.dumps(kwargs))
                raw(tx, f"UPDATE trigger SET kwargs = '{moved}' WHERE trigger_pk = {trigger_pk} RETURNING 1")


def test_the_runs_of_a_former_home_are_continued_to_their_ends(former: tuple[Path, str]) -> None:
    home, url = former
    with pytest.raises(SchemaTooOld, match=f"has schema 0031, this Gnomon needs {HEAD}: run `gnomon db migrate`"):
        open_database(url)
    migrations.upgrade_schema(url)
    move_paths(url, home)
    for name in ("delivered", "counted"):
        (home / name).touch()
    product = Product(home, {"GNOMON__DATABASE__SQL_ALCHEMY_CONN": url, "GNOMON__CORE__FERNET_KEY": KEY})
    try:
        assert product.said.startswith("Gnomon runs on"), product.said + product.log()
        ended = {dag_id: [product.ended(dag_id, run_id)["state"] for run_id in runs] for dag_id, runs in ENDS.items()}
        assert ended == {dag_id: ["success"] * len(runs) for dag_id, runs in ENDS.items()}
        assert {row["run_id"] for dag_id in ENDS for row in product.rows("runs", "list", dag_id)} == {
            run_id for runs in ENDS.values() for run_id in runs
        }
        assert [value(product, "orders", run_id, "report") for run_id in ENDS["orders"]] == ["15"] * 3
        assert [value(product, "inventory", run_id, "count") for run_id in ENDS["inventory"]] == ["42"] * 2
        assert value(product, "reports", "second", "read") == '"warehouse.example"'
        assert [(row["name"], row["role"]) for row in product.rows("users", "list")] == [("ada", "operator")]
    finally:
        product.stop()
    check_that_no_attempt_was_repeated(url)


def value(product: Product, dag_id: str, run_id: str, task_id: str) -> str:
    """The XCom that the task returned, as JSON."""
    return product.do("xcom", "get", dag_id, run_id, task_id).strip()


def check_that_no_attempt_was_repeated(url: str) -> None:
    """What the home had done was not done again: a task instance has one attempt, and one more when it was deferred."""
    with closing(open_database(url)) as database, database.read() as tx:
        rows = raw(
            tx,
            "SELECT r.run_id, n.task_id, count(*) FROM attempt AS a JOIN dag_run AS r ON r.run_pk = a.run_pk "
            "JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = a.task_no GROUP BY r.run_id, n.task_id",
        )
    attempts = {(run_id, task_id): n for run_id, task_id, n in rows}
    waiting = ENDS["orders"][1]
    assert {task_id: n for (run_id, task_id), n in attempts.items() if run_id == waiting} == {
        "extract": 1,
        "double": 3,
        "closed": 2,
        "load": 3,
        "report": 1,
    }
    assert attempts[ENDS["inventory"][0], "delivered"] == attempts[ENDS["inventory"][0], "flagged"] == 2
