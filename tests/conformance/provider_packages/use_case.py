"""What the uses of provider packages have in common: a register, a DAG of one task, and connections in the environment."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Use:
    """One use of a provider package."""

    package: str
    """The short name of the package."""
    what: str
    """The operators or hooks that are used, and the server."""
    run: Callable[[], None]


USES: list[Use] = []


def use(package: str, what: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Register a function that uses the package; it raises when something is wrong."""

    def register(function: Callable[[], None]) -> Callable[[], None]:
        USES.append(Use(package, what, function))
        return function

    return register


def connect(conn_id: str, conn_type: str, **fields: Any) -> str:
    """Put the connection into the environment; returns its id."""
    os.environ[f"AIRFLOW_CONN_{conn_id.upper()}"] = json.dumps({"conn_type": conn_type, **fields})
    return conn_id


def run_tasks(make: Callable[[], Any]) -> dict[str, Any]:
    """Run the tasks that `make` creates as a DAG, in this process; returns task id to the value that the task returned.

    Raises AssertionError when the run does not succeed.
    """
    from airflow.sdk import DAG

    with DAG("use", schedule=None) as dag:
        make()
    run = dag.test()
    states = {ti.task_id: str(ti.state) for ti in run.get_task_instances()}
    assert run.state == "success", states
    return {ti.task_id: ti.xcom_pull(task_ids=ti.task_id) for ti in run.get_task_instances()}


def make_private_key() -> str:
    """A new private key of RSA, as PEM."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
