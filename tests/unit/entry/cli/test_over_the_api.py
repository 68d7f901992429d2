"""The same command lines on the home and over the API: two equal deployments, one for each, and every output compared byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
from tests.unit.api.served import served
from tests.unit.entry.cli.deployment import HOURLY, NOW, Deployment, Ended, spec_of
from tests.webhook_server import webhook_server

from gnomon.api.access.open_access import OpenAccess
from gnomon.api.context import ApiContext
from gnomon.api.health import HealthSnapshot
from gnomon.entry.cli.commands import root
from gnomon.entry.cli.deployment.choose_deployment import WORKS_OVER_API
from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.main import main
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config
from gnomon.model.assets import AssetDeclaration, AssetKey
from gnomon.model.attempts import Deferral, XComItem, build_attempt_log_path
from gnomon.model.baselines import BaselineForecast, BaselineLevel, BaselineRecord, KeyStep
from gnomon.model.hitl import HITLRequest
from gnomon.model.quarantine import QuarantinedItem
from gnomon.model.spec import ParseFailure, TaskSpec
from gnomon.queries.accounts import passwords
from gnomon.storage.store import migrations
from gnomon.storage.store.alert_records import baseline_states
from gnomon.storage.store.coordination import quarantine
from gnomon.testing import Play

QUESTION = HITLRequest(subject="Send it?", options=("Approve", "Reject"))
HOUR = 3_600_000_000
ORDERS = AssetKey("orders", "s3://b/orders")

BASELINE = '\n[baselines.morning]\nof = ["etl"]\nby = "07:00"\n'
ALERTS = """
[alerts.channels.ops]
type = "webhook"
url = "https://chat.example/hook?key=secret"

[alerts.channels.chat]
type = "webhook"
url = "WEBHOOK/t0ken"

