"""Every operation of both APIs with hostile ids, parameters, cursors, orders and bodies: an answer with a reason, never a server error.

Each operation gets a sample of the values here, and all of them in `make soak`.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from tests.conformance.fuzzed_api import fuzzed_api
from tests.databases import BOTH, empty_database
from tests.unit.api.api_document import read_document
from tests.unit.api.served import Client, Reply

HOSTILE_IDS = (
    "../../etc/passwd",
    "a\0b",
    "'; DROP TABLE dag; --",
    "\u202eelif",
    "x" * 3000,
    "-1",
    "9" * 40,
    "%",
    "a/b/../c",
    "\n",
    "{{7*7}}",
)
RAW_IDS = ("%ff%fe", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "%ed%a0%80")
TEXTS = (
    "'; DROP TABLE dag; --",
    "\0",
    "%_\\%" * 50,
    "\u202e" + "x" * 3000,
    "-dag_id,--",
    "AAAA",
    "eyJhIjpbMV19",
    "-",
    "\ud83d",
)
NUMBERS = ("-1", "9" * 30, "1e999", "NaN", "0x10")
DATES = ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59-14:00", "now", "2026-02-30")
BODIES = (
    b"[" * 10_000,
    b'{"a":' * 10_000,
    b"\xff\xfe{}",
    b'{"name": "\xed\xa0\x80"}',
    b'{"slots": 1e999}',
    b'{"name": "a\\u0000b"}',
    b'{"a": ' + b"9" * 10_000 + b"}",
    b"null",
    b'"text"',
    b"{}",
    json.dumps({"x" * 10_000: 1}).encode(),
    b'{"actions": [{"action": "delete", "entities": [{}]}]}',
)
OWN = "/api/gnomon/v1/operations"
ANSWER_MAX_S = 30.0
"""A request without a bound would take minutes; a busy machine takes some seconds for any."""
SEED = 20260301
SAMPLE = 2
"""Values of a sample."""
Choose = Callable[[Sequence[Any]], Sequence[Any]]
"""Those of the values that the next request or operation gets."""
OPEN_ENDED = re.compile(r"/wait$|/events$")
"""These stay open on purpose."""


@pytest.fixture(scope="module", params=BOTH)
def api(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("hostile")
    with empty_database(request.param, folder) as url, fuzzed_api(folder, url) as client:
        yield client


@pytest.fixture(scope="module")
def operations() -> list[tuple[str, str, dict[str, Any]]]:
    """Method, path and declaration of each operation of the document."""
    document = read_document()
    found = [
        (method.upper(), path, one)
        for path, methods in document["paths"].items()
        for method, one in methods.items()
        if not OPEN_ENDED.search(path)
    ]
    assert len(found) > 150
    assert {path.split("/")[2] for _, path, _ in found if path.startswith("/api/")} == {"v2", "gnomon"}
    return found


@pytest.fixture(params=["sample", pytest.param("all", marks=pytest.mark.soak)])
def choose(request: pytest.FixtureRequest) -> Choose:
    """The two databases get the same sample, of which every value is in one for many operations."""
    if request.param == "all":
        return lambda values: values
    rng = random.Random(SEED)
    return lambda values: rng.sample(values, min(SAMPLE, len(values)))


def _send(api: Client, method: str, path: str, body: object = None) -> Reply:
    started = time.monotonic()
    reply = api.request(method, path, body)
    assert reply.status < 500 or reply.status == 501, (method, path[:200], reply)
    assert b"Traceback" not in reply.body and b"root:x:0" not in reply.body, (method, path[:200], reply)
    assert time.monotonic() - started < ANSWER_MAX_S, (method, path[:200])
    if reply.status >= 400:
        assert "detail" in reply.json(), (method, path[:200], reply)
    return reply


def _fill(path: str, value: str) -> str:
    return re.sub(r"{[^}]*}", value, path)


def test_hostile_ids(api: Client, operations: list[tuple[str, str, dict[str, Any]]], choose: Choose) -> None:
    for method, path, _ in operations:
        if "{" in path:
            for value in choose((*(quote(one, safe="") for one in HOSTILE_IDS), *RAW_IDS)):
                _send(api, method, _fill(path, value), None if method == "GET" else {})


def _list_values(schema: dict[str, Any]) -> tuple[str, ...]:
    text = json.dumps(schema)
    if "date-time" in text:
        return DATES
    return NUMBERS if '"integer"' in text or '"number"' in text else TEXTS if '"string"' in text else ("maybe",)


def test_hostile_parameters(api: Client, operations: list[tuple[str, str, dict[str, Any]]], choose: Choose) -> None:
    """Each parameter of each operation alone, so that no other one is refused first."""
    known = {
        "dag_id": "etl",
        "dag_run_id": "r",
        "task_id": "write",
        "map_index": "-1",
        "try_number": "1",
        "run_id": "r",
    }
    for method, path, one in operations:
        place = re.sub(r"{([^}:]*)[^}]*}", lambda found: known.get(found[1], "1"), path)
        for parameter in one.get("parameters", ()):
            if method == "GET" and parameter["in"] == "query":
                for value in choose(_list_values(parameter.get("schema", {}))):
                    _send(api, method, f"{place}?{parameter['name']}={quote(value.encode('utf-8', 'surrogatepass'))}")


def test_hostile_bodies(api: Client, operations: list[tuple[str, str, dict[str, Any]]], choose: Choose) -> None:
    for method, path, one in operations:
        if "requestBody" in one:
            for body in choose(BODIES):
                _send(api, method, _fill(path, "1"), body)


def test_a_body_of_100_mb_is_refused_before_it_is_read(
    api: Client, operations: list[tuple[str, str, dict[str, Any]]]
) -> None:
    for method, path, one in operations:
        if "requestBody" in one:
            reply = api.request(
                method, _fill(path, "1"), None, {"Content-Type": "application/json", "Content-Length": str(100_000_000)}
            )
            assert (reply.status, "bytes" in reply.json()["detail"]) == (413, True), (method, path, reply)


@pytest.mark.parametrize(
    "path",
    [
        "/page-assets/../../../../etc/passwd",
        "/page-assets/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/page-assets//etc/passwd",
        "/page-assets/%00",
        "/../etc/passwd",
        "/api/v2/dagSources/..%2f..%2f..%2fetc%2fpasswd",
        "/api/v2/dags/etl/dagRuns/r/taskInstances/..%2f..%2fetc/logs/1",
        "/api/gnomon/v1/dags/etl/operations/logs.read?run_id=r&task_id=write&map_index=-1&file=../../../../etc/passwd",
        "/api/gnomon/v1/dags/etl/operations/logs.read?run_id=r&task_id=write&map_index=-1&file=/etc/passwd",
        "/api/gnomon/v1/dags/etl/operations/logs.read_callback?run_id=r&file=../../../../etc/passwd",
        "/api/v2/importErrors/..%2f..%2fetc%2fpasswd",
    ],
)
def test_no_address_leads_out_of_its_folder(api: Client, path: str) -> None:
    reply = api.request("GET", path)
    assert b"root:" not in reply.body
    assert reply.status < 500, reply


def test_a_lifetime_of_a_token_is_a_number_of_seconds(api: Client) -> None:
    account = {"name": "ann", "role": "viewer", "password": None}
    assert api.request("POST", f"{OWN}/accounts.create", account).status == 200
    for lifetime in ("NaN", "Infinity", "-Infinity", "1e300", "-5", "0"):
        body = f'{{"account": "ann", "name": "n", "lifetime_s": {lifetime}}}'.encode()
        assert 400 <= _send(api, "POST", f"{OWN}/tokens.create", body).status < 500, lifetime


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/dags/~/dagRuns/list", {"states": [1] * 100_000}),
        ("/dags/~/dagRuns/list", {f"a{number}": 1 for number in range(20_000)}),
        ("/dags/etl/dagRuns", {"x" * 100_000: 1}),
        ("/dags/etl/dagRuns", {f"a{number}": 1 for number in range(90)}),
    ],
)
def test_a_body_with_many_faults_has_a_short_answer(api: Client, path: str, body: object) -> None:
    """The description of each fault would take seconds, in which nobody else is answered, and hundreds of megabytes."""
    reply = _send(api, "POST", f"/api/v2{path}", body)
    faults = reply.json()["detail"]
    assert (reply.status, 1 <= len(faults) <= 100, len(reply.body) < 20_000) == (422, True, True), reply.body[:1000]
    assert (faults[0]["type"] == "too_many_faults") == (len(json.dumps(body)) > 150_000), faults[0]


@pytest.mark.parametrize("field", ["subject_search", "body_search"])
def test_a_long_text_to_search_for_is_refused(api: Client, field: str) -> None:
    reply = _send(api, "GET", f"/api/v2/dags/etl/dagRuns/r/hitlDetails?{field}={'x' * 60_000}")
    assert (reply.status, reply.json()["detail"]) == (
        422,
        "a pattern has at most 2,000 characters, and this one has 60,000",
    )


def test_a_long_key_of_an_xcom_is_refused(api: Client) -> None:
    """PostgreSQL made an error of the server of it."""
    key = "".join(map(chr, range(0x4E00, 0x4E00 + 3000)))
    place = "/api/v2/dags/etl/dagRuns/r/taskInstances/write/xcomEntries"
    reply = _send(api, "POST", place, {"key": key, "value": 1})
    assert (reply.status, reply.json()["detail"].partition(";")[0]) == (
        400,
        "the key of an XCom has at most 512 characters, and this one has 3,000",
    )
    assert _send(api, "POST", place, {"key": key[:512], "value": 1}).status == 201


def test_the_database_is_whole_afterwards(api: Client, tmp_path: Path) -> None:
    for path in (
        "/dags",
        "/pools",
        "/variables",
        "/connections",
        "/eventLogs",
        "/dags/~/dagRuns",
        "/dags/~/dagRuns/~/taskInstances",
        "/backfills?dag_id=hourly",
    ):
        assert api.request("GET", f"/api/v2{path}").status == 200, path
