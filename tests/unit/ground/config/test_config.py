"""Options: where values come from, and what is said about wrong ones."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from gnomon.ground.config import (
    OPTIONS,
    OptionError,
    UnknownOptionError,
    current_config,
    default_home,
    load_config,
    run_folder,
    set_current_config,
    without_password,
    without_secrets,
)
from gnomon.ground.config.values import check_value


def _toml(home: Path, text: str) -> Path:
    home.mkdir(exist_ok=True)
    (home / "gnomon.toml").write_text(text)
    return home


# ---- sources ---------------------------------------------------------------------------------------------------------
def test_a_default_names_itself(tmp_path: Path) -> None:
    cfg = load_config({}, tmp_path)
    assert cfg.integer("core", "parallelism") == 32
    assert cfg.source("core", "parallelism") == "default"
    assert cfg.boolean("core", "load_examples") is False
    assert cfg.database_url == f"sqlite:///{tmp_path}/gnomon.db"
    assert (cfg.dags_folder, cfg.logs_folder) == (tmp_path / "dags", tmp_path / "logs")


def test_gnomon_wins_over_airflow_wins_over_the_file(tmp_path: Path) -> None:
    _toml(tmp_path, "[core]\nparallelism = 3\n")
    environ: dict[str, str] = {}
    assert load_config(environ, tmp_path).integer("core", "parallelism") == 3
    environ["AIRFLOW__CORE__PARALLELISM"] = "4"
    assert load_config(environ, tmp_path).integer("core", "parallelism") == 4
    environ["GNOMON__CORE__PARALLELISM"] = "5"
    cfg = load_config(environ, tmp_path)
    assert (cfg.integer("core", "parallelism"), cfg.source("core", "parallelism")) == (5, "GNOMON__CORE__PARALLELISM")


def test_a_value_of_the_file_names_its_line(tmp_path: Path) -> None:
    _toml(tmp_path, "# options\n[core]\nload_examples = true\n\n[scheduler]\nmisfire_grace = 2.5\n")
    cfg = load_config({}, tmp_path)
    assert cfg.boolean("core", "load_examples") is True
    assert cfg.number("scheduler", "misfire_grace") == 2.5
    assert cfg.source("scheduler", "misfire_grace") == f"{tmp_path}/gnomon.toml, line 6"


@pytest.mark.parametrize("prefix", ["GNOMON", "AIRFLOW"])
@pytest.mark.parametrize(
    ("old", "section", "name"),
    [
        ("SCHEDULER__MAX_THREADS", "dag_processor", "parsing_processes"),
        ("SCHEDULER__PARSING_PROCESSES", "dag_processor", "parsing_processes"),
        ("SCHEDULER__DAG_DIR_LIST_INTERVAL", "dag_processor", "refresh_interval"),
        ("SCHEDULER__MIN_FILE_PROCESS_INTERVAL", "dag_processor", "min_file_process_interval"),
        ("CORE__DAG_FILE_PROCESSOR_TIMEOUT", "dag_processor", "dag_file_processor_timeout"),
        ("CORE__DAG_CONCURRENCY", "core", "max_active_tasks_per_dag"),
        ("CORE__NON_POOLED_TASK_SLOT_COUNT", "core", "default_pool_task_slot_count"),
        ("SCHEDULER__SCHEDULER_ZOMBIE_TASK_THRESHOLD", "scheduler", "task_instance_heartbeat_timeout"),
        ("WEBSERVER__WEB_SERVER_PORT", "api", "port"),
    ],
)
def test_old_names_set_and_read_the_option_of_today(
    tmp_path: Path, prefix: str, old: str, section: str, name: str
) -> None:
    cfg = load_config({f"{prefix}__{old}": "7"}, tmp_path)
    assert cfg.integer(section, name) == 7
    assert cfg.source(section, name) == f"{prefix}__{old}"
    old_section, old_name = old.lower().split("__")
    assert cfg.get(old_section, old_name) == "7"


def test_the_name_of_today_wins_over_an_old_one(tmp_path: Path) -> None:
    environ = {"AIRFLOW__SCHEDULER__MAX_THREADS": "7", "AIRFLOW__DAG_PROCESSOR__PARSING_PROCESSES": "3"}
    assert load_config(environ, tmp_path).integer("dag_processor", "parsing_processes") == 3


@pytest.mark.ordinary
def test_a_command_gives_a_value(tmp_path: Path) -> None:
    cfg = load_config({"AIRFLOW__DATABASE__SQL_ALCHEMY_CONN_CMD": "echo postgresql://u:p@h/n"}, tmp_path)
    assert cfg.database_url == "postgresql://u:p@h/n"
    with pytest.raises(OptionError, match="GNOMON__CORE__FERNET_KEY_CMD: the command 'false' failed with exit code 1"):
        load_config({"GNOMON__CORE__FERNET_KEY_CMD": "false"}, tmp_path)


def test_paths_are_absolute_and_relative_ones_stand_below_the_home(tmp_path: Path) -> None:
    cfg = load_config({"GNOMON__CORE__DAGS_FOLDER": "flows", "GNOMON__CORE__PLUGINS_FOLDER": "~/p"}, tmp_path)
    assert cfg.dags_folder == tmp_path / "flows"
    assert cfg.plugins_folder == Path("~/p").expanduser()


# ---- what Airflow's authors ask --------------------------------------------------------------------------------------
def test_unknown_options_of_airflow_stay_readable_and_are_no_error(tmp_path: Path) -> None:
    cfg = load_config({"AIRFLOW__MY_TEAM__LIMIT": "12"}, tmp_path)
    assert cfg.get("my_team", "limit") == "12"
    assert cfg.section("my_team") == {"limit": "12"}
    assert cfg.has("my_team", "limit")
    assert not cfg.has("my_team", "other")
    assert cfg.get("my_team", "other", fallback=3) == 3
    with pytest.raises(UnknownOptionError, match=r"there is no option \[my_team\] other"):
        cfg.get("my_team", "other")


def test_a_section_for_options_of_any_name_takes_them_from_every_source_and_keeps_them_from_authors(
    tmp_path: Path,
) -> None:
    section = "celery_broker_transport_options"
    home = _toml(tmp_path, f"[{section}]\nvisibility_timeout = 1\nfanout_prefix = true\n")
    environ = {
        "AIRFLOW__CELERY_BROKER_TRANSPORT_OPTIONS__VISIBILITY_TIMEOUT": "2",
        "GNOMON__CELERY_BROKER_TRANSPORT_OPTIONS__SENTINEL_KWARGS": '{"password": "x"}',
    }
    cfg = load_config(environ, home)
    assert cfg.section(section) == {
        "visibility_timeout": "2",
        "fanout_prefix": "True",
        "sentinel_kwargs": '{"password": "x"}',
    }
    assert cfg.source(section, "sentinel_kwargs") == "GNOMON__CELERY_BROKER_TRANSPORT_OPTIONS__SENTINEL_KWARGS"
    shown = {setting.option.name: setting.shown for setting in cfg.settings() if setting.option.section == section}
    assert shown == {"visibility_timeout": "(hidden)", "fanout_prefix": "(hidden)", "sentinel_kwargs": "(hidden)"}
    assert cfg.undeclared_options() == [] and cfg.settings_without_effect() == []
    assert cfg.for_author_code().section(section) == {} and without_secrets(environ) == {}
    assert load_config({}, tmp_path / "other").section(section) == {}


def test_an_option_that_only_authors_read_has_airflows_default(tmp_path: Path) -> None:
    cfg = load_config({}, tmp_path)
    assert cfg.get("core", "max_map_length", fallback="1") == "1024"
    assert cfg.get("email", "from_email", fallback="a@b") == "a@b"
    assert cfg.get("email", "from_email") == ""


# ---- mistakes --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("environ", "sentence"),
    [
        (
            {"GNOMON__CORE__PARALELISM": "3"},
            "GNOMON__CORE__PARALELISM: there is no option [core] paralelism. Did you mean [core] parallelism?",
        ),
        (
            {"GNOMON__CORE__PARSING_PROCESSES": "3"},
            "GNOMON__CORE__PARSING_PROCESSES: there is no option [core] parsing_processes. "
            "Did you mean [dag_processor] parsing_processes?",
        ),
        (
            {"GNOMON__CELERY__FOO": "3"},
            "GNOMON__CELERY__FOO: there is no option [celery] foo. `gnomon config list` shows all options.",
        ),
        (
            {"GNOMON__CELERY__BROKER_URI": "3"},
            "GNOMON__CELERY__BROKER_URI: there is no option [celery] broker_uri. Did you mean [celery] broker_url?",
        ),
        (
            {"GNOMON__SHEDULER__MISFIRE_GRACE": "3"},
            "GNOMON__SHEDULER__MISFIRE_GRACE: there is no option [sheduler] misfire_grace. "
            "Did you mean [scheduler] misfire_grace?",
        ),
        (
            {"GNOMON__QQ__ZZ": "3"},
            "GNOMON__QQ__ZZ: there is no option [qq] zz. `gnomon config list` shows all options.",
        ),
        (
            {"GNOMON__CORE__PARALLELISM": "many"},
            "[core] parallelism (GNOMON__CORE__PARALLELISM) is 'many': write a whole number",
        ),
        (
            {"AIRFLOW__CORE__PARALLELISM": "-1"},
            "[core] parallelism (AIRFLOW__CORE__PARALLELISM) is '-1': write a number of at least 0",
        ),
        (
            {"GNOMON__CORE__LOAD_EXAMPLES": "maybe"},
            "[core] load_examples (GNOMON__CORE__LOAD_EXAMPLES) is 'maybe': write true or false",
        ),
        (
            {"GNOMON__SCHEDULER__MISFIRE_GRACE": "nan"},
            "[scheduler] misfire_grace (GNOMON__SCHEDULER__MISFIRE_GRACE) is 'nan': write a finite number",
        ),
        (
            {"GNOMON__CORE__PARALLELISM": " "},
            "[core] parallelism (GNOMON__CORE__PARALLELISM) is ' ': it must not be empty",
        ),
        (
            {"AIRFLOW__CORE__EXECUTOR": "EdgeExecutor"},
            "[core] executor (AIRFLOW__CORE__EXECUTOR) is 'EdgeExecutor': "
            "'EdgeExecutor' is no executor of Gnomon; write one or several of: LocalExecutor, CeleryExecutor, KubernetesExecutor",
        ),
    ],
)
def test_a_mistake_names_option_place_value_and_remedy(tmp_path: Path, environ: dict[str, str], sentence: str) -> None:
    with pytest.raises(OptionError) as caught:
        load_config(environ, tmp_path)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "[core]\nparallelsm = 3\n",
            "[core] parallelsm ({file}, line 2): there is no option [core] parallelsm. Did you mean [core] parallelism?",
        ),
        ("parallelism = 3\n", "{file}: parallelism is outside a section; write it below a line such as [core]"),
        (
            "[core]\nparallelism = [1.5]\n",
            "[core] parallelism ({file}, line 2) must be a text, a number, or true or false, not list",
        ),
    ],
)
def test_a_mistake_in_the_file_names_its_line(tmp_path: Path, text: str, sentence: str) -> None:
    _toml(tmp_path, text)
    with pytest.raises(OptionError) as caught:
        load_config({}, tmp_path)
    assert str(caught.value) == sentence.format(file=tmp_path / "gnomon.toml")


def test_a_file_that_is_no_toml_is_named(tmp_path: Path) -> None:
    _toml(tmp_path, "[core]\nexecutor = LocalExecutor\n")
    with pytest.raises(OptionError, match=r"gnomon\.toml is not valid TOML: .*line 2.*Texts need quotes"):
        load_config({}, tmp_path)


def test_a_database_that_gnomon_does_not_work_on_is_refused_without_showing_its_password(tmp_path: Path) -> None:
    with pytest.raises(OptionError) as caught:
        load_config({"GNOMON__CORE__SQL_ALCHEMY_CONN": "mysql://me:secret@host/db"}, tmp_path)
    assert "SQLite and PostgreSQL, not on 'mysql'" in str(caught.value)
    assert "secret" not in str(caught.value)


# ---- secrets ---------------------------------------------------------------------------------------------------------
def test_listings_hide_secrets(tmp_path: Path) -> None:
    cfg = load_config(
        {"GNOMON__CORE__FERNET_KEY": "hush", "GNOMON__DATABASE__SQL_ALCHEMY_CONN": "postgresql://u:hush@h/n"}, tmp_path
    )
    shown = {setting.option.key: setting.shown for setting in cfg.settings()}
    assert len(shown) == len(OPTIONS)
    assert not any("hush" in text for text in shown.values())
    assert shown["database", "sql_alchemy_conn"] == "postgresql://u:***@h/n"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("sqlite:////a/b.db", "sqlite:////a/b.db"),
        ("postgresql://u@h/n", "postgresql://u@h/n"),
        ("postgresql://u:p@ss@h:5432/n?x=y", "postgresql://u:***@h:5432/n?x=y"),
        ("postgresql:///n?host=/run&password=p&x=y", "postgresql:///n?host=/run&password=***&x=y"),
        ("postgresql:///n?sslpassword=p&x=y&PASSWORD=q", "postgresql:///n?sslpassword=***&x=y&PASSWORD=***"),
        ("u:p@h/n", "u:***@h/n"),
        ("host=h password=p user=u", "host=h password=*** user=u"),
    ],
)
def test_addresses_are_shown_without_password(url: str, shown: str) -> None:
    assert without_password(url) == shown


def test_an_address_of_another_form_is_refused_and_not_shown(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="write sqlite:") as refused:
        load_config({"GNOMON__DATABASE__SQL_ALCHEMY_CONN": "host=h password=hush"}, tmp_path)
    assert "hush" not in str(refused.value)


@pytest.mark.ordinary
@pytest.mark.parametrize(
    "command",
    ["postgresql://me:hush@h/n", "sh -c 'echo no postgresql://me:hush@h/n >&2; exit 3'", "'postgresql://me:hush@h/n"],
)
def test_a_command_that_fails_is_told_without_the_password_of_an_address(tmp_path: Path, command: str) -> None:
    with pytest.raises(OptionError, match=r"SQL_ALCHEMY_CONN_CMD.*me:\*\*\*@h/n") as refused:
        load_config({"GNOMON__DATABASE__SQL_ALCHEMY_CONN_CMD": command}, tmp_path)
    assert "hush" not in str(refused.value)


def test_author_code_sees_options_but_no_secret(tmp_path: Path) -> None:
    cfg = load_config({"AIRFLOW__CORE__PARALLELISM": "4"}, tmp_path).for_author_code()
    assert cfg.integer("core", "parallelism") == 4
    with pytest.raises(UnknownOptionError, match="secret of the server"):
        cfg.get("database", "sql_alchemy_conn")
    assert cfg.get("core", "fernet_key", fallback="none") == "none"


def test_the_environment_of_author_code_names_no_secret() -> None:
    environ = {
        "PATH": "/bin",
        "AIRFLOW__CORE__SQL_ALCHEMY_CONN": "x",
        "GNOMON__DATABASE__SQL_ALCHEMY_CONN_CMD": "x",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN_SECRET": "x",
        "GNOMON__CORE__FERNET_KEY": "x",
        "AIRFLOW__CORE__PARALLELISM": "1",
    }
    assert sorted(without_secrets(environ)) == ["AIRFLOW__CORE__PARALLELISM", "PATH"]


def test_the_environment_of_author_code_leads_to_no_database() -> None:
    environ = {
        "PGHOST": "x",
        "PGPASSWORD": "x",
        "PGPASSFILE": "x",
        "SQLALCHEMY_URL": "x",
        "NOTE": "it is at sqlite:////home/x.db",
        "PATH_OF_IT": "home/x.db",
        "PGPT_MODEL": "kept",
        "AIRFLOW__CORE__DAGS_FOLDER": "kept",
    }
    assert sorted(without_secrets(environ, "sqlite:////home/x.db")) == ["AIRFLOW__CORE__DAGS_FOLDER", "PGPT_MODEL"]
    assert "NOTE" in without_secrets(environ)


# ---- the table -------------------------------------------------------------------------------------------------------
def test_every_default_is_a_value_that_its_option_can_have() -> None:
    for option in OPTIONS:
        check_value(option, option.default)


def test_no_two_options_answer_to_one_name() -> None:
    names = [key for option in OPTIONS for key in (option.key, *option.aliases)]
    assert len(names) == len(set(names))


def test_every_option_is_described() -> None:
    assert [option.key for option in OPTIONS if not option.description.endswith(".")] == []


# ---- folders ---------------------------------------------------------------------------------------------------------
def test_the_home_is_named_by_the_environment_or_below_the_users() -> None:
    assert default_home({"GNOMON_HOME": "/srv/g", "AIRFLOW_HOME": "/srv/a"}) == Path("/srv/g")
    assert default_home({"AIRFLOW_HOME": "/srv/a"}) == Path("~/gnomon").expanduser()


def test_the_run_folder_is_the_owners_alone(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert folder == run_folder(tmp_path)


def test_a_long_home_gets_a_short_run_folder_of_its_own(tmp_path: Path) -> None:
    long, other = tmp_path / ("x" * 90), tmp_path / ("y" * 90)
    folder = run_folder(long)
    try:
        assert len(str(folder)) < 60
        assert folder == run_folder(long)
        assert folder != run_folder(other)
    finally:
        folder.rmdir()
        run_folder(other).rmdir()


def make_link(folder: Path) -> None:
    (folder.parent / "elsewhere").mkdir(mode=0o700)
    folder.symlink_to(folder.parent / "elsewhere")


def make_dangling_link(folder: Path) -> None:
    folder.symlink_to(folder.parent / "nowhere")


def make_file(folder: Path) -> None:
    folder.touch()


def make_open(mode: int) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        folder.mkdir()
        folder.chmod(mode)

    return make


def make_foreign(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    os.chown(folder, 12345, 12345)


def make_surroundings_open(folder: Path) -> None:
    folder.parent.chmod(0o777)


def make_surroundings_foreign(folder: Path) -> None:
    os.chown(folder.parent, 12345, 12345)


@pytest.mark.parametrize(
    ("prepare", "reason"),
    [
        (make_link, "is a link"),
        (make_dangling_link, "cannot create"),
        (make_file, "cannot create"),
        (make_open(0o777), "mode 777"),
        (make_open(0o770), "mode 770"),
        (make_open(0o702), "mode 702"),
        (make_foreign, "belongs to another user"),
        (make_surroundings_open, "no sticky bit"),
        (make_surroundings_foreign, "in a folder that belongs"),
    ],
)
def test_a_run_folder_that_another_user_may_have_made_is_refused(
    prepare: Callable[[Path], None], reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.getuid() != 0 and "foreign" in prepare.__name__:
        pytest.skip("only root gives folders to others")
    temporary = tmp_path / "tmp"
    temporary.mkdir(mode=0o700)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    long = tmp_path / ("x" * 90)
    folder = run_folder(long)
    assert folder.parent == temporary
    folder.rmdir()
    prepare(folder)
    with pytest.raises(OptionError, match=reason):
        run_folder(long)


def test_a_run_folder_in_a_shared_folder_with_the_sticky_bit_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    temporary.chmod(0o1777)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    folder = run_folder(tmp_path / ("x" * 90))
    assert (folder.parent, stat.S_IMODE(folder.stat().st_mode)) == (temporary, 0o700)


def test_a_home_that_cannot_be_made_is_named() -> None:
    with tempfile.NamedTemporaryFile(prefix="home") as file:
        with pytest.raises(OptionError, match=r"cannot create .*home.*/run for sockets and locks: .*GNOMON_HOME"):
            run_folder(Path(file.name))


# ---- the process's own -----------------------------------------------------------------------------------------------
def test_the_process_has_the_options_it_was_given_else_those_of_its_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GNOMON__CORE__PARALLELISM", "9")
    assert current_config().integer("core", "parallelism") == 9
    assert current_config() is current_config()
    given = load_config({}, tmp_path)
    set_current_config(given)
    assert current_config() is given


def test_a_config_does_not_change(tmp_path: Path) -> None:
    cfg = load_config({}, tmp_path)
    with pytest.raises(AttributeError):
        cfg.home = Path("/")  # type: ignore[misc]
