"""What the document of the page says is missing at its address: a DAG, or a run; what is hidden from the user is missing too."""

from __future__ import annotations

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import NOW, Deployment, spec_of

from gnomon.api.access.open_access import OpenAccess
from gnomon.api.context import ApiContext
from gnomon.api.health import HealthSnapshot
from gnomon.api.missing_address import find_missing
from gnomon.model.accounts import Grant, GrantKind, Identity, Role

ALL = Identity("all", Role.VIEWER)
SOME = Identity("some", Role.NONE, (Grant(GrantKind.DAG, "shown*", Role.VIEWER),))
SLASH = "\ue000"
"""What `EncodedSlashes` makes of an encoded slash."""


@pytest.fixture(scope="module")
def context(read_deployment: Deployment, read_api: Client) -> ApiContext:
    read_deployment.add(spec_of("shown"), spec_of("secret"), spec_of("a/b"))
    read_deployment.start()
    read_api.send("POST", "/dags/shown/dagRuns", {"dag_run_id": "one", "logical_date": None})
    return ApiContext(
        read_deployment.home.cfg,
        read_deployment.clock,
        OpenAccess(),
        lambda: HealthSnapshot(NOW, ()),
        database=read_deployment.db,
    )


@pytest.mark.parametrize(
    ("user", "path", "missing"),
    [
        (None, "/", []),
        (ALL, "/dags", []),
        (ALL, "/dags/", []),
        (ALL, "/runs", []),
        (ALL, "/assets/shown", []),
        (None, "/dags/shown", []),
        (ALL, "/dags/shown/graph", []),
        (ALL, f"/dags/a{SLASH}b", []),
        (ALL, "/dags/none", ["none"]),
        (None, "/dags/none/graph", ["none"]),
        (ALL, "/dags/shown/runs/one", []),
        (ALL, "/dags/shown/runs/one/tasks/t", []),
        (ALL, "/dags/shown/runs/", []),
        (ALL, "/dags/shown/runs/two/gantt", ["shown", "two"]),
        (ALL, "/dags/none/runs/one", ["none"]),
        (SOME, "/dags/shown", []),
        (SOME, "/dags/secret", ["secret"]),
        (SOME, "/dags/secret/runs/one", ["secret"]),
        (SOME, "/dags/shown/runs/two", ["shown", "two"]),
    ],
)
def test_a_missing_or_hidden_dag_or_run_is_named(
    context: ApiContext, user: Identity | None, path: str, missing: list[str]
) -> None:
    with context.database.read() as tx:
        assert find_missing(context, tx, user, path) == missing
