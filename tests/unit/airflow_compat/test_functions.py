"""Functions and classes that live in the tree itself, and what stands behind them."""

from __future__ import annotations

import datetime as dt
import functools
import importlib
import json
import logging
import os
import subprocess
import sys
from json import JSONDecoder
from pathlib import Path
from typing import Any

import pendulum
import pytest
import time_machine
from tests.smtp_server import smtp_server

from gnomon.airflow_compat.dagbag import DagBag
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.nodes.authoring_state import get_current_context
from gnomon.model.errors.authoring import AirflowConfigException


def _module(name: str) -> Any:
    return importlib.import_module(name)


@time_machine.travel(dt.datetime(2024, 3, 4, 15, 30, tzinfo=dt.UTC), tick=False)
def test_days_ago_is_midnight_so_many_days_back() -> None:
    dates = _module("airflow.utils.dates")
    assert dates.days_ago(2) == dt.datetime(2024, 3, 2, tzinfo=dt.UTC)
    assert dates.days_ago(0, hour=6) == dt.datetime(2024, 3, 4, 6, tzinfo=dt.UTC)
    assert dates.parse_execution_date("2024-03-04T05:00:00Z") == dt.datetime(2024, 3, 4, 5, tzinfo=dt.UTC)
    assert dates.cron_presets["@daily"] == "0 0 * * *"


def test_the_zones_handed_out_are_those_of_pendulum(tmp_path: Path) -> None:
    for name in ("airflow.utils.timezone", "airflow.sdk.timezone"):
        assert _module(name).utc is pendulum.UTC
        later = pendulum.DateTime(2024, 3, 4, tzinfo=_module(name).utc) + dt.timedelta(days=1)
        assert later == pendulum.datetime(2024, 3, 5, tz="UTC")
    assert _module("airflow.settings").TIMEZONE is pendulum.UTC
    config = _module("gnomon.ground.config")
    config.set_current_config(config.load_config({"AIRFLOW__CORE__DEFAULT_TIMEZONE": "Europe/Zurich"}, tmp_path))
    zone = _module("airflow.settings").TIMEZONE
    assert pendulum.DateTime(2024, 3, 4, tzinfo=zone) + dt.timedelta(days=1) == pendulum.datetime(
        2024, 3, 5, tz="Europe/Zurich"
    )
    assert _module("airflow.utils.timezone").utc_epoch() == dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


@pytest.mark.ordinary
def test_a_file_that_needs_no_zone_loads_no_pendulum() -> None:
    code = (
        "import sys; from gnomon.author_code.loading import dialect; dialect.enable(); import airflow.utils.timezone, airflow.settings; "
        "from airflow.sdk import timezone; timezone.utcnow(); print('pendulum' in sys.modules); "
        "timezone.utc; print('pendulum' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False", "True"]


def test_sets_of_states() -> None:
    state = _module("airflow.utils.state").State
    assert state.SUCCESS == "success"
    assert state.SKIPPED in state.finished
    assert state.RUNNING in state.unfinished
    assert None in state.unfinished
    assert not state.finished & state.unfinished
    assert state.failed_states == {"failed", "upstream_failed"}
    assert state.color("success") == "green"


def test_types_of_runs_have_the_names_of_every_version() -> None:
    types = _module("airflow.utils.types").DagRunType
    assert types.BACKFILL_JOB == "backfill"
    assert types.BACKFILL_JOB.name == "BACKFILL_JOB"
    assert types.from_run_id("backfill__2024-03-04") is types.BACKFILL_JOB
    assert types.DATASET_TRIGGERED is types.ASSET_TRIGGERED
    assert [each.value for each in types].count("backfill") == 1


def test_helpers() -> None:
    helpers = _module("airflow.utils.helpers")
    assert list(helpers.chunks([1, 2, 3], 2)) == [[1, 2], [3]]
    assert helpers.exactly_one(1, 0, None) and not helpers.exactly_one(1, 1)
    assert helpers.at_most_one(0, None) and not helpers.at_most_one(1, 1)
    assert helpers.merge_dicts({"a": {"x": 1}, "b": 1}, {"a": {"y": 2}, "b": 2}) == {"a": {"x": 1, "y": 2}, "b": 2}
    assert helpers.prune_dict({"a": None, "b": {"c": None, "d": 0}, "e": [None, 1]}) == {"b": {"d": 0}, "e": [1]}
    assert helpers.prune_dict({"a": 0, "b": 1}, mode="truthy") == {"b": 1}
    assert helpers.convert_camel_to_snake("LocalTaskJob") == "local_task_job"
    assert helpers.as_flattened_list([1, [2, ["three"]]]) == [1, 2, "three"]
    no, yes = helpers.partition(lambda n: n > 1, [1, 2, 3])
    assert (list(no), list(yes)) == ([1], [2, 3])
    with pytest.raises(ValueError):
        helpers.validate_key("not allowed!")


