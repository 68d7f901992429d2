"""A text with NUL is refused: PostgreSQL cannot store one, and SQLite measures a text to its first NUL."""

from __future__ import annotations

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.storage.store.errors import UnstorableText


@pytest.mark.parametrize(
    "body",
    [
        {"logical_date": None, "note": "\x00x"},
        {"logical_date": None, "dag_run_id": "a\x00"},
        {"logical_date": None, "partition_key": "\x00"},
    ],
)
def test_a_run_is_not_created(api: Client, deployment: Deployment, body: dict[str, object]) -> None:
    deployment.add(spec_of("a"))
    assert "NUL" in str(api.fails(422, "/dags/a/dagRuns", "POST", body))
    assert api.get("/dags/a/dagRuns")["total_entries"] == 0


def test_values_that_are_stored_as_json_or_encrypted_may_have_one(api: Client) -> None:
    assert api.send("POST", "/variables", {"key": "k", "value": "a\x00b"}, 201)["value"] == "a\x00b"
    assert "NUL" in str(api.fails(422, "/variables", "POST", {"key": "k\x00", "value": "x"}))


def test_the_store_of_postgresql_names_the_cause(deployment: Deployment) -> None:
    if not deployment.home.cfg.database_url.startswith("postgresql"):
        pytest.skip("SQLite stores texts with NUL")
    with pytest.raises(UnstorableText, match="contains NUL"), deployment.db.write() as tx:
        tx.run("pools.put", name="p\x00", slots=1, include_deferred=False, description="")
