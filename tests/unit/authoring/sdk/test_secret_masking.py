"""Which values count as secrets, and what `redact` and the logs hide."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from gnomon.author_code.runner.attempt_results import REASON_MAX, classify_exception
from gnomon.authoring.sdk.connections import secret_masking
from gnomon.authoring.sdk.connections.connection import Connection
from gnomon.authoring.sdk.connections.secret_masking import amask_secret, mask_secret, should_hide_value_for_key
from gnomon.authoring.sdk.connections.secrets_masker import redact
from gnomon.authoring.sdk.connections.variable import Variable
from gnomon.ground import log
from gnomon.ground.config import current_config, load_config, set_current_config
from gnomon.ground.log.secret_masks import forget_secrets, hide
from gnomon.model.errors.authoring import AirflowNotFoundException, AirflowSkipException


@pytest.fixture(autouse=True)
def _no_secrets(tmp_path: Path) -> Iterator[None]:
    before = current_config()
    use(tmp_path)
    forget_secrets()
    yield
    forget_secrets()
    set_current_config(before)


def use(home: Path, **given: str) -> None:
    set_current_config(load_config({f"GNOMON__{name.upper()}": value for name, value in given.items()}, home))


def test_a_masked_text_is_hidden_in_any_text() -> None:
    mask_secret("hunter2!")
    assert hide("login me:hunter2! and hunter2!") == "login me:*** and ***"


def test_a_secret_is_hidden_as_urls_and_reprs_write_it_too() -> None:
    secret = "p@ss word\n1"
    mask_secret(secret)
    assert hide(f"{secret!r} p%40ss%20word%0A1") == "'***' ***"


@pytest.mark.parametrize("ensure_ascii", [True, False])
def test_a_secret_is_hidden_as_json_writes_it(ensure_ascii: bool) -> None:
    secret = 'pä"ss\\word'
    mask_secret(secret)
    assert hide(json.dumps({"key": secret}, ensure_ascii=ensure_ascii)) == '{"key": "***"}'


def test_the_longest_of_two_secrets_is_hidden_whole() -> None:
    mask_secret(["secret", "secret-and-more"])
    assert hide("secret-and-more secret") == "*** ***"


def test_with_a_name_only_sensitive_names_count() -> None:
    mask_secret("harmless-value", "colour")
    mask_secret("worth-hiding", "my_API-Key")
    mask_secret({"colour": "harmless-value", "deep": [{"password": "deep-secret"}]})
    assert hide("harmless-value worth-hiding deep-secret") == "harmless-value *** ***"


def test_masks_of_all_that_is_stored_say_nothing_of_short_secrets(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secret_masking, "_has_warned_of_short_secret", False)
    secret_masking.mask_stored_secret(["p@", "long enough"])
    assert caplog.text == ""
    assert hide("long enough p@") == "*** p@"
    mask_secret("p@")
    assert "fewer than 5 characters" in caplog.text


def test_short_texts_and_the_word_airflow_are_not_hidden(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secret_masking, "_has_warned_of_short_secret", False)
    mask_secret(["abcd", "airflow", ""])
    mask_secret("efgh")
    assert hide("abcd efgh airflow") == "abcd efgh airflow"
    assert [record.message for record in caplog.records] == [
        "A secret with fewer than 5 characters is not hidden in logs. Use a longer one, or lower [logging] min_length_masked_secret."
    ]


def test_the_options_act(tmp_path: Path) -> None:
    use(
        tmp_path,
        logging__min_length_masked_secret="3",
        core__sensitive_var_conn_names="colour, Shape",
        logging__secret_mask_adapter=f"{__name__}.reverse",
    )
    mask_secret("abc")
    assert hide("abc cba") == "*** ***"
    assert (
        should_hide_value_for_key("my-SHAPE")
        and should_hide_value_for_key("colour")
        and should_hide_value_for_key("password")
    )
    use(tmp_path, core__hide_sensitive_var_conn_fields="False")
    assert not should_hide_value_for_key("password")


def test_the_answer_about_a_name_is_kept_but_not_that_about_a_long_one(tmp_path: Path) -> None:
    """Each attempt asks about every template field."""
    counts = secret_masking._has_sensitive_word.cache_info
    assert not should_hide_value_for_key("kept_name")
    before = counts()
    assert not should_hide_value_for_key("kept_name")
    assert (counts().hits, counts().misses) == (before.hits + 1, before.misses)
    assert should_hide_value_for_key("n" * secret_masking.NAME_MAX + "password")
    assert counts().currsize == before.currsize
    use(tmp_path, core__sensitive_var_conn_names="kept")
    assert should_hide_value_for_key("kept_name")
    use(tmp_path, core__sensitive_var_conn_names="kept", core__hide_sensitive_var_conn_fields="False")
    assert not should_hide_value_for_key("kept_name")


def reverse(secret: str) -> str:
    return secret[::-1]


def test_an_adapter_that_cannot_be_imported_is_named(tmp_path: Path) -> None:
    use(tmp_path, logging__secret_mask_adapter="nowhere.at_all")
    with pytest.raises(
        ValueError, match=r"\[logging\] secret_mask_adapter = nowhere.at_all cannot be imported.*Give the dotted path"
    ):
        mask_secret("some-secret")


class Kind(Enum):
    A = "see secret-text"


@pytest.mark.parametrize(
    ("given", "name", "expected"),
    [
        (
            {"password": "x", "deep": [{"api_key": {"a": ("y", 1)}, "plain": 1}]},
            None,
            {"password": "***", "deep": [{"api_key": {"a": ("***", 1)}, "plain": 1}]},
        ),
        ("x", "token", "***"),
        ("x", "colour", "x"),
        ({"x"}, None, ("x",)),
        (Kind.A, None, "see ***"),
        (["secret-text"], None, ["***"]),
        (b"x", "token", b"x"),
    ],
)
def test_redact_hides_sensitive_names_and_known_secrets(given: Any, name: str | None, expected: object) -> None:
    mask_secret("secret-text")
    assert redact(given, name) == expected


def test_redact_uses_the_given_replacement() -> None:
    assert redact({"password": "x"}, replacement="(hidden)") == {"password": "(hidden)"}


def test_a_connection_hides_its_password_and_the_secrets_of_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_DB", "postgres://me:pass-word@host/db?api_token=tok-1234&mode=readonly")
    assert hide("pass-word tok-1234 readonly") == "pass-word tok-1234 readonly"
    Connection.get("db")
    assert hide("pass-word tok-1234 readonly") == "*** *** readonly"


def test_reading_the_extra_hides_its_secrets_for_coroutines_too() -> None:
    assert asyncio.run(Connection("c", extra={"client_secret": "from-extra"}).aextra_dejson()) == {
        "client_secret": "from-extra"
    }
    assert hide("from-extra") == "***"
    asyncio.run(amask_secret("by-coroutine"))
    assert hide("by-coroutine") == "***"


def test_a_connection_that_is_only_made_is_not_hidden_and_a_missing_one_says_so() -> None:
    Connection("c", password="not-read-yet")
    assert hide("not-read-yet") == "not-read-yet"
    with pytest.raises(AirflowNotFoundException):
        Connection.get("missing")


def test_a_variable_is_hidden_when_its_key_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for key, text in {
        "MY_TOKEN": "tok-9999",
        "COLOUR": "turquoise",
        "BOTH": '{"secret_key": "in-json", "colour": "magenta"}',
    }.items():
        monkeypatch.setenv(f"AIRFLOW_VAR_{key}", text)
    Variable.get("my_token"), Variable.get("colour"), Variable.get("both", deserialize_json=True)
    assert hide("tok-9999 turquoise in-json magenta") == "*** turquoise *** magenta"


@pytest.mark.parametrize("style", ["json", "text"])
def test_services_that_run_author_code_hide_secrets_in_their_logs(style: str) -> None:
    root, stream = logging.getLogger(), io.StringIO()
    handlers, level = list(root.handlers), root.level
    try:
        log.configure("triggerer", "INFO", style, stream)
        mask_secret("hunter2!")
        try:
            raise ValueError("hunter2! in a traceback")
        except ValueError:
            logging.getLogger("x").exception("hunter2! in %s", "a message", extra={"more": "hunter2!"})
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
    assert (
        "hunter2!" not in stream.getvalue()
        and "*** in a message" in stream.getvalue()
        and "*** in a traceback" in stream.getvalue()
    )


@pytest.mark.parametrize("text", ["x" * (REASON_MAX - 20) + "first-half-second-half", "first-line-of\nsecond-line"])
@pytest.mark.parametrize("kind", [ValueError, AirflowSkipException])
def test_a_reason_has_no_part_of_a_secret_that_is_longer_than_the_reason_or_has_several_lines(
    kind: type[Exception], text: str
) -> None:
    mask_secret(text.lstrip("x"))
    reason = classify_exception(kind(text)).reason or ""
    assert "first" not in reason and reason.endswith("***")
