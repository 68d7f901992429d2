"""`conf` is a configuration parser: authors add options of their own, and options of Gnomon stay as they are."""

from __future__ import annotations

import io
import logging
from configparser import DuplicateSectionError, NoSectionError
from pathlib import Path

import pytest

from gnomon.author_code.context.airflow_configuration import AirflowConfigParser
from gnomon.ground.config import load_config, set_current_config
from gnomon.model.errors.authoring import AirflowConfigException


@pytest.fixture
def conf(tmp_path: Path) -> AirflowConfigParser:
    set_current_config(load_config({"AIRFLOW__MINE__FROM_ENVIRONMENT": "environment"}, tmp_path))
    return AirflowConfigParser()


def test_a_file_adds_sections_and_a_missing_file_adds_none(
    conf: AirflowConfigParser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own.cfg"
    own.write_text("[Paths]\nRoot = $PLACE/data\nnumber = 7\nflag = yes\n")
    monkeypatch.setenv("PLACE", "/srv")
    assert conf.read([own, tmp_path / "absent.cfg"]) == [str(own)]
    assert conf.get("Paths", "root") == conf.get("Paths", "ROOT") == "/srv/data"
    assert conf.getint("Paths", "number") == 7 and conf["Paths"]["number"] == "7"
    assert "Paths" in conf and "Paths" in conf.sections() and "core" in conf.sections()
    assert conf.options("Paths") == ["root", "number", "flag"]
    assert conf.items("Paths")[1] == ("number", "7")
    assert conf.as_dict()["Paths"]["number"] == "7" and conf.as_dict()["core"]["parallelism"]
    assert conf.getsection("Paths") == {"root": "/srv/data", "number": 7, "flag": "yes"}


def test_options_of_gnomon_do_not_change_and_a_warning_names_them(
    conf: AirflowConfigParser, caplog: pytest.LogCaptureFixture
) -> None:
    before = conf.get("core", "parallelism")
    with caplog.at_level(logging.WARNING):
        conf.read_string("[core]\nparallelism = 999\nown = 1\n", "own.cfg")
    assert conf.get("core", "parallelism") == before
    assert conf.get("core", "own") == "1"
    assert "[core] parallelism of own.cfg has no effect" in caplog.text and "[core] own" not in caplog.text
    with pytest.raises(AirflowConfigException, match="AIRFLOW__CORE__PARALLELISM"):
        conf.set("core", "parallelism", "5")


def test_the_environment_comes_before_a_file(conf: AirflowConfigParser) -> None:
    conf.read_dict({"mine": {"from_environment": "file", "from_file": "file"}})
    assert conf.getsection("mine") == {"from_environment": "environment", "from_file": "file"}
    assert conf.get("mine", "from_environment") == "environment"


def test_set_and_remove_act_on_options_of_the_author(conf: AirflowConfigParser) -> None:
    conf.add_section("own")
    assert conf.has_section("own") and conf.options("own") == []
    with pytest.raises(DuplicateSectionError):
        conf.add_section("own")
    conf.set("own", "a", "1")
    assert conf.has_option("own", "a") and conf.get("own", "a", fallback="2") == "1"
    assert conf.remove_option("own", "a") is True and not conf.has_option("own", "a")
    assert conf.remove_section("own") is True and not conf.has_section("own")
    with pytest.raises(NoSectionError):
        conf.items("own")
    with pytest.raises(KeyError):
        conf["own"]


def test_write_writes_what_can_be_read_again(conf: AirflowConfigParser) -> None:
    conf.read_string("[own]\na = 1\n")
    text = io.StringIO()
    conf.write(text, section="own")
    assert text.getvalue() == "[own]\na = 1\n\n"


def test_defaults_are_told(conf: AirflowConfigParser) -> None:
    assert conf.get_default_value("core", "parallelism") == "32"
    assert conf.get_default_value("own", "a", fallback="b") == "b"
    assert "parallelism" in conf.get_options_including_defaults("core")
    assert conf.get_options_including_defaults("own") == []


def test_what_concerns_the_file_of_airflow_says_what_holds_here(conf: AirflowConfigParser) -> None:
    with pytest.raises(AttributeError, match=r"conf\.load_test_config is not possible: .*gnomon\.cfg"):
        conf.load_test_config()
    with pytest.raises(AttributeError, match="conf has no attribute 'red'"):
        conf.red()
