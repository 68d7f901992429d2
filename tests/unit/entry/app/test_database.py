"""What has happened to the database when a service begins."""

from __future__ import annotations

import errno
import os
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.keys import CIPHER

from gnomon.entry.app.database import DatabasePreparation, prepare_database
from gnomon.ground.config import load_config
from gnomon.model.errors import ConfigurationError, ResourceUnavailable
from gnomon.storage.store import WrongKey, load_cipher, migrations, open_database
from gnomon.storage.store.encryption.key_file import FILE_NAME


def test_the_first_start_makes_the_key_and_binds_the_database_to_it(tmp_path: Path) -> None:
    cfg = load_config({}, tmp_path)
    prepare_database(cfg)
    with closing(open_database(cfg.database_url, cipher=load_cipher(cfg))) as ours:
        ours.check_key()
    with closing(open_database(cfg.database_url, cipher=CIPHER)) as theirs, pytest.raises(WrongKey):
        theirs.check_key()


def test_a_start_that_is_refused_leaves_no_key(tmp_path: Path) -> None:
    cfg = load_config({}, tmp_path)
    migrations.upgrade_schema(cfg.database_url)
    with closing(open_database(cfg.database_url, cipher=CIPHER)) as theirs:
        theirs.bind_key()
    with pytest.raises(ConfigurationError, match=f"{FILE_NAME} is not there: every host needs the same key"):
        prepare_database(cfg)
    assert not (tmp_path / FILE_NAME).exists()
    with closing(open_database(cfg.database_url, cipher=CIPHER)) as theirs:
        theirs.check_key()


@pytest.mark.parametrize("call", ["fork", "pipe"])
def test_a_process_that_the_machine_refuses_is_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    real, refusals = getattr(os, call), [errno.EAGAIN]

    def asked() -> Any:
        if refusals:
            error = refusals.pop()
            raise OSError(error, os.strerror(error))
        return real()

    monkeypatch.setattr(os, call, asked)
    before = len(os.listdir("/proc/self/fd"))
    refused = DatabasePreparation(load_config({}, tmp_path))
    assert not refusals and len(os.listdir("/proc/self/fd")) == before
    with pytest.raises(ResourceUnavailable, match=r"Resource temporarily unavailable \(EAGAIN\)"):
        refused.wait()
    DatabasePreparation(load_config({}, tmp_path)).wait()
