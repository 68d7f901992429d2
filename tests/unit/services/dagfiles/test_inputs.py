"""What a file depended on: recorded at its import, compared by stamp and then by content."""

from __future__ import annotations

import errno
import os
import socket
import sys
import time
from pathlib import Path

import pytest

from gnomon.model.errors.product import UserError
from gnomon.services.dagfiles import inputs
from gnomon.services.dagfiles.inputs import StampCache


def paths_of(parsed) -> set[str]:
    return {path for path, _ in parsed.inputs.paths}


def is_current(parser, parsed) -> bool:
    return StampCache(parser.facts).renewed(parsed.inputs) is not None


def test_the_file_itself_is_an_input(home, parser):
    path = home.one_dag("one.py")
    parsed = parser.parse(path)

    assert path in paths_of(parsed)
    assert is_current(parser, parsed)
    Path(path).write_text(Path(path).read_text() + "# more\n")
    assert not is_current(parser, parsed)


def test_a_file_that_is_touched_but_equal_is_current(home, parser):
    path = home.one_dag("one.py")
    parsed = parser.parse(path)

    os.utime(path, (1, 1))

    renewed = StampCache(parser.facts).renewed(parsed.inputs)
    assert renewed is not None and renewed.paths != parsed.inputs.paths
    assert renewed.input_hash == parsed.inputs.input_hash