[[alerts.rules]]
name = "failures"
when = "failure"
to = ["ops"]
"""
Line = tuple[str, ...]
SITUATION: list[Line] = [
    ("dags", "trigger", "etl", "--run-id", "first"), ("dags", "trigger", "etl", "-r", "second", "-c", '{"a": 1}', "-o", "json"),
    ("dags", "trigger", "etl", "-r", "first"), ("dags", "trigger", "elt"), ("dags", "trigger", "ask", "-r", "q"), ("dags", "trigger", "up", "-r", "u1"),
    ("dags", "trigger", "down", "-l", "2026-03-01T08:00:00", "-r", "d1"), ("dags", "trigger", "etl", "-r", "bad", "-s", "2026-03-01"),
    ("dags", "trigger", "hourly", "-r", "h", "-s", "2026-03-01T08:30"), ("dags", "trigger", "up", "-r", "u2", "-l", "2026-03-01T07:00"),
    ("backfill", "create", "hourly", "--from", "2026-03-01T00:00", "--to", "2026-03-01T02:00"),
]  # fmt: skip
"""Runs, and refusals of runs."""
READS: list[Line] = [
    ("dags", "list"), ("dags", "list", "--all"), ("dags", "show", "etl"), ("dags", "show", "down"), ("dags", "show", "elt"), ("dags", "errors", "--warnings"),
    ("dags", "next-runs", "hourly", "--count", "3"), ("dags", "versions", "etl"), ("dags", "warnings"), ("dags", "warnings", "etl"),
    ("runs", "list"), ("runs", "list", "etl"), ("runs", "list", "--state", "failed", "--limit", "1"), ("runs", "list", "--since", "2h", "--limit", "1"),
    ("runs", "list", "nope"), ("runs", "show", "etl", "first"), ("runs", "show", "etl", "frist"), ("runs", "wait", "etl", "first"),
    ("runs", "wait", "etl", "none"), ("runs", "wait", "ask", "q", "--timeout", "1s"), ("runs", "clear", "etl", "first", "--dry-run"),
    ("runs", "clear", "up", "u1", "--downstream-dags", "--dry-run"), ("runs", "mark", "etl", "first", "--state", "failed", "--dry-run"),
    ("tasks", "list", "etl"), ("tasks", "states", "etl", "first"), ("tasks", "clear", "etl", "first", "load", "--downstream", "--dry-run"),
    ("tasks", "clear", "etl", "first", "-t", "^lo", "--dry-run"), ("tasks", "clear", "etl", "first", "-t", "zzz", "--dry-run"),
    ("tasks", "clear", "etl", "first", "load[3]", "--dry-run"), ("tasks", "links", "etl", "first", "load"), ("tasks", "waiting"), ("tasks", "waiting", "ask"),
    ("explain", "etl"), ("explain", "ask", "q"), ("explain", "ask", "q", "ask"), ("explain", "hourly", "2026-03-01T05:00"), ("explain", "nope"),
    ("baselines", "list"), ("baselines", "show", "morning"), ("baselines", "show", "mornin"), ("baselines", "check"), ("baselines", "check", "nope"),
    ("baselines", "history", "morning"), ("baselines", "show", "evening"), ("forecast", "accuracy"), ("forecast", "accuracy", "nope"),
    ("grid", "etl"), ("grid", "etl", "--limit", "1"), ("grid", "hourly"), ("top", "--once"),
    ("xcom", "list", "etl", "first"), ("xcom", "list", "etl", "first", "load"), ("xcom", "get", "etl", "first", "load"), ("xcom", "get", "etl", "first", "check"),
    ("assets", "list"), ("assets", "list", "--alias"), ("assets", "show", "orders"), ("assets", "show", "ordres"), ("assets", "events"),
    ("assets", "events", "orders", "-n", "1"), ("backfill", "list"), ("backfill", "list", "hourly"), ("backfill", "show", "1"), ("backfill", "show", "9"),
    ("pools", "list"), ("variables", "list"), ("variables", "list", "--show-values"), ("connections", "list"), ("connections", "get", "db"),
    ("connections", "get", "dc"), ("users", "list"), ("tokens", "list"), ("services",), ("slots", "audit"), ("slots", "audit", "nope"), ("failures", "--since", "9d"), ("failures", "nope"), ("failures", "nope", "--limit", "1"), ("audit", "--by", "scheduler", "--limit", "5"), ("audit", "--dag", "nope"),
    ("alerts", "list"), ("alerts", "list", "--open", "--limit", "1"), ("alerts", "history"), ("alerts", "rules"), ("alerts", "channels"),
    ("timetables", "preview", "30 2 * * 1-5", "--count", "3"), ("timetables", "preview", "hourly", "--until", "2026-03-01T12:00"),
    ("timetables", "preview", "etl"), ("timetables", "preview", "bounded"), ("timetables", "preview", "@daily", "--until", "2026-03-09", "--timezone", "Europe/Berlin"),
    ("timetables", "preview", 'BusinessDays(Dates(["2026-03-05"], since="2026-01-01", until="2026-03-10"), "06:00")', "--until", "2026-04-01"),
    ("timetables", "preview", "DeltaTriggerTimetable(timedelta(hours=-7))"), ("timetables", "preview", 'CronTriggerTimetable("@daily"'),
    ("timetables", "preview", "0 25 * * *"), ("timetables", "preview", "hourli"), ("timetables", "preview", "OnceTimetable"), ("timetables", "preview", " "),
    ("timetables", "preview", "@daily", "--timezone", "Mars"), ("timetables", "preview", "@daily", "--until", "2020-01-01"),
    ("timetables", "diff", "30 2 * * 1-5", "0 4 * * 1,3,5,6", "--until", "2026-03-15"), ("timetables", "diff", "hourly", "*/30 * * * *", "--until", "2026-03-02"),
    ("timetables", "diff", "bounded", "@daily"), ("timetables", "diff", "@daily", "hourly", "--until", "2026-03-02"), ("timetables", "diff", "0 0 * * *", "@daily"),
    ("alerts", "test", "chat"), ("alerts", "test", "caht"),
    ("state-store", "task", "list", "etl", "first"), ("state-store", "task", "list", "ask", "q"), ("state-store", "task", "list", "etl", "nope"),
    ("state-store", "asset", "list", "ordres"), ("state-store", "clean", "--dry-run"),
]  # fmt: skip
"""In each format of `-o`."""
PLAIN_READS: list[Line] = [
    ("tasks", "logs", "etl", "first", "load"), ("tasks", "logs", "etl", "first"), ("tasks", "logs", "etl", "first", "--follow"),
    ("tasks", "logs", "etl", "first", "load", "--follow"), ("tasks", "logs", "etl", "first", "check"), ("tasks", "logs", "etl", "first", "load", "--try", "7"),
    ("runs", "logs", "etl", "first"), ("variables", "get", "region"), ("variables", "get", "regoin"), ("variables", "get", "x", "--default", "y"),
    ("pools", "export", "-"), ("audit", "--limit", "200", "-o", "json"), ("audit", "--dag", "etl", "--event", "task_state_set", "-o", "json"),
    ("audit", "--run", "first", "--limit", "3", "-o", "json"), ("state-store", "task", "get", "etl", "first", "load", "page"),
    ("state-store", "task", "get", "etl", "first", "load", "pages"), ("state-store", "task", "get", "etl", "first", "load", "page", "--map-index", "3"),
    ("state-store", "asset", "get", "orders", "mark"), ("state-store", "asset", "get", "orders", "marc"), ("state-store", "asset", "get", "s3://b/orders", "x"),
    ("timetables", "preview", "hourly", "--count", "30", "-o", "ics"), ("timetables", "preview", "hourly", "--until", "2026-03-03", "-o", "svg"),
    ("timetables", "diff", "hourly", "@daily", "--until", "2026-03-03", "-o", "svg"), ("timetables", "preview", "Daily()", "--count", "400", "-o", "json"),
    ("state-store", "asset", "list", "-o", "json"), ("state-store", "asset", "list", "orders", "-o", "json"),
    ("baselines", "history", "evening", "-o", "json"),
]  # fmt: skip
"""Commands without `-o`."""
ADMINISTRATION: list[Line] = [
    ("pools", "set", "small", "3", "for reports"), ("pools", "set", "big", "-1", "--include-deferred"), ("pools", "import", "FOLDER/pools.json"),
    ("baselines", "create", "evening", "--of", "etl", "--of", "hourly", "--by", "20:00 +1 day", "--weekday", "mon", "--owner", "ann", "--to", "ops"),
    ("baselines", "create", "evening", "--of", "etl", "--by", "20:00"), ("baselines", "create", "morning", "--of", "etl", "--by", "20:00"),
    ("baselines", "create", "x", "--of", "elt", "--by", "20:00"), ("baselines", "edit", "evening", "--by", "21:00", "--weekday", "all", "--to", ""),
    ("baselines", "edit", "evening"), ("baselines", "edit", "morning", "--by", "20:00"), ("baselines", "delete", "morning"), ("baselines", "delete", "nope"),
    ("baselines", "create", "gone", "--of", "etl.load", "--by", "20:00"), ("baselines", "delete", "gone"), ("baselines", "delete", "gone"),
    ("quarantine", "list"), ("quarantine", "list", "-o", "json"), ("quarantine", "show", "1"), ("quarantine", "show", "1", "-o", "json"), ("quarantine", "retry", "1"),
    ("quarantine", "discard", "2"), ("quarantine", "discard", "2"), ("quarantine", "discard", "3"),
    ("pools", "delete", "big"), ("pools", "delete", "bgi"), ("pools", "delete", "default_pool"),
    ("variables", "set", "region", "eu", "--description", "where"), ("variables", "set", "gone", "1"), ("variables", "delete", "gone"),
    ("variables", "delete", "gone"), ("variables", "import", "FOLDER/variables.json", "-a", "skip"), ("variables", "import", "FOLDER/variables.json", "-a", "fail"),
    ("connections", "add", "db", "--conn-type", "generic", "--conn-host", "h", "--conn-password", "geheim", "--conn-port", "5"),
    ("connections", "add", "db", "--conn-type", "generic"), ("connections", "set", "db", "--conn-host", "k"), ("connections", "add", "a b", "--conn-type", "x"),
    ("connections", "set", "db", "--conn-json", "{"), ("connections", "import", "FOLDER/connections.json"), ("connections", "delete", "other"),
    ("connections", "delete", "ohter"), ("users", "create", "ann", "--role", "user", "--password", "correct horse"),
    ("users", "create", "ann", "--role", "user", "--no-password"), ("users", "create", "ben", "--role", "admin", "--password", "short"),
    ("users", "set-role", "ann", "operator"), ("users", "grant", "ann", "--dag", "etl_*", "--role", "user"), ("users", "revoke", "ann", "--tag", "x"),
    ("users", "revoke", "ann", "--dag", "etl_*"), ("users", "reset-password", "ann", "--password", "another horse"),
    ("users", "create", "cid", "--role", "viewer", "--no-password"), ("users", "delete", "cid"), ("users", "delete", "cid"),
    ("tokens", "create", "ann", "--name", "job", "--role", "user"), ("tokens", "create", "nobody", "--name", "job"), ("tokens", "revoke", "x"),
]  # fmt: skip
STATES: list[Line] = [
    ("state-store", "task", "set", "etl", "first", "load", "page", '{"n": [1, "é"]}'), ("state-store", "task", "set", "etl", "first", "load", "old", "5", "--expires-in-days", "1"),
    ("state-store", "task", "set", "etl", "first", "load", "page", "{"), ("state-store", "task", "set", "etl", "first", "laod", "page", "1"),
    ("state-store", "task", "set", "etl", "first", "load", "gone", "1"), ("state-store", "task", "clear", "etl", "first", "load", "--key", "gone"),
    ("state-store", "task", "clear", "etl", "first", "load", "--key", "gone"), ("state-store", "task", "clear", "etl", "first", "check"),
    ("state-store", "asset", "set", "orders", "mark", '"2026"'), ("state-store", "asset", "set", "ordres", "mark", "1"), ("state-store", "asset", "set", "orders", "x", "1"),
    ("state-store", "asset", "clear", "orders", "--key", "x"), ("state-store", "asset", "clear", "orders", "--key", "x"), ("state-store", "clean"),
]  # fmt: skip
CHANGES: list[Line] = [
    ("backfill", "create", "hourly", "--from", "2026-03-01T00:00", "--to", "2026-03-01T02:00", "--dry-run"),
    ("backfill", "create", "hourly", "--from", "2026-03-01T00:00", "--to", "2026-03-01T02:00", "--dry-run", "-o", "json"),
    ("backfill", "create", "hourly", "--from", "2026-03-01T04:00", "--to", "2026-03-01T06:00"),
    ("backfill", "create", "hourly", "--from", "2026-03-01T04:00", "--to", "2026-03-01T06:00"),
    ("backfill", "create", "etl", "--from", "2026-03-01", "--to", "2026-03-02"), ("backfill", "create", "hourly", "--from", "2026-03-02", "--to", "2026-03-01"),
    ("backfill", "pause", "1"), ("backfill", "pause", "1"), ("backfill", "show", "1", "-o", "json"), ("backfill", "unpause", "1"), ("backfill", "cancel", "1"),
    ("backfill", "cancel", "1"), ("backfill", "cancel", "7"), ("backfill", "show", "1"),
    ("runs", "release", "etl", "first", "--all"), ("runs", "release", "down", "d1", "--from", "pu"), ("runs", "release", "down", "d1", "--all"),
    ("tasks", "answer", "ask", "q", "ask", "--option", "Nope"), ("tasks", "answer", "ask", "q", "ask", "--option", "Approve"),
    ("tasks", "answer", "ask", "q", "ask", "--option", "Approve"), ("tasks", "clear", "etl", "first", "load"), ("tasks", "clear", "etl", "first", "nope"),
    ("runs", "wait", "etl", "first"), ("tasks", "mark", "etl", "first", "check", "--state", "failed", "-o", "json"),
    ("tasks", "clear", "etl", "first", "check", "--only-failed", "-o", "yaml"), ("runs", "clear", "etl", "first", "--only-failed"),
    ("runs", "clear", "etl", "second"), ("runs", "mark", "etl", "second", "--state", "failed"), ("runs", "mark", "etl", "second", "--state", "success", "-o", "json"),
    ("runs", "clear", "up", "u1", "--downstream-dags"), ("xcom", "set", "etl", "first", "load", '{"a": [1, "é"]}'), ("xcom", "get", "etl", "first", "load"),
    ("xcom", "set", "ask", "q", "nope", "5"), ("xcom", "delete", "etl", "first", "load"), ("xcom", "delete", "etl", "first", "load"),
    ("assets", "materialize", "orders"), ("assets", "materialize", "orders", "-o", "json"), ("assets", "materialize", "s3://nowhere"),
    ("tasks", "run", "etl", "first", "nope"), ("dags", "pause", "etl", "hourly"), ("dags", "pause", "etl", "nope"), ("dags", "trigger", "etl", "-r", "later"),
    ("dags", "unpause", "hourly", "--dry-run"), ("dags", "unpause", "etl", "hourly"), ("dags", "reserialize", "--no-wait"),
    ("dags", "reserialize", "etl", "--no-wait"), ("dags", "delete", "up", "--yes"), ("dags", "delete", "up", "--yes"),
]  # fmt: skip


@dataclass
class World:
    """A deployment, and what leads a command line to it."""

    deployment: Deployment
    folder: Path
    api: str | None

    def run(self, line: Line, capsys: pytest.CaptureFixture[str]) -> Ended:
        words = [word.replace("FOLDER", str(self.folder)) for word in line]
        capsys.readouterr()
        code = main((*(("--api", self.api) if self.api else ()), *words), obj=self.deployment.home)
        return Ended(code, *(self._clean(text) for text in capsys.readouterr()))

    def _clean(self, text: str) -> str:
        """Without what must differ: the folder, who acts from where, the secret of a token, and the id of a test message."""
        text = text.replace(', \\"from\\": \\"127.0.0.1\\"', "").replace('"address": "127.0.0.1"', '"address": null')
        text = text.replace(str(self.folder), "FOLDER")
        text = re.sub(r"\b(cli:\w+|api:anonymous)\b", "WHO", text)
        text = re.sub(rf"\b({re.escape(self.deployment.home.by.removeprefix('cli:'))}|anonymous)\b", "WHO", text)
        text = re.sub(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "UID", text)
        return re.sub(r"gnm_[0-9a-f]{12}_[\w-]{43}|\b[0-9a-f]{12}\b", "TOKEN", text)


@contextmanager
def make_world(folder: Path, webhook: str, *, over_api: bool) -> Iterator[World]:
    """The same deployment each time: DAGs, a clock that stands at NOW, a scheduler and a worker."""
    clock = VirtualClock(NOW)
    home = Home(load_config({}, folder / "home"), clock, clock.advance)
    migrations.upgrade_schema(home.cfg.database_url)
    with ExitStack() as stack:
        deployment = Deployment(home, clock)
        stack.callback(deployment.close)
        up = TaskSpec(task_id="write", outlets=(ORDERS,), runs_code=False)
        deployment.add(
            spec_of("etl", {"load": (), "check": ("load",)}, tags=("daily",)),
            spec_of("ask", {"ask": ()}),
            spec_of("hourly", timetable=HOURLY),
            spec_of("bounded", timetable=HOURLY, start_at=NOW - 9 * HOUR, end_at=NOW - 5 * HOUR),
            failures=(ParseFailure(kind="dag", message="DAG 'elt' is broken"),),
        )
        deployment.add(
            spec_of(
                "up",
                tasks=(up,),
                timetable=HOURLY,
                assets=(AssetDeclaration(name=ORDERS.name, uri=ORDERS.uri, extra={"team": "x"}),),
            ),
            spec_of("down", asset_condition=ORDERS),
            file="/dags/up.py",
            paused=False,
        )
        deployment.plays["load"] = Play(
            run_s=1.0, xcoms=(XComItem(key="return_value", value='{"rows":[1,2],"name":"é"}'),)
        )
        deployment.plays["ask"] = Play(
            outcome="awaiting_input",
            wait=Deferral(classpath="TaskAwaitingInput", next_method="execute_complete", hitl=QUESTION),
        )
        deployment.start()
        _write_files(home, folder, webhook)
        _quarantine(deployment)
        _predict(deployment)
        api = None
        if over_api:
            context = ApiContext(
                home.cfg,
                clock,
                OpenAccess(),
                lambda: HealthSnapshot(NOW, ()),
                lambda seconds: home.sleep(seconds),
                deployment.db,
            )
            api = f"http://127.0.0.1:{stack.enter_context(served(context)).port}"
        yield World(deployment, folder, api)


def _quarantine(deployment: Deployment) -> None:
    """Two messages and a DAG."""
    items = [
        QuarantinedItem(
            kind=kind, group_no=1, dag_id="etl", reason="no json", error_class="ValueError", at=NOW, body=b"{"
        )
        for kind in ("of_tomorrow", "of_tomorrow", "dag")
    ]
    with deployment.db.write() as tx:
        quarantine.add_items(tx, items)


def _predict(deployment: Deployment) -> None:
    """A baseline that is at risk, with a key path of two steps."""
    due_at = NOW + 3_600_000_000
    steps = [
        KeyStep(
            dag_id="etl", run_id="first", task=task, start=NOW, end=NOW + 5_000_000, usual_s=1.0, latest_start=due_at
        )
        for task in ("extract", "load[3]")
    ]
    forecast = BaselineForecast(
        due_at=due_at, at=NOW, samples=50, breach=0.4, end_p50=due_at, key_path=tuple(steps), costly=1, slack_s=0.0
    )
    record = BaselineRecord("morning", due_at, BaselineLevel.AT_RISK, NOW, forecast)
    with deployment.db.write() as tx:
        baseline_states.put_state(tx, record)
        baseline_states.add_prediction(tx, record)


def _write_files(home: Home, folder: Path, webhook: str) -> None:
    (home.cfg.home / "gnomon.toml").write_text(ALERTS.replace("WEBHOOK", webhook) + BASELINE)
    (folder / "pools.json").write_text(
        json.dumps({"imported": {"slots": 4, "description": "d", "include_deferred": True}})
    )
    (folder / "variables.json").write_text(json.dumps({"region": "us", "limit": {"value": "5", "description": "rows"}}))
    (folder / "connections.json").write_text(json.dumps({"db": "generic://x", "other": "generic://user:pw@host:1/s"}))
    log = home.cfg.logs_folder / build_attempt_log_path("etl", "first", "load", -1, 1)
    log.parent.mkdir(parents=True)
    log.write_text(
        "2026-03-01T09:00:01.000000Z INFO  one\nno stamp\n2026-03-01T09:00:02.000000Z ERROR two\ntail without newline"
    )


@pytest.fixture
def worlds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[World, World]]:
    monkeypatch.setattr(passwords, "MEMORY_KIB", 64)
    monkeypatch.setattr(passwords, "ROUNDS", 1)
    passwords._hasher.cache_clear()
    for name in ("here", "away"):
        (tmp_path / name).mkdir()
    with (
        webhook_server() as webhook,
        make_world(tmp_path / "here", webhook.url, over_api=False) as here,
        make_world(tmp_path / "away", webhook.url, over_api=True) as away,
    ):
        yield here, away
    passwords._hasher.cache_clear()


def test_every_command_has_the_same_output_over_the_api(
    worlds: tuple[World, World], capsys: pytest.CaptureFixture[str]
) -> None:
    """One session of commands on both: each sees what the ones before it have done."""
    here, away = worlds
    formats = [("-o", kind) for kind in ("table", "plain", "json")]
    reads = [(*line, *kind) for line in READS for kind in formats] + PLAIN_READS
    session = [
        *SITUATION,
        ("MOVE",),
        *ADMINISTRATION,
        *STATES,
        *reads,
        *CHANGES,
        ("MOVE",),
        ("runs", "list", "-o", "json"),
        ("dags", "list", "-o", "json"),
    ]
    outputs = 0
    for line in session:
        if line == ("MOVE",):
            for world in worlds:
                world.deployment.move(20)
            continue
        ended = here.run(line, capsys)
        assert away.run(line, capsys) == ended, line
        outputs += bool(ended.out)
    assert [away.run(("alerts", kind), capsys).code for kind in ("rules", "channels")] == [0, 0]
    assert outputs > len(session) // 2  # most commands have something to say: errors are not all that is compared


def test_the_session_has_every_command_that_works_over_the_api() -> None:
    lines = [*SITUATION, *ADMINISTRATION, *STATES, *READS, *PLAIN_READS, *CHANGES]
    claimed = {path for path, command in iterate_commands(root, ()) if getattr(command.callback, WORKS_OVER_API, False)}
    named = {path for path in claimed if any(" ".join(line).startswith(path) for line in lines)}
    assert named == claimed and len(claimed) > 60


def iterate_commands(group: click.Group, path: Line) -> Iterator[tuple[str, click.Command]]:
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from iterate_commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command