def test_options_by_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = _module("gnomon.ground.config")
    environ = {
        "AIRFLOW__MINE__TEXT": "words",
        "AIRFLOW__MINE__YES": "True",
        "AIRFLOW__MINE__N": "7",
        "AIRFLOW__MINE__F": "0.5",
        "AIRFLOW__MINE__LIST": "a, b,,c",
        "AIRFLOW__MINE__JSON": '{"a": 1}',
        "AIRFLOW__MINE__SPAN": "90",
        "AIRFLOW__MINE__CLASS": "collections.OrderedDict",
    }
    config.set_current_config(config.load_config(environ, tmp_path))
    conf = _module("airflow.configuration").conf
    assert conf.get("mine", "text") == conf.get("MINE", "TEXT") == "words"
    assert conf.getboolean("mine", "yes") is True
    assert (conf.getint("mine", "n"), conf.getfloat("mine", "f")) == (7, 0.5)
    assert conf.getlist("mine", "list") == ["a", "b", "c"]
    assert conf.getjson("mine", "json") == {"a": 1}
    assert conf.gettimedelta("mine", "span") == dt.timedelta(seconds=90)
    assert conf.getimport("mine", "class").__name__ == "OrderedDict"
    assert conf.getsection("mine")["n"] == 7
    assert conf.has_option("mine", "n") and not conf.has_option("mine", "zzz")
    assert conf.has_section("mine") and not conf.has_section("zzz")
    assert conf.get_mandatory_value("mine", "text") == "words"
    assert "core" in list(conf)
    assert "dags_folder" in conf.as_dict()["core"]
    with pytest.raises(AirflowConfigException, match="Unset the environment variable AIRFLOW__MINE__TEXT"):
        conf.remove_option("mine", "text")


def test_an_option_that_is_not_there() -> None:
    conf = _module("airflow.configuration").conf
    assert conf.get("mine", "zzz", fallback=None) is None
    assert conf.getint("mine", "zzz", fallback=5) == 5
    assert conf.getboolean("mine", "zzz", fallback=False) is False
    with pytest.raises(AirflowConfigException, match=r"\[mine\] zzz"):
        conf.get("mine", "zzz")
    with pytest.raises(AirflowConfigException, match="AIRFLOW__CORE__PARALLELISM"):
        conf.set("core", "parallelism", "1")
    assert conf.remove_option("mine", "zzz") is conf.remove_option("core", "dags_folder") is False


def test_an_option_of_the_wrong_kind_is_named(tmp_path: Path) -> None:
    config = _module("gnomon.ground.config")
    config.set_current_config(config.load_config({"AIRFLOW__MINE__N": "many"}, tmp_path))
    with pytest.raises(AirflowConfigException, match=r"\[mine\] n has the value 'many'"):
        _module("airflow.configuration").conf.getint("mine", "n")


@pytest.mark.ordinary
def test_mail_goes_to_everybody_named(tmp_path: Path) -> None:
    email, config = _module("airflow.utils.email"), _module("gnomon.ground.config")
    with smtp_server() as server:
        config.set_current_config(
            config.load_config(
                {
                    "AIRFLOW__SMTP__SMTP_HOST": "127.0.0.1",
                    "AIRFLOW__SMTP__SMTP_PORT": str(server.port),
                    "AIRFLOW__SMTP__SMTP_STARTTLS": "False",
                },
                tmp_path,
            )
        )
        email.send_email("a@x.org; b@x.org", "Hello", "<b>hi</b>", cc=["c@x.org"], bcc="d@x.org")
    (mail,) = server.mails
    assert (mail.recipients, mail.message["To"], mail.message["CC"]) == (
        ["a@x.org", "b@x.org", "c@x.org", "d@x.org"],
        "a@x.org, b@x.org",
        "c@x.org",
    )
    assert mail.html == "<b>hi</b>"


def test_secrets_by_the_name_of_their_field() -> None:
    redact = _module("airflow.utils.log.secrets_masker").redact
    assert redact({"password": "x", "deep": [{"api_key": "y", "plain": 1}]}) == {
        "password": "***",
        "deep": [{"api_key": "***", "plain": 1}],
    }


def test_json_of_what_tasks_handle() -> None:
    encoder = _module("airflow.utils.json").AirflowJsonEncoder
    text = json.dumps({"at": dt.date(2024, 3, 4), "some": {2, 1}}, cls=encoder)
    assert json.loads(text) == {"at": "2024-03-04", "some": [1, 2]}


def test_small_functions() -> None:
    assert _module("airflow.utils.strings").to_boolean("Yes")
    assert _module("airflow.utils.module_loading").import_string("airflow.sdk.DAG") is DAG
    with pytest.raises(ImportError, match="nowhere"):
        _module("airflow.utils.module_loading").import_string("nowhere.at.all")
    assert _module("airflow.utils.module_loading").qualname(DAG) == "gnomon.authoring.sdk.dags.dag.DAG"
    assert _module("airflow.utils.yaml").safe_load("a: 1") == {"a": 1}
    assert _module("airflow.utils.hashlib_wrapper").md5(b"x").hexdigest().startswith("9dd4")
    context: dict[str, Any] = {}
    _module("airflow.utils.context").context_merge(context, {"a": 1}, b=2)
    assert context == {"a": 1, "b": 2}

    class Logs(_module("airflow.utils.log.logging_mixin").LoggingMixin):  # type: ignore[misc]
        pass

    assert isinstance(Logs().log, logging.Logger)