@pytest.fixture
def parser_with_bytecode(home, parser_with, monkeypatch):
    """A parser that keeps bytecode, whatever the environment of the tests says."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return parser_with(home.config())


def test_a_helper_module_in_the_dag_folder_is_an_input_with_and_without_its_bytecode(home, parser_with_bytecode):
    parser = parser_with_bytecode
    helper = home.write("helpers/names.py", "DAG_ID = 'from_helper'\n")
    os.utime(helper, (1_000_000_000, 1_000_000_000))
    home.write("helpers/__init__.py", "")
    path = home.write(
        "uses.py",
        "from helpers.names import DAG_ID\nfrom gnomon.authoring.sdk.dags.dag import DAG\ndag = DAG(DAG_ID)\n",
    )

    first, second = parser.parse(path), parser.parse(path)

    assert list((home.dags / "helpers" / "__pycache__").glob("names.*.pyc")), "the second parse read bytecode"
    assert helper in paths_of(first) and helper in paths_of(second)
    assert first.inputs.input_hash == second.inputs.input_hash
    home.write("helpers/names.py", "DAG_ID = 'another_one'\n")
    assert not is_current(parser, second)
    assert [dag.spec.dag_id for dag in parser.parse(path).dags] == ["another_one"]


def test_a_helper_saved_twice_within_a_second_is_read_as_it_is(home, parser_with_bytecode):
    parser = parser_with_bytecode
    path = home.write("uses.py", "import ids\nfrom gnomon.authoring.sdk.dags.dag import DAG\ndag = DAG(ids.DAG_ID)\n")
    seen, ahead = [], time.time() + 10_000
    for letter in "abc":
        helper = home.write("ids.py", f"DAG_ID = '{letter}'\n")
        os.utime(helper, (ahead, ahead))
        seen += [dag.spec.dag_id for dag in parser.parse(path).dags]

    assert seen == ["a", "b", "c"]


def test_a_plugin_module_is_an_input(home, parser):
    (home.plugins / "ours.py").write_text("X = 1\n")

    parsed = parser.parse(home.write("uses.py", "import ours\n"))

    assert str(home.plugins / "ours.py") in paths_of(parsed)


def test_a_yaml_file_and_the_listing_it_was_found_by_are_inputs(home, parser):
    home.write("conf/one.yaml", "dag_id: one\n")
    path = home.write(
        "generates.py",
        """
        from pathlib import Path
        import yaml
        from gnomon.authoring.sdk.dags.dag import DAG
        for file in sorted((Path(__file__).parent / "conf").glob("*.yaml")):
            conf = yaml.safe_load(file.read_text())
            globals()[conf["dag_id"]] = DAG(conf["dag_id"])
    """,
    )

    parsed = parser.parse(path)

    assert [dag.spec.dag_id for dag in parsed.dags] == ["one"]
    assert str(home.dags / "conf" / "one.yaml") in paths_of(parsed)
    assert not parsed.inputs.has_volatile_import
    home.write("conf/two.yaml", "dag_id: two\n")
    assert not is_current(parser, parsed)
    assert [dag.spec.dag_id for dag in parser.parse(path).dags] == ["one", "two"]


def test_a_new_file_beside_it_changes_nothing_for_a_file_that_listed_nothing(home, parser):
    parsed = parser.parse(home.one_dag("one.py"))

    home.one_dag("two.py")

    assert is_current(parser, parsed)


def test_a_file_that_was_looked_for_and_appears_later_is_a_change(home, parser):
    path = home.write(
        "optional.py",
        """
        from pathlib import Path
        try:
            text = (Path(__file__).parent / "local.yaml").read_text()
        except FileNotFoundError:
            text = None
    """,
    )
    parsed = parser.parse(path)

    assert is_current(parser, parsed)
    home.write("local.yaml", "a: 1\n")
    assert not is_current(parser, parsed)


def test_what_is_read_of_the_installation_is_no_input(home, parser):
    parsed = parser.parse(home.write("imports.py", "import csv, decimal, wave, gnomon.authoring.operators.python\n"))

    assert {path for path in paths_of(parsed) if not path.startswith("env:")} == {
        str(home.dags / "imports.py"),
        str(home.folder / "config" / "airflow_local_settings.py"),
        "gnomon:",
    }


def test_a_variable_of_the_environment_is_an_input(home, parser_with, monkeypatch):
    monkeypatch.setenv("TEAM", "blue")
    path = home.write(
        "env.py",
        "import os\nfrom gnomon.authoring.sdk.dags.dag import DAG\ndag = DAG(os.environ['TEAM'])\nos.getenv('UNSET')\n",
    )
    parsed = parser_with(home.config()).parse(path)
    same = parser_with(home.config())

    monkeypatch.setenv("TEAM", "red")
    other = parser_with(home.config())

    assert {"env:TEAM", "env:UNSET"} <= paths_of(parsed)
    assert is_current(same, parsed)
    assert not is_current(other, parsed)


def test_another_default_of_the_options_means_parsing_again(home, parser_with):
    parsed = parser_with(home.config()).parse(home.one_dag("one.py"))

    assert is_current(parser_with(home.config()), parsed)
    assert not is_current(parser_with(home.config(core__max_active_runs_per_dag=3)), parsed)


def test_a_variable_asked_for_at_import_is_answered_and_remembered(home, parser_with):
    parser = parser_with(home.config(), lambda question: "from_the_store" if question.key == "dag_id" else None)
    path = home.write(
        "asks.py",
        """
        from gnomon.authoring.sdk.dags.dag import DAG
        from gnomon.authoring.sdk.connections.variable import Variable
        dag = DAG(Variable.get("dag_id"))
    """,
    )

    parsed = parser.parse(path)

    assert [dag.spec.dag_id for dag in parsed.dags] == ["from_the_store"]
    assert parsed.inputs.has_volatile_import


def test_another_answer_is_another_hash_and_the_same_answer_the_same(home, parser_with):
    path = home.write(
        "asks.py",
        """
        from gnomon.authoring.sdk.dags.dag import DAG
        from gnomon.authoring.sdk.connections.variable import Variable
        colour = Variable.get("colour")
        dag = DAG("asks")
    """,
    )

    red, again, blue = (
        parser_with(home.config(), lambda question, colour=colour: colour).parse(path).inputs.input_hash
        for colour in ("red", "red", "blue")
    )

    assert red == again != blue


def test_a_refused_question_is_the_files_import_error_in_the_words_of_the_refusal(home, parser_with):
    def refuse(question):
        raise UserError("the Variable 'x' cannot be decrypted; set core.fernet_key to the key it was stored with")

    parser = parser_with(home.config(), refuse)

    (failure,) = parser.parse(
        home.write("asks.py", "from gnomon.authoring.sdk.connections.variable import Variable\nVariable.get('x')\n")
    ).failures

    assert (failure.kind, failure.line) == ("import", 2)
    assert "core.fernet_key" in failure.message


@pytest.mark.parametrize(
    "source",
    [
        "import subprocess\nsubprocess.run(['true'])\n",
        "import os\nos.system('true')\n",
        "import sqlite3\nsqlite3.connect(':memory:').close()\n",
    ],
)
def test_looking_beyond_files_is_remembered(source, home, parser):
    assert parser.parse(home.write("looks.py", source)).inputs.has_volatile_import


def test_a_connection_at_import_is_looking_further_and_a_reason_against_forking(home, parser):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        parsed = parser.parse(
            home.write("net.py", f"import socket\nsession = socket.create_connection(('127.0.0.1', {port}))\n")
        )

    assert parsed.inputs.has_volatile_import
    assert "connection" in (parsed.inputs.fresh or "")


STARTS = """
from gnomon.authoring.sdk import DAG, BaseOperator, StartTriggerArgs

class Waits(BaseOperator):
    start_from_trigger = True
    start_trigger_args = StartTriggerArgs(trigger_cls="bells.Bell", trigger_kwargs={"tune": 1}, next_method="go_on")

    def go_on(self, context, event=None): ...

with DAG("waits"):
    Waits(task_id="waits")
"""
BELL = """
from gnomon.authoring.sdk import BaseTrigger, TriggerEvent

class Bell(BaseTrigger):
    def __init__(self, {takes}):
        super().__init__()

    def serialize(self):
        return "bells.Bell", {{}}

    async def run(self):
        yield TriggerEvent()
