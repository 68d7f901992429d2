"""XComs and logs of task instances that have ended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.api.v2 import logs
from gnomon.ground.log.confined_files import ConfinedFile
from gnomon.model.attempts import XComItem, build_attempt_log_path
from gnomon.model.spec import TaskSpec
from gnomon.queries.report.listings import log_pages
from gnomon.testing import Play

RUN = "/dags/a/dagRuns/r%2F1/taskInstances/only"
XCOMS, LOG = f"{RUN}/xcomEntries", f"{RUN}/logs/1"
STAMPED = "2026-03-01T09:00:00.250000Z WARNING  low on ä\n"


@pytest.fixture
def ended(api: Client, deployment: Deployment) -> Client:
    deployment.add(spec_of("a"), spec_of("b"))
    deployment.plays["only"] = Play(
        xcoms=(XComItem(key="return_value", value='{"n":1}'), XComItem(key="more", value='"text"'))
    )
    deployment.start()
    api.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "r/1"})
    deployment.move(20)
    return api


def _log_file(deployment: Deployment) -> Path:
    path = deployment.home.cfg.logs_folder / build_attempt_log_path("a", "r/1", "only", -1, 1)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def test_values_are_listed_and_read(ended: Client) -> None:
    page = ended.get(XCOMS)
    assert (sorted(one["key"] for one in page["xcom_entries"]), page["total_entries"]) == (["more", "return_value"], 2)
    assert page["xcom_entries"][0]["run_id"] == "r/1"
    assert ended.get(f"{XCOMS}/return_value")["value"] == {"n": 1}
    assert json.loads(ended.get(f"{XCOMS}/return_value?stringify=true")["value"]) == {"n": 1}
    assert ended.get(f"{XCOMS}/more?stringify=true")["value"] == "text"


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("xcom_key=more", 1),
        ("xcom_key_pattern=RETURN", 1),
        ("xcom_key_prefix_pattern=m", 1),
        ("map_index=0", 0),
        ("map_index_filter=-1", 2),
        ("run_after_gte=2030-01-01T00:00:00Z", 0),
        ("task_id_pattern=only", 2),
        ("limit=1&order_by=-key", 1),
    ],
)
def test_filters(ended: Client, query: str, count: int) -> None:
    assert len(ended.get(f"{XCOMS}?{query}")["xcom_entries"]) == count


def test_all_runs_at_once(ended: Client) -> None:
    assert ended.get("/dags/~/dagRuns/~/taskInstances/~/xcomEntries")["total_entries"] == 2
    assert ended.get("/dags/b/dagRuns/~/taskInstances/~/xcomEntries")["total_entries"] == 0
    assert ended.get("/dags/~/dagRuns/r%2F1/taskInstances/only/xcomEntries?xcom_key=more")["total_entries"] == 1


def test_values_are_changed_once_the_task_has_ended(ended: Client) -> None:
    made = ended.send("POST", XCOMS, {"key": "a/b", "value": [1, None]}, 201)
    assert (made["key"], made["value"]) == ("a/b", [1, None])
    assert ended.get(f"{XCOMS}/a%2Fb")["value"] == [1, None]
    assert "already has an XCom" in ended.fails(409, XCOMS, "POST", {"key": "a/b", "value": 2})
    assert ended.send("PATCH", f"{XCOMS}/a%2Fb", {"value": 3})["value"] == 3
    ended.send("DELETE", f"{XCOMS}/a%2Fb", status=204)
    ended.fails(404, f"{XCOMS}/a%2Fb")
    ended.fails(404, f"{XCOMS}/a%2Fb", "DELETE")
    ended.fails(404, f"{XCOMS}/a%2Fb", "PATCH", {"value": 3})
    ended.fails(422, XCOMS, "POST", b'{"key": "x", "value": NaN}')


def test_values_that_json_has_no_form_for_are_described_and_never_made(deployment: Deployment, api: Client) -> None:
    stored = {"__classname__": "os.system", "__version__": 1, "__data__": {"command": "x", "frame": "0" * 5000}}
    deployment.add(spec_of("a"))
    values = {
        "object": stored,
        "tuple": {"__type": "tuple", "__value": [1, stored]},
        "more": {"when": {"__type": "date", "__value": "2026-03-01"}},
    }
    deployment.plays["only"] = Play(
        xcoms=tuple(XComItem(key=key, value=json.dumps(value)) for key, value in values.items())
    )
    deployment.start()
    api.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "r/1"})
    deployment.move(20)
    text = "os.system@version=1(command='x', frame=5,000 characters)"
    assert api.get(f"{XCOMS}/object")["value"] == stored
    assert api.get(f"{XCOMS}/object?deserialize=true")["value"] == text
    assert api.get(f"{XCOMS}/tuple?deserialize=true")["value"] == f"(1,{text})"
    assert api.get(f"{XCOMS}/more?deserialize=true")["value"] == {"when": "2026-03-01"}
    assert api.get(f"{XCOMS}/more?deserialize=true&stringify=true")["value"] == '{"when": "2026-03-01"}'


@pytest.mark.parametrize(
    "value",
    [
        {"__classname__": "os.system"},
        [{"rows": [{"__classname__": 1}]}],
        {"__type": "tuple", "__value": [{"__classname__": "a.B", "__version__": 1}]},
    ],
)
def test_no_object_of_a_class_is_written_from_outside(ended: Client, value: object) -> None:
    assert "'__classname__', which marks an object of a class" in ended.fails(
        422, XCOMS, "POST", {"key": "k", "value": value}
    )
    assert "write plain JSON" in ended.fails(422, f"{XCOMS}/more", "PATCH", {"value": value})
    assert ended.get(f"{XCOMS}/more")["value"] == "text"


def test_a_task_that_has_not_ended_keeps_its_values(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    api.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "r/1"})
    assert "not started" in api.fails(400, XCOMS, "POST", {"key": "k", "value": 1})


def test_secrets_are_masked(ended: Client) -> None:
    ended.send("POST", "/connections", {"connection_id": "c", "conn_type": "http", "password": "hidden-word"}, 201)
    ended.send("POST", XCOMS, {"key": "k", "value": {"said": "the hidden-word is out"}}, 201)
    assert ended.get(f"{XCOMS}/k")["value"] == {"said": "the *** is out"}


def test_a_log_is_records(ended: Client, deployment: Deployment) -> None:
    _log_file(deployment).write_text(f"printed\n{STAMPED}no newline")
    expected = [
        {"event": "printed"},
        {"timestamp": "2026-03-01T09:00:00.250000Z", "event": "low on ä", "level": "warning"},
        {"event": "no newline"},
    ]
    assert ended.get(LOG) == {"content": expected, "continuation_token": None}
    lines = ended.request("GET", f"/api/v2{LOG}", headers={"Accept": "application/x-ndjson"})
    assert lines.kind == "application/x-ndjson"
    assert [json.loads(line) for line in lines.body.splitlines()] == expected


def test_a_long_log_comes_in_parts(ended: Client, deployment: Deployment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_pages, "READ_BYTES", 1000)
    _log_file(deployment).write_text("".join(f"line {number}\n" for number in range(500)))
    said, token = [], ""
    for _ in range(100):
        part = ended.get(f"{LOG}?token={token}" if token else LOG)
        said += [one["event"] for one in part["content"]]
        token = part["continuation_token"]
        if token is None:
            break
    assert said == [f"line {number}" for number in range(500)]
    whole = ended.get(f"{LOG}?full_content=true")
    assert (len(whole["content"]), whole["continuation_token"]) == (500, None)


def test_a_whole_log_is_never_in_memory_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some clients that ask for a long log and read slowly took all memory."""
    monkeypatch.setattr(log_pages, "READ_BYTES", 1000)
    file = tmp_path / "a.log"
    file.write_text("".join(f"line {number}\n" for number in range(5000)))
    pieces = list(logs._write_answer([file], log_pages.LogPosition(), True, 64_000_000))
    assert (len(pieces) > 50, max(map(len, pieces)) < 5000) == (True, True)
    whole = json.loads(b"".join(pieces))
    assert ([one["event"] for one in whole["content"]], whole["continuation_token"]) == (
        [f"line {number}" for number in range(5000)],
        None,
    )


