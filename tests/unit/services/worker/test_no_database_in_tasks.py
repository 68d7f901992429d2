"""A task sees no address of the database, no descriptor of it, and neither the store's code nor that of the api-server (issue 2, point 8)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conformance.workerworld import WorkerWorld

ADDRESS = "postgresql://gnomon:s3cret@db.example:5432/gnomon"
LOOK = """
import json
fds = {}
for fd in os.listdir('/proc/self/fd'):
    try: fds[fd] = os.readlink('/proc/self/fd/' + fd)
    except OSError: pass
environ = dict(os.environ)
initial = open('/proc/self/environ').read()
zygote = open(f'/proc/{os.getppid()}/environ').read()
foreign = {'sqlalchemy', 'psycopg', 'sqlite3', 'fastapi', 'starlette', 'uvicorn', 'pydantic', 'argon2', 'jwt', 'prometheus_client'}
modules = [m for m in sys.modules if m.split('.')[0] in foreign or m.startswith(('gnomon.storage.store', 'gnomon.api'))]
return json.dumps({'fds': fds, 'environ': environ, 'initial': initial, 'zygote': zygote, 'modules': modules})
"""


@pytest.fixture(scope="module")
def secretive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkerWorld]:
    environ = {
        "GNOMON__DATABASE__SQL_ALCHEMY_CONN": ADDRESS,
        "PGPASSWORD": "s3cret",
        "DATABASE_URL": ADDRESS,
        "MY_OWN": f"see {ADDRESS}",
        "HARMLESS": "yes",
    }
    world = WorkerWorld(tmp_path_factory.mktemp("w"), environ=environ, address=ADDRESS)
    yield world
    world.close()


@pytest.mark.parametrize("fresh", [False, True])
def test_a_task_finds_no_trace_of_the_database(secretive: WorkerWorld, fresh: bool) -> None:
    result = secretive.run(secretive.attempt(secretive.dag("looks", LOOK), fresh=fresh))
    assert result.outcome == "success", result.reason
    seen = json.loads(json.loads(result.xcoms[0].value))
    assert seen["environ"]["HARMLESS"] == "yes"
    for place in ("initial", "environ") if fresh else ("initial", "environ", "zygote"):
        assert "s3cret" not in str(seen[place]), place
    assert seen["modules"] == []
    sockets = [target for target in seen["fds"].values() if target.startswith("socket:")]
    assert len(sockets) == 1, "the one socket to the worker"
    assert not [target for target in seen["fds"].values() if target.endswith(".db") or ".db-" in target]


def test_questions_are_answered_and_refusals_arrive_as_errors(world: WorkerWorld, tmp_path: Path) -> None:
    head = "from gnomon import Variable"
    result = world.run(world.attempt(world.dag("asks", "return Variable.get('colour')", head)))
    assert result.xcoms[0].value == '"the value of colour for t"'
    refused = world.run(world.attempt(world.dag("asks_more", "return Variable.get('refused')", head)))
    assert refused.outcome == "failed" and refused.reason is not None and "not for you" in refused.reason