"""


def test_the_trigger_that_a_task_starts_from_is_an_input(home, parser):
    path = home.write("starts.py", STARTS)
    bells = home.plugins / "bells.py"
    missing = parser.parse(path)
    assert "there is no module 'bells' here" in missing.failures[0].message
    assert missing.inputs.has_volatile_import

    bells.parent.mkdir(exist_ok=True)
    bells.write_text(BELL.format(takes="tune"))
    parsed = parser.parse(path)
    assert parsed.failures == ()
    assert parsed.dags[0].spec.tasks[0].start_wait.classpath == "bells.Bell"
    assert str(bells) in paths_of(parsed)

    bells.write_text(BELL.format(takes="rope"))
    assert not is_current(parser, parsed)
    (failure,) = parser.parse(path).failures
    assert (failure.kind, failure.line) == ("dag", 11)
    assert "Task 'waits'" in failure.message and "bells.Bell(rope) cannot be made with tune=" in failure.message


def test_a_thread_at_import_is_a_reason_against_forking(home, parser):
    parsed = parser.parse(
        home.write(
            "threads.py",
            """
        import threading
        stop = threading.Event()
        threading.Thread(target=stop.wait, name="poller", daemon=True).start()
    """,
        )
    )

    assert "poller" in (parsed.inputs.fresh or "")


def test_an_ordinary_file_may_be_forked(home, parser):
    assert parser.parse(home.one_dag("one.py")).inputs.fresh is None


def test_author_code_sees_no_address_of_the_database(home, parser_with, monkeypatch):
    monkeypatch.setenv("GNOMON__DATABASE__SQL_ALCHEMY_CONN", "postgresql://u:secret@h/db")
    parser = parser_with(home.config(database__sql_alchemy_conn="postgresql://u:secret@h/db"))
    path = home.write(
        "spies.py",
        """
        import os
        from gnomon.ground.config import current_config
        assert "secret" not in str(dict(os.environ))
        assert not current_config().has("database", "sql_alchemy_conn")
    """,
    )

    assert parser.parse(path).failures == ()


ON_CALENDAR = """
    from datetime import datetime, timezone
    from gnomon.authoring.sdk.dags.dag import DAG
    from gnomon.timetables import BusinessDays

    dag = DAG("reports", schedule=BusinessDays("firm", at="06:00"), start_date=datetime(2026, 1, 1, tzinfo=timezone.utc))
"""


def test_a_named_calendar_and_the_file_of_its_dates_are_inputs_and_change_what_is_stored(home, parser):
    toml, closed = home.folder / "gnomon.toml", home.folder / "closed.csv"
    toml.write_text('[calendars.firm]\ndates_file = "closed.csv"\n')
    closed.write_text("2026-05-04\n")
    path = home.write("reports.py", ON_CALENDAR)
    found = []
    for change in (
        None,
        lambda: closed.write_text("2026-05-05\n"),
        lambda: toml.write_text(toml.read_text() + 'weekend = ["fri"]\n'),
    ):
        if change is not None:
            change()
            assert not is_current(parser, found[-1])
        found.append(parser.parse(path))
        assert found[-1].failures == ()
        assert {str(toml), str(closed)} <= paths_of(found[-1])
        assert is_current(parser, found[-1])
    stored = [parsed.dags[0].spec.timetable.data for parsed in found]
    assert all(one != other for number, one in enumerate(stored) for other in stored[:number])


def test_a_calendar_that_is_missing_is_found_when_it_is_written(home, parser):
    path = home.write("reports.py", ON_CALENDAR)
    parsed = parser.parse(path)
    assert (
        "there is no calendar 'firm' in" in parsed.failures[0].message
        and "[calendars.firm]" in parsed.failures[0].message
    )
    (home.folder / "gnomon.toml").write_text('[calendars.firm]\ncountry = "US"\n')
    assert not is_current(parser, parsed)
    assert parser.parse(path).failures == ()


def test_dates_beside_the_dag_file_are_an_input(home, parser):
    home.write("closed.csv", "2026-05-04\n")
    path = home.write(
        "reports.py",
        ON_CALENDAR.replace('"firm"', 'dates_file("closed.csv")').replace(
            "from gnomon.authoring.sdk.dags.dag import DAG", "from gnomon import DAG, dates_file"
        ),
    )
    parsed = parser.parse(path)
    assert (parsed.failures, str(home.dags / "closed.csv") in paths_of(parsed)) == ((), True)
    home.write("closed.csv", "2026-05-05\n")
    assert not is_current(parser, parsed)


@pytest.mark.parametrize("kind", ["pipe", "device without an end", "grown file"])
def test_an_input_that_has_no_end_is_not_read(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The dag-processor reads what the code of a file has opened, in one process for all files."""
    path = tmp_path / "input"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "grown file":
        monkeypatch.setattr(inputs, "HASHED_MAX", 3)
        path.write_text("long")
    else:
        path.symlink_to("/dev/zero")
    digest = inputs.content_hash(str(path), lambda name: name)
    assert digest == (inputs.stamp_of(str(path), lambda name: name) if kind == "grown file" else f"!{errno.EINVAL}")