def test_a_context_may_be_opened_by_hand() -> None:
    with _module("airflow.models.taskinstance").set_current_context({"ds": "x"}):
        assert get_current_context() == {"ds": "x"}


def test_the_open_dag() -> None:
    context = _module("airflow.models.dag").DagContext
    with DAG("d", schedule=None) as dag:
        assert context.get_current_dag() is dag
    assert context.get_current_dag() is None
    timetable = _module("airflow.models.dag").create_timetable("@daily", dt.UTC)
    assert type(timetable).__name__ == "CronTriggerTimetable"


@pytest.mark.parametrize("variant", ["python", "branch_python", "short_circuit", "sensor", "bash"])
def test_variants_of_task_under_the_providers_names(variant: str) -> None:
    module = _module(f"airflow.decorators.{variant}")
    function = getattr(module, next(name for name in module.__all__ if name.endswith("_task")))
    with DAG("d", schedule=None) as dag:
        function(retries=2)(_one)()
    assert dag.get_task("_one").retries == 2


def _one() -> str:
    return "true"


def test_a_dag_bag_collects_dags_and_errors(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text("from airflow import DAG\nwith DAG('good', schedule=None): ...\n")
    (tmp_path / "bad.py").write_text("from airflow import DAG\nraise ValueError('broken on purpose')\n")
    (tmp_path / "other.py").write_text("raise RuntimeError('not looked at')\n")
    bag = DagBag(dag_folder=tmp_path, include_examples=False)
    assert bag.dag_ids == ["good"]
    assert bag.size() == 1
    assert bag.get_dag("good") is bag.dags["good"]
    assert list(bag.import_errors) == [str(tmp_path / "bad.py")]
    assert "broken on purpose" in bag.import_errors[str(tmp_path / "bad.py")]


def test_old_modules_of_a_package_give_what_has_moved_and_warn() -> None:
    tools = _module("airflow.utils.deprecation_tools")
    moved = {"old": {"Moved": "pathlib.Path"}, "whole": {"*": "json"}}
    tools.add_deprecated_classes(moved, "acme.hooks", {"old": {"Moved": "acme.Path"}}, "Gone with 2.0")
    with pytest.warns(
        DeprecationWarning, match=r"acme.hooks.old.Moved is deprecated. Please use 'acme.Path'. Gone with 2.0\."
    ):
        assert _module("acme.hooks.old").Moved is Path
    with pytest.warns(DeprecationWarning, match=r"Please use 'json.dumps'"):
        assert _module("acme.hooks.whole").dumps is json.dumps
    with pytest.raises(AttributeError, match=r"'acme.hooks.old' has no attribute 'Other'"):
        _ = _module("acme.hooks.old").Other


def test_environment_variables_hold_inside_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    patch_environ = _module("airflow.utils.process_utils").patch_environ
    monkeypatch.setenv("ONE", "before")
    monkeypatch.delenv("TWO", raising=False)
    with pytest.raises(KeyError), patch_environ({"ONE": None, "TWO": "inside"}):
        assert (os.environ.get("ONE"), os.environ["TWO"]) == (None, "inside")
        raise KeyError
    assert (os.environ["ONE"], os.environ.get("TWO")) == ("before", None)


def test_what_is_a_coroutine_function() -> None:
    is_async = _module("airflow.sdk.bases.decorator").is_async_callable

    async def later() -> None: ...

    class Called:
        async def __call__(self) -> None: ...

    assert is_async(later) and is_async(functools.partial(later)) and is_async(Called())
    assert not is_async(print) and not is_async(Called)


def test_names_of_what_is_in_a_module() -> None:
    loading = _module("airflow.sdk.module_loading")
    assert loading is not _module("airflow.utils.module_loading")
    assert loading.qualname(JSONDecoder) == "json.decoder.JSONDecoder"
    assert loading.qualname(JSONDecoder, exclude_module=True) == "JSONDecoder"
    assert "json.decoder" in {one.name for one in loading.iter_namespace(json)}
    assert (
        loading.is_valid_dotpath("a.b_c") and not loading.is_valid_dotpath("a..b") and not loading.is_valid_dotpath("a")
    )


def test_a_user_without_a_name_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    platform = _module("airflow.utils.platform")
    monkeypatch.setenv("LOGNAME", "ada")
    assert platform.getuser() == "ada"
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.getuid", lambda: 4_000_000)
    with pytest.raises(AirflowConfigException, match="Set the environment variable USER"):
        platform.getuser()


def test_hooks_may_tell_what_they_read_and_wrote_and_nothing_is_kept_where_no_plugin_reads_it() -> None:
    collector = _module("airflow.sdk.lineage").get_hook_lineage_collector()
    collector.add_input_asset(object(), uri="s3://bucket/key")
    collector.add_extra(context=object(), key="k", value=1)
    assert not collector.has_collected
    assert collector.collected_assets == _module("airflow.sdk.lineage").HookLineage([], [], [])
