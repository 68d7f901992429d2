"""The log of a task, and the reason why it failed, do not show the secrets that the task read or named."""

from __future__ import annotations

import pytest
from tests.conformance.workerworld import WorkerWorld

BODY = """
import logging, subprocess
from airflow.sdk import Connection, Variable
from airflow.sdk.log import mask_secret
mask_secret("own-secret")
mask_secret(SECRET)
print(f"printed own-secret", 1)
print("to stderr own-secret", file=sys.stderr)
sys.stdout.writelines(["lines own-secret\\n"])
logging.getLogger("airflow.task").warning("logged %s", "own-secret")
print(Variable.get("api_token"))
os.environ["AIRFLOW_CONN_C"] = "http://me:conn-password@host"
print(Connection.get("c").get_uri())
raise ValueError("raised own-secret")
"""


@pytest.mark.parametrize("attempts_per_child", [1, 2])
def test_no_secret_is_in_the_log_or_the_reason(world: WorkerWorld, attempts_per_child: int) -> None:
    attempt = world.attempt(
        world.dag("secrets", BODY, 'SECRET = "named-on-top"'), attempts_per_child=attempts_per_child
    )
    result = world.run(attempt)
    text = world.log_of(attempt)
    assert (result.outcome, result.reason) == ("failed", "ValueError: raised ***")
    for line in (
        "printed *** 1\n",
        "to stderr ***\n",
        "lines ***\n",
        "logged ***\n",
        "ValueError: raised ***\n",
        "http://me:***@host",
    ):
        assert line in text
    assert "own-secret" not in text.replace('mask_secret("own-secret")', "") and "conn-password" not in text
    assert "the value of api_token" not in text


def test_a_secret_that_the_file_masks_when_it_is_imported_is_hidden_in_its_tasks(world: WorkerWorld) -> None:
    head = 'from airflow.utils.log.secrets_masker import mask_secret\nmask_secret("at-import")'
    attempt = world.attempt(world.dag("imports", "print('it is at-import')", head))
    assert world.run(attempt).outcome == "success"
    assert "it is ***\n" in world.log_of(attempt)
