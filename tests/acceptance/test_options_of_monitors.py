"""The options of alerts and of the nightly clean, seen through the monitor; the commands about alerts, the clean and the doctor."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from tests.acceptance.effects import effect_of, options
from tests.databases import create_schema
from tests.keys import CIPHER
from tests.webhook_server import webhook_server

from gnomon.api.common.refusals import Refusal
from gnomon.api.own.simulations import require_place
from gnomon.entry.app.monitor_wiring import is_monitor_needed
from gnomon.entry.app.nightly_clean import NightlyClean, find_next
from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.main import main
from gnomon.entry.projection.forecast_report import build_drawing
from gnomon.entry.projection.what_if.simulation_main import build_both_drawing
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import Config, OptionError
from gnomon.model.instants import to_datetime
from gnomon.model.records import EventRecord
from gnomon.services.monitor.settings import build_monitor_settings
from gnomon.storage.store import load_cipher, open_database
from gnomon.storage.store.dag_records.event_log import list_events, log_event

NOW = 1_772_355_600_000_000  # 2026-03-01T09:00:00Z
DAY = 86_400_000_000


@effect_of("alerts.base_url", "alerts.group_wait", "alerts.group_interval")
def test_the_options_of_alerts_reach_the_monitor(tmp_path: Path) -> None:
    settings = build_monitor_settings(
        options(tmp_path, alerts__base_url="https://g.example/", alerts__group_wait=3, alerts__group_interval=7)
    )
    assert (settings.base_url, settings.group_wait_s, settings.group_interval_s) == ("https://g.example", 3.0, 7.0)


@effect_of("alerts.language")
def test_messages_are_in_the_language_of_the_option_or_of_their_channel(shell: Shell) -> None:
    with webhook_server() as server:
        table = f'type = "webhook"\nurl = "{server.url}"\n'
        channels = f'[alerts.channels.ops]\n{table}[alerts.channels.abroad]\n{table}language = "en"\n'
        for text in (channels, f'[alerts]\nlanguage = "zh"\n{channels}'):
            (shell.folder / "gnomon.toml").write_text(text)
            for name in ("ops", "abroad"):
                assert shell.run("alerts", "test", name)[0] == 0
        listed = shell.run("alerts", "channels", "-o", "json")[1]
    titles = [json.loads(post.body)["title"] for post in server.posts]
    assert [title[:17] for title in titles[:2]] == ["this is a test of", "this is a test of"]
    assert titles[2].startswith("这是由 ") and titles[2].endswith(" 发送的渠道 ops 的测试消息")
    assert titles[3].startswith("this is a test of channel abroad, sent by ")
    assert [row["language"] for row in json.loads(listed)] == ["zh", "en"]


@effect_of("forecast.interval", "forecast.always")
def test_the_options_of_forecasts_reach_the_monitor(tmp_path: Path) -> None:
    cfg = options(tmp_path, forecast__interval=7, forecast__always=True)
    settings = build_monitor_settings(cfg)
    assert (settings.forecast_interval_s, settings.forecasts_always) == (7.0, True)
    assert is_monitor_needed(cfg)
    assert not is_monitor_needed(options(tmp_path))


@effect_of("forecast.samples", "forecast.max_time", "forecast.assumed_duration")
def test_the_options_of_forecasts_reach_the_process_that_draws_them(tmp_path: Path) -> None:
    drawing = build_drawing(options(tmp_path, forecast__samples=9, forecast__max_time=3, forecast__assumed_duration=11))
    assert (drawing.samples, drawing.max_s, drawing.assumed_s) == (9, 3.0, 11.0)


@effect_of("forecast.simulation_max_time", "forecast.simulations")
def test_the_options_of_simulations_reach_their_process_and_who_starts_it(tmp_path: Path) -> None:
    assert build_both_drawing(options(tmp_path, forecast__simulation_max_time=3), [], 5).max_s == 3.0
    require_place(options(tmp_path, forecast__simulations=3), 2)
    for most, status in ((2, 429), (0, 403)):
        with pytest.raises(Refusal) as refused:
            require_place(options(tmp_path, forecast__simulations=most), 2)
        assert refused.value.status_code == status


@pytest.mark.parametrize(
    ("at", "zone", "expected"),
    [
        ("10:30", "UTC", "2026-03-01T10:30:00+00:00"),
        ("08:00", "UTC", "2026-03-02T08:00:00+00:00"),
        ("09:00", "UTC", "2026-03-02T09:00:00+00:00"),
        ("10:30", "Europe/Zurich", "2026-03-01T09:30:00+00:00"),
    ],
)
def test_the_next_clean_is_at_its_time_of_day(at: str, zone: str, expected: str) -> None:
    assert to_datetime(find_next(at, zone, NOW)).isoformat() == expected


@effect_of("housekeeping.clean_at", "housekeeping.older_than", "housekeeping.keep_last", "housekeeping.tables")
def test_the_nightly_clean_deletes_what_its_options_say_once_a_day(tmp_path: Path) -> None:
    cfg = options(
        tmp_path,
        housekeeping__clean_at="10:00",
        housekeeping__older_than="2d",
        housekeeping__keep_last=3,
        housekeeping__tables="events",
    )
    create_schema(cfg.database_url)
    db = open_database(cfg.database_url, cipher=CIPHER)
    clock = VirtualClock(NOW)
    work = NightlyClean(cfg, db, clock)
    try:
        with db.write() as tx:
            for days in (3, 1):
                log_event(tx, EventRecord(NOW - days * DAY, "marked", body=str(days)))
        work.tick()
        assert work._thread is None
        clock.advance(3700)
        work.tick()
        assert work._thread is not None
        work._thread.join()
        with db.read() as tx:
            assert [(event.kind, event.body) for event in list_events(tx)] == [
                ("database_cleaned", '{"events": 1}'),
                ("marked", "1"),
            ]
        assert work._keep_last == 3
        assert work.due_at == NOW + 3600_000_000 + DAY
    finally:
        work.close()
        db.close()


def test_a_clean_whose_time_has_long_passed_is_left_out(tmp_path: Path) -> None:
    cfg = options(tmp_path, housekeeping__clean_at="10:00")
    clock = VirtualClock(NOW)
    work = NightlyClean(cfg, None, clock)  # type: ignore[arg-type]
    clock.advance(3 * 3600)
    work.tick()
    assert (work._thread, work.due_at) == (None, NOW + 3600_000_000 + DAY)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("clean_at", "25:00", "write a time of day such as 03:30"),
        ("older_than", "soon", "is 'soon'; write a number of seconds"),
        (
            "tables",
            "runs,everything",
            "'everything' is not one of runs, events, xcoms, alerts, asset_events, dag_versions, logs",
        ),
    ],
)
def test_a_wrong_option_of_the_clean_is_named(tmp_path: Path, name: str, value: str, expected: str) -> None:
    with pytest.raises(OptionError, match=expected):
        cfg = options(tmp_path, **{f"housekeeping__{name}": value})
        NightlyClean(cfg, None, VirtualClock(NOW))  # type: ignore[arg-type]


# ---- commands --------------------------------------------------------------------------------------------------------
class Shell:
    """Commands on a home with a database."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.cfg: Config = options(folder)
        self._capsys = capsys
        create_schema(self.cfg.database_url)
        db = open_database(self.cfg.database_url, cipher=load_cipher(self.cfg))
        db.bind_key()
        db.close()

    def run(self, *words: str) -> tuple[int, str, str]:
        code = main(list(words), Home(options(self.folder), VirtualClock(NOW), lambda _: None))
        done = self._capsys.readouterr()
        return code, done.out, done.err


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(tmp_path, capsys)


