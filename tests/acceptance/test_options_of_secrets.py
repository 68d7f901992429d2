"""The key of what is encrypted, and whether operators defer unless told otherwise: seen at the command line and at an operator."""

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
from gnomon.operators import TimeSensor

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


def gnomon(home: Path, key: str, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "GNOMON_HOME": str(home), "GNOMON__CORE__FERNET_KEY": key}
    return subprocess.run(
        [sys.executable, "-m", "gnomon", *words], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
