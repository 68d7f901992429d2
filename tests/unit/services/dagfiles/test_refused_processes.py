"""A parse process that the machine refuses costs the file a pause, and neither the parse server nor another file."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE_S
from tests.unit.services.dagfiles.conftest import Home, Parser


@pytest.mark.parametrize("call", ["fork", "pipe2"])
def test_a_refused_parse_is_tried_again(
    home: Home, parser_with: Callable[..., Parser], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    real, flag = getattr(os, call), tmp_path / "refusal"

    def asked(*args: Any) -> Any:
        try:
            os.unlink(flag)
        except FileNotFoundError:
            return real(*args)
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(os, call, asked)  # the parse server is a fork of this process
    parser = parser_with(
        home.config(
            core__dagbag_import_timeout=PATIENCE_S, dag_processor__dag_file_processor_timeout=int(2 * PATIENCE_S)
        )
    )
    assert parser.parse(home.one_dag("before.py")).failures == ()
    descriptors = f"/proc/{parser.pool._server}/fd"
    before = len(os.listdir(descriptors))
    flag.touch()
    for name in ("first.py", "second.py"):
        parser.pool.start(home.one_dag(name))
    parsed = parser.wait(2)
    assert not flag.exists()
    assert sorted(dag.spec.dag_id for one in parsed for dag in one.dags) == ["first", "second"]
    assert [one.failures for one in parsed] == [(), ()]
    assert len(os.listdir(descriptors)) == before