def test_a_channel_is_tried_from_the_command_line(shell: Shell) -> None:
    with webhook_server() as server:
        (shell.folder / "gnomon.toml").write_text(
            f'[alerts.channels.ops]\ntype = "webhook"\nurl = "{server.url}/t0ken"\n[[alerts.rules]]\nname = "all"\nwhen = "failure"\nto = "ops"\ndags = ["etl_*"]\n'
        )
        code, out, _ = shell.run("alerts", "test", "ops")
        assert code == 0
        assert out.startswith("channel ops accepted the test message ")
        assert json.loads(server.posts[0].body)["alerts"][0]["kind"] == "test"
        server.answers = [(403, {})]
        code, _, err = shell.run("alerts", "test", "ops")
        assert code == 1
        assert "channel ops did not accept the test message: the webhook answered 403 Forbidden: the answer (" in err
        assert "t0ken" not in out + err + "".join(shell.run("alerts", "channels")[1:])
    assert "there" not in shell.run("alerts", "rules")[2]
    assert "etl_*" in shell.run("alerts", "rules")[1]
    assert (
        shell.run("alerts", "test", "opps")[2].strip() == "gnomon: gnomon.toml has no channel 'opps'; did you mean ops?"
    )
    assert "no rule has raised an alert" in shell.run("alerts", "list")[1]
    assert "no message has been written" in shell.run("alerts", "history")[1]


