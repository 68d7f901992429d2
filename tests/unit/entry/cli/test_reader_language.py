"""Commands say sentences in the language of GNOMON_LANGUAGE or of the locale; what programs read stays English. A language is one file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import HOURLY, Deployment, spec_of


@pytest.fixture
def paused(gnomon: Gnomon, deployment: Deployment) -> Gnomon:
    deployment.add(spec_of("a", timetable=HOURLY), paused=True)
    return gnomon


@pytest.mark.parametrize("variables", [{"GNOMON_LANGUAGE": "zh"}, {"LANG": "zh_CN.UTF-8"}, {"LC_ALL": "zh_TW"}])
def test_why_is_said_in_chinese(paused: Gnomon, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert "DAG a 已暂停；取消暂停：gnomon dags unpause a" in paused("explain", "a").out


def test_a_refusal_is_said_in_chinese(paused: Gnomon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_LANGUAGE", "zh")
    assert paused("explain", "b").err.startswith("gnomon: DAG 'b' 不存在；")


def test_the_own_variable_wins_over_the_locale(paused: Gnomon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    monkeypatch.setenv("GNOMON_LANGUAGE", "en")
    assert "DAG a is paused" in paused("explain", "a").out


@pytest.mark.parametrize("output", ["json", "yaml", "plain"])
def test_what_programs_read_is_english(paused: Gnomon, monkeypatch: pytest.MonkeyPatch, output: str) -> None:
    monkeypatch.setenv("GNOMON_LANGUAGE", "zh")
    assert "DAG a is paused; unpause it with: gnomon dags unpause a" in paused("explain", "a", "-o", output).out


def test_another_language_is_one_file_and_english_where_it_has_no_words(
    paused: Gnomon, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    words = {"dag_is_paused_unpause": "{dag} estas paŭzigita: {command}"}
    (tmp_path / "eo.json").write_text(json.dumps({"name": "Esperanto", "sentences": words}))
    monkeypatch.setenv("GNOMON_LANGUAGES", str(tmp_path))
    monkeypatch.setenv("LANG", "eo.UTF-8")
    said = paused("explain", "a").out
    assert "a estas paŭzigita: gnomon dags unpause a" in said
    assert "no scheduler is alive" in said


def test_instants_in_chinese_sentences_have_the_short_form(
    gnomon: Gnomon, deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    deployment.add(spec_of("a", timetable=HOURLY))
    deployment.start()
    monkeypatch.setenv("GNOMON_LANGUAGE", "zh")
    said = gnomon("explain", "a").out
    assert "下一个运行的计划时间是 20" in said and ":00Z" in said


@pytest.mark.parametrize(("locale", "is_loaded"), [("en_US.UTF-8", False), ("zh_CN.UTF-8", True)])
def test_only_a_language_other_than_english_loads_the_modules_of_translation(
    tmp_path: Path, locale: str, is_loaded: bool
) -> None:
    code = "import sys; from gnomon.entry.cli.main import main; main(['explain', 'a']); print(*sys.modules)"
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "GNOMON_HOME": str(tmp_path),
        "LC_ALL": locale,
    }
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    loaded = {name for name in done.stdout.split() if name.startswith("gnomon.model.languages.")}
    assert ("gnomon.model.languages.translation" in loaded) == is_loaded
    assert is_loaded or loaded == {"gnomon.model.languages.language"}
