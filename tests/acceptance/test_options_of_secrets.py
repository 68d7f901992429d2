"""The key of what is encrypted, what logs hide and collectors keep, and whether operators defer unless told otherwise."""

from __future__ import annotations

import base64
import os
import subprocess
import threading
from collections.abc import Iterator
from datetime import time
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.effects import effect_of, options
from tests.commands import run_command
from tests.keys import KEY

from gnomon.author_code.loading import dialect
from gnomon.author_code.loading.hook_lineage import HookLineageCollector
from gnomon.authoring.sdk.connections import channel, secrets_lookup
from gnomon.authoring.sdk.connections.secret_masking import mask_secret, should_hide_value_for_key
from gnomon.authoring.sdk.connections.secrets_lookup import forget_backend
from gnomon.authoring.sdk.connections.variable import Variable
from gnomon.ground.config import OptionError, load_config, set_current_config
from gnomon.ground.log.secret_masks import forget_secrets, hide
from gnomon.model.task_api_requests import GetCachedSecret, SetCachedSecret
from gnomon.operators import TimeSensor
from gnomon.queries.taskapi.secret_cache import answer_secret_cache, forget_cached_secrets

OTHER = base64.urlsafe_b64encode(b"another key, which opens nothing").decode()


@effect_of("core.fernet_key")
def test_what_one_key_has_sealed_only_it_opens(tmp_path: Path) -> None:
    assert gnomon(tmp_path, KEY, "db", "migrate").returncode == 0
    assert gnomon(tmp_path, KEY, "variables", "set", "name", "a value").returncode == 0
    assert gnomon(tmp_path, KEY, "variables", "get", "name").stdout == "a value\n"
    assert not (tmp_path / "fernet.key").exists(), "a key that is given is not kept here"
    refused = gnomon(tmp_path, OTHER, "variables", "get", "name")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "[core] fernet_key" in refused.stderr
    assert gnomon(tmp_path, f"{OTHER},{KEY}", "variables", "get", "name").stdout == "a value\n"


@effect_of("operators.default_deferrable")
@pytest.mark.parametrize("deferrable", [False, True])
def test_operators_defer_by_default_if_the_option_says_so(tmp_path: Path, deferrable: bool) -> None:
    set_current_config(options(tmp_path, operators__default_deferrable=deferrable))
    try:
        assert TimeSensor(task_id="t", target_time=time(9)).deferrable is deferrable
        assert TimeSensor(task_id="u", target_time=time(9), deferrable=False).deferrable is False
    finally:
        set_current_config(None)


@effect_of(
    "core.hide_sensitive_var_conn_fields",
    "core.sensitive_var_conn_names",
    "logging.min_length_masked_secret",
    "logging.secret_mask_adapter",
)
def test_what_is_hidden_in_logs_follows_the_options(tmp_path: Path) -> None:
    try:
        set_current_config(
            options(
                tmp_path,
                logging__min_length_masked_secret=3,
                core__sensitive_var_conn_names="colour",
                logging__secret_mask_adapter="builtins.ascii",
            )
        )
        mask_secret("xyz")
        mask_secret("Käse-brot")
        mask_secret("scarlet-red", "colour")
        assert hide(r"xyz 'K\xe4se-brot' scarlet-red") == "*** *** ***"
        set_current_config(
            options(tmp_path, core__hide_sensitive_var_conn_fields=False, logging__min_length_masked_secret=6)
        )
        assert not should_hide_value_for_key("password")
        mask_secret("12345")
        assert hide("12345") == "12345"
    finally:
        forget_secrets()
        set_current_config(None)


class Backend:
    """A secrets backend that has a Variable for each of its arguments, and counts the questions."""

    asked = 0

    def __init__(self, **variables: str) -> None:
        self._variables = variables

    def get_variable(self, key: str) -> str | None:
        Backend.asked += 1
        if key == "hangs":
            threading.Event().wait(30)
        return self._variables.get(key)


class ImportChannel:
    """Answers an import of a DAG file, which has no stored Variables."""

    def ask(self, question: Any) -> object:
        if isinstance(question, GetCachedSecret | SetCachedSecret):
            return answer_secret_cache(question)
        return None


@pytest.fixture
def _no_backend() -> Iterator[None]:
    forget_backend()
    forget_cached_secrets()
    before = channel.install_channel(ImportChannel())
    yield
    channel.install_channel(before)
    forget_backend()
    forget_cached_secrets()
    secrets_lookup._runs_tasks = False
    set_current_config(None)


BACKEND = f"{__name__}.Backend"