def test_lint_names_the_line_of_a_wrong_rule(shell: Shell) -> None:
    (shell.folder / "gnomon.toml").write_text('[[alerts.rules]]\nwhen = "failure"\nto = "nobody"\n')
    code, _, err = shell.run("config", "lint")
    assert code == 1
    assert "gnomon.toml, line 3: there is no channel 'nobody'" in err


def test_a_backup_is_restored_and_the_database_before_is_kept(shell: Shell) -> None:
    assert shell.run("variables", "set", "colour", "blue")[0] == 0
    backup = shell.folder / "copy of 100%41 #1?.db"
    code, out, _ = shell.run("db", "backup", str(backup))
    assert code == 0
    assert "Keep the key" in out
    assert backup.stat().st_mode & 0o077 == 0
    assert "exists already" in shell.run("db", "backup", str(backup))[2]
    assert shell.run("variables", "set", "colour", "red")[0] == 0
    code, out, err = shell.run("db", "restore", str(backup))
    assert (code, err) == (0, "")
    assert shell.run("variables", "get", "colour")[1].strip() == "blue"
    (kept,) = [
        path for path in shell.folder.glob("gnomon.db.before-restore-*") if not path.name.endswith(("-wal", "-shm"))
    ]
    assert str(kept) in out


def test_a_restore_is_refused_for_what_is_no_backup_of_this_home(shell: Shell, tmp_path: Path) -> None:
    assert shell.run("variables", "set", "colour", "blue")[0] == 0
    assert "there is no file" in shell.run("db", "restore", str(tmp_path / "none"))[2]
    (tmp_path / "text").write_text("no database " * 100)
    assert shell.run("db", "restore", str(tmp_path / "text"))[0] == 1
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE something (n)")
    connection.close()
    assert shell.run("db", "restore", str(foreign))[0] == 1
    backup = tmp_path / "copy.db"
    shell.run("db", "backup", str(backup))
    (shell.folder / "fernet.key").write_bytes(b"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
    assert "key" in shell.run("db", "restore", str(backup))[2]
    assert list(shell.folder.glob("*.before-restore-*")) == []


def test_the_clean_says_what_it_would_delete_and_refuses_unknown_tables(shell: Shell) -> None:
    code, out, _ = shell.run("db", "clean", "--older-than", "30d", "--dry-run", "-o", "json")
    assert (code, [row["table"] for row in json.loads(out)]) == (
        0,
        ["runs", "events", "alerts", "asset_events", "dag_versions", "logs"],
    )
    assert "'dags' is not one of runs" in shell.run("db", "clean", "--tables", "dags")[2]
    assert shell.run("db", "clean", "--older-than", "soon")[0] == 2


def test_the_doctor_gives_each_line_a_verdict_and_each_complaint_a_remedy(shell: Shell) -> None:
    (shell.folder / "gnomon.toml").write_text(
        '[alerts.channels.ops]\ntype = "slack"\nurl_env = "X"\n[[alerts.rules]]\nwhen = "failure"\nto = "ops"\n'
    )
    code, out, _ = shell.run("doctor", "-o", "json")
    rows = json.loads(out)
    assert code == 1
    assert {row["check"] for row in rows} >= {
        "clock",
        "time zones",
        "permissions",
        "database",
        "key",
        "services",
        "alerts",
        "limit of open files",
        "file of the database",
    }
    assert all(row["remedy"] for row in rows if row["verdict"] != "ok")
    assert [row["found"] for row in rows if row["verdict"] == "fail"] == [
        "no monitor is alive, and rules of alerts exist: nobody is told"
    ]
    (shell.folder / "gnomon.toml").unlink()
    assert shell.run("doctor")[0] == 0