@pytest.mark.parametrize("is_over", [True, False])
def test_a_stream_has_the_lines_of_its_log_whole_however_long_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_over: bool
) -> None:
    monkeypatch.setattr(log_pages, "READ_BYTES", 200)
    monkeypatch.setattr(log_pages, "STREAM_BYTES", 20)
    lines = ["short", "x" * 19, "y" * 20, "z" * 199, "", "short", "a" * 500, "b" * 21]
    file = ConfinedFile(tmp_path, "a.log")
    file.path.write_text("\n".join([*lines, "last"]))
    parts = list(log_pages.iterate_parts([file], is_over=is_over))
    cut = ["a" * 200, "a" * 200, "a" * 100]
    assert [line for part in parts for line in part.lines] == [
        *lines[:-2],
        *cut,
        lines[-1],
        *(["last"] if is_over else []),
    ]
    assert len(parts) > 6


def test_a_line_that_looks_like_a_wrong_date_does_not_make_a_log_unreadable(
    ended: Client, deployment: Deployment
) -> None:
    """The line of a task, with 13 as the month, was an error of the server for everybody who opened the log."""
    line = "2026-13-01T09:00:00.250000Z INFO     forged"
    _log_file(deployment).write_text(f"{line}\n")
    assert ended.get(LOG)["content"] == [{"event": line}]


def test_the_log_of_a_running_task_goes_on(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    deployment.plays["only"] = Play(run_s=1000.0)
    deployment.start()
    api.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "r/1"})
    deployment.move(5)
    _log_file(deployment).write_text("one\nhalf a li")
    part = api.get(LOG)
    assert [one["event"] for one in part["content"]] == ["one"]
    assert api.get(f"{LOG}?token={part['continuation_token']}") == {
        "content": [],
        "continuation_token": part["continuation_token"],
    }
    _log_file(deployment).write_text("one\nhalf a line\n")
    assert [one["event"] for one in api.get(f"{LOG}?token={part['continuation_token']}")["content"]] == ["half a line"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (LOG, 404),
        (f"{RUN}/logs/7", 404),
        (f"{RUN}/logs/-1", 422),
        (f"{LOG}?token=../../etc", 400),
        (f"{LOG}?token=1-x", 400),
        (f"{LOG}?token=0-{2**63 - 1}", 400),
        (f"{LOG}?token=0-{10**26}", 400),
        ("/dags/a/dagRuns/r%2F1/taskInstances/..%2F..%2Fx/logs/1", 404),
    ],
)
def test_no_log_is_said_so(ended: Client, path: str, status: int) -> None:
    ended.fails(status, path)


def test_the_log_of_a_try_that_has_just_begun_is_empty_and_goes_on(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    deployment.plays["only"] = Play(run_s=60)
    deployment.start()
    api.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "r/1"})
    deployment.move(5)
    answer = api.get(LOG)
    assert answer["content"] == []
    assert answer["continuation_token"] is not None
    deployment.move(20)
    api.fails(404, LOG)


def test_the_log_of_a_task_that_needed_no_worker_is_empty_and_over(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a", tasks=(TaskSpec(task_id="only", runs_code=False),)))
    deployment.start()
    api.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "r/1"})
    deployment.move(20)
    assert api.get(LOG) == {"content": [], "continuation_token": None}