@effect_of("secrets.backend", "secrets.backend_kwargs", "workers.secrets_backend", "workers.secrets_backend_kwargs")
@pytest.mark.usefixtures("_no_backend")
def test_a_secrets_backend_is_asked_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_VAR_COLOUR", "of the environment")
    set_current_config(options(tmp_path, secrets__backend=BACKEND, secrets__backend_kwargs='{"colour": "red"}'))
    assert Variable.get("colour") == "red"
    forget_backend()
    set_current_config(options(tmp_path, secrets__backend=BACKEND, secrets__backend_kwargs='{"shape": "round"}'))
    assert Variable.get("colour") == "of the environment"
    both = {
        "secrets__backend": BACKEND,
        "workers__secrets_backend": BACKEND,
        "workers__secrets_backend_kwargs": '{"colour": "blue"}',
    }
    set_current_config(options(tmp_path, **both))
    assert Variable.get("colour") == "of the environment", "an import of a DAG file uses the backend of [secrets]"
    secrets_lookup.prefer_worker_options()
    assert Variable.get("colour") == "blue"


@effect_of("secrets.backend_timeout")
@pytest.mark.usefixtures("_no_backend")
def test_a_backend_that_hangs_is_given_up(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    set_current_config(options(tmp_path, secrets__backend=BACKEND, secrets__backend_timeout=0.2))
    assert Variable.get("hangs", default="the default") == "the default"
    assert "[secrets] backend (GNOMON__SECRETS__BACKEND): the backend" in caplog.text
    assert "has not answered within 0.2 s ([secrets] backend_timeout)" in caplog.text


@effect_of("secrets.use_cache", "secrets.cache_ttl_seconds")
@pytest.mark.usefixtures("_no_backend")
def test_answers_to_imports_are_kept_for_some_time(tmp_path: Path) -> None:
    def count(**given: object) -> int:
        set_current_config(
            options(tmp_path, secrets__backend=BACKEND, secrets__backend_kwargs='{"colour": "red"}', **given)
        )
        Backend.asked = 0
        assert [Variable.get("colour"), Variable.get("colour"), Variable.get("colour")] == ["red"] * 3
        return Backend.asked

    assert count() == 3
    assert count(secrets__use_cache=True, secrets__cache_ttl_seconds=0) == 3
    assert count(secrets__use_cache=True) == 1


@pytest.mark.usefixtures("_no_backend")
@pytest.mark.parametrize(
    ("backend", "kwargs", "sentence"),
    [
        (
            "no.such.Backend",
            "",
            "[secrets] backend (GNOMON__SECRETS__BACKEND): the backend no.such.Backend cannot be used: ModuleNotFoundError: No module named 'no'",
        ),
        ("Backend", "", "the backend Backend cannot be used: ValueError: "),
        (BACKEND, "{broken", "[secrets] backend_kwargs (GNOMON__SECRETS__BACKEND_KWARGS) is not JSON ("),
        (
            BACKEND,
            "[1]",
            "[secrets] backend_kwargs (GNOMON__SECRETS__BACKEND_KWARGS) must be a JSON object, not a list.",
        ),
        (
            "airflow.secrets.local_filesystem.LocalFilesystemBackend",
            '{"variables_file_path": "/no/such.json"}',
            "/no/such.json cannot be read: No such file",
        ),
    ],
)
def test_a_backend_that_cannot_be_used_is_a_sentence(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, backend: str, kwargs: str, sentence: str
) -> None:
    dialect.enable()
    set_current_config(options(tmp_path, secrets__backend=backend, secrets__backend_kwargs=kwargs))
    assert Variable.get("colour", default="the default") == "the default"
    assert sentence in caplog.text


def test_an_option_is_read_from_the_secrets_backend(tmp_path: Path) -> None:
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "vault_of_options.py").write_text(
        "class Backend:\n    def get_config(self, key):\n        return {'key-of-home': '" + KEY + "'}.get(key)\n"
    )
    environ = {"GNOMON__SECRETS__BACKEND": "vault_of_options.Backend", "GNOMON_HOME": str(tmp_path)}
    found = load_config({**os.environ, **environ, "GNOMON__CORE__FERNET_KEY_SECRET": "key-of-home"}, tmp_path)
    assert (found.text("core", "fernet_key"), found.source("core", "fernet_key")) == (
        KEY,
        "GNOMON__CORE__FERNET_KEY_SECRET",
    )
    with pytest.raises(
        OptionError,
        match="GNOMON__CORE__FERNET_KEY_SECRET: the secrets backend has no value for the key 'other': it does not know that key",
    ):
        load_config({**os.environ, **environ, "GNOMON__CORE__FERNET_KEY_SECRET": "other"}, tmp_path)


@effect_of("lineage.max_assets_per_collector", "lineage.max_extras_per_collector")
def test_a_collector_of_lineage_keeps_as_many_as_the_options_say(tmp_path: Path) -> None:
    try:
        set_current_config(options(tmp_path, lineage__max_assets_per_collector=2, lineage__max_extras_per_collector=1))
        collector = HookLineageCollector()
        for number in range(4):
            collector.add_input_asset(None, uri=f"s3://bucket/{number}")
            collector.add_extra(None, f"key {number}", number + 1)
        collected = collector.collected_assets
        assert (len(collected.inputs), len(collected.extra)) == (2, 1)
    finally:
        set_current_config(None)


def gnomon(home: Path, key: str, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "GNOMON_HOME": str(home), "GNOMON__CORE__FERNET_KEY": key}
    return run_command(*words, env=environment)
