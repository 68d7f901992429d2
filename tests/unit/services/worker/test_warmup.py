"""Tasks are forked also where the zygote cannot be warmed up: its temporary folder cannot be made, or its log cannot be written."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from tests.conformance.workerworld import WorkerWorld

BREAK = {
    "no folder": "import tempfile\ndef refuse(*a, **k): raise OSError(28, 'No space left on device')\ntempfile.mkdtemp = refuse\n",
    "no log": "import gnomon.author_code.runner.attempt_log as attempt_log\nreal = attempt_log.redirect_output\n"
    "def refuse(path):\n    if 'gnomon-warm-up-' in path: raise OSError(28, 'No space left on device')\n    real(path)\n"
    "attempt_log.redirect_output = refuse\n",
}


@pytest.mark.parametrize("fault", BREAK)
def test_a_task_is_forked_where_its_zygote_was_not_warmed_up(tmp_path: Path, fault: str) -> None:
    """The fault is put into the zygote alone, by a module that its interpreter imports first."""
    site = tmp_path / "site"
    site.mkdir()
    is_zygote = "import sys\nif 'gnomon.services.worker.zygote_main' in sys.orig_argv:\n"
    (site / "sitecustomize.py").write_text(
        is_zygote
        + "".join(f"    {line}\n" for line in BREAK[fault].splitlines())
        + f"    open({str(tmp_path / 'broken')!r}, 'w')\n"
    )
    world = WorkerWorld(tmp_path / "w", environ={"PYTHONPATH": os.pathsep.join([str(site), *sys.path])})
    try:
        result = world.run(world.attempt(world.dag("runs", "return open(f'/proc/{os.getppid()}/cmdline').read()")))
        assert json.loads(result.xcoms[0].value).startswith("gnomon: zygote "), "it is a fork, not a new interpreter"
        assert (tmp_path / "broken").exists()
    finally:
        world.close()
