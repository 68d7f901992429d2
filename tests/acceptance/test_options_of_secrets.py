"""The key of what is encrypted, what logs hide and collectors keep, and whether operators defer unless told otherwise."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from datetime import time
from pathlib import Path

import pytest
from tests.acceptance.effects import effect_of, options
from tests.keys import KEY

from gnomon.config import set_current_config
from gnomon.loading.hook_lineage import HookLineageCollector
from gnomon.log.secret_masks import forget_secrets, hide
from gnomon.operators import TimeSensor
from gnomon.sdk.runtime.secret_masking import mask_secret, should_hide_value_for_key

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
    "core.hide_sensitive_var_conn_fields", "core.sensitive_var_conn_names", "logging.min_length_masked_secret", "logging.secret_mask_adapter",
)
def test_what_is_hidden_in_logs_follows_the_options(tmp_path: Path) -> None:
    try:
        set_current_config(options(tmp_path, logging__min_length_masked_secret=3, core__sensitive_var_conn_names="colour",
                                   logging__secret_mask_adapter="builtins.ascii"))  # fmt: skip
        mask_secret("xyz")
        mask_secret("Käse-brot")
        mask_secret("scarlet-red", "colour")
        assert hide(r"xyz 'K\xe4se-brot' scarlet-red") == "*** *** ***"
        set_current_config(options(tmp_path, core__hide_sensitive_var_conn_fields=False, logging__min_length_masked_secret=6))
        assert not should_hide_value_for_key("password")
        mask_secret("12345")
        assert hide("12345") == "12345"
    finally:
        forget_secrets()
        set_current_config(None)


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
    return subprocess.run(
        [sys.executable, "-m", "gnomon", *words], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
