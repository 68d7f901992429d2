"""What is sealed can be opened by whoever has the key, and by nobody else; keys change without a stop."""

from __future__ import annotations

import base64
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.keys import CIPHER, KEY
from tests.patience import PATIENCE_S

from gnomon.ground.config import Config, load_config, without_secrets
from gnomon.model.errors import ConfigurationError
from gnomon.storage.store import Cipher, InvalidKey, WrongKey, load_cipher, migrations, open_database
from gnomon.storage.store.admin import variables
from gnomon.storage.store.encryption.cipher import parse_keys
from gnomon.storage.store.encryption.key_file import FILE_NAME

OTHER = base64.urlsafe_b64encode(b"o" * 32).decode()


def cipher_of(*keys: str) -> Cipher:
    return Cipher(lambda: keys, "the test")


def config(home: Path, key: str | None = None) -> Config:
    return load_config({} if key is None else {"AIRFLOW__CORE__FERNET_KEY": key}, home)


@pytest.mark.parametrize("text", ["", "{}", "ünï\x00", "x" * 100_000])
def test_what_is_sealed_opens_as_it_was_and_shows_nothing(text: str) -> None:
    sealed = CIPHER.encrypt(text)
    assert CIPHER.decrypt(sealed) == text
    assert not text or text not in sealed


def test_the_first_key_seals_and_every_key_opens() -> None:
    old, new = cipher_of(OTHER), cipher_of(KEY, OTHER)
    assert new.decrypt(old.encrypt("kept")) == "kept"
    assert cipher_of(KEY).decrypt(new.encrypt("new")) == "new"


def test_another_key_is_refused_with_the_option_to_set() -> None:
    with pytest.raises(WrongKey, match=r"the test does not open.*\[core\] fernet_key") as refused:
        cipher_of(OTHER).decrypt(CIPHER.encrypt("secret"))
    assert isinstance(refused.value, ConfigurationError)
    assert "secret" not in str(refused.value)


def test_what_somebody_changed_is_refused() -> None:
    sealed = CIPHER.encrypt("secret")
    middle = len(sealed) // 2
    with pytest.raises(WrongKey):
        CIPHER.decrypt(sealed[:middle] + ("A" if sealed[middle] != "A" else "B") + sealed[middle + 1 :])


@pytest.mark.parametrize("text", ["short", KEY[:-2], "ä" * 44, f"{KEY},nonsense", ",", ""])
def test_what_is_no_key_is_named_without_showing_it(text: str) -> None:
    with pytest.raises(InvalidKey, match="the place: ") as refused:
        parse_keys(text, "the place")
    assert "nonsense" not in str(refused.value) and KEY[:10] not in str(refused.value)


def test_a_home_gets_one_key_for_its_owner_alone(tmp_path: Path) -> None:
    sealed = load_cipher(config(tmp_path)).encrypt("x")
    path = tmp_path / FILE_NAME
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_cipher(config(tmp_path)).decrypt(sealed) == "x"
    assert [entry.name for entry in tmp_path.iterdir()] == [FILE_NAME]


@pytest.mark.ordinary
def test_processes_that_start_together_agree_on_the_key(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom gnomon.ground.config import load_config\nfrom gnomon.storage.store import load_cipher\n"
        "cipher = load_cipher(load_config({}, Path(sys.argv[1])))\n"
        "print('ready', flush=True)\nsys.stdin.read()\nprint(cipher.encrypt('x'))"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    gate, opener = os.pipe()
    started = [subprocess.Popen(command, stdin=gate, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert [process.stdout.readline() for process in started if process.stdout] == ["ready\n"] * 4
    os.close(gate)
    os.close(opener)
    sealed = [process.communicate(timeout=PATIENCE_S)[0].strip() for process in started]
    assert [process.returncode for process in started] == [0] * 4
    assert [load_cipher(config(tmp_path)).decrypt(each) for each in sealed] == ["x"] * 4


def test_the_option_goes_before_the_file_and_makes_none(tmp_path: Path) -> None:
    assert CIPHER.decrypt(load_cipher(config(tmp_path, KEY)).encrypt("x")) == "x"
    assert not (tmp_path / FILE_NAME).exists()


def test_a_malformed_key_names_the_variable_or_the_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidKey, match="AIRFLOW__CORE__FERNET_KEY"):
        load_cipher(config(tmp_path, "nonsense")).check_usable()
    (tmp_path / FILE_NAME).write_text("nonsense\n")
    with pytest.raises(InvalidKey, match=FILE_NAME):
        load_cipher(config(tmp_path)).check_usable()


def test_a_key_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(InvalidKey, match="let this user read it"):
        load_cipher(config(tmp_path)).check_usable()


def test_a_key_that_would_open_nothing_is_not_made(tmp_path: Path) -> None:
    cipher = load_cipher(config(tmp_path))
    cipher.check_usable()
    for ask in (cipher.decrypt, cipher.uses_primary_key):
        with pytest.raises(WrongKey, match=rf"{FILE_NAME} is not there: every host needs the same key"):
            ask(CIPHER.encrypt("x"))
    assert list(tmp_path.iterdir()) == []


def test_a_key_cannot_be_made_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "home").symlink_to(tmp_path / "nowhere")
    with pytest.raises(InvalidKey, match=r"fernet\.key, the key of the encrypted values .*File exists"):
        load_cipher(config(tmp_path / "home")).encrypt("x")


def test_the_key_that_seals_is_told_from_those_that_only_open() -> None:
    sealed = cipher_of(OTHER).encrypt("x")
    assert cipher_of(OTHER, KEY).uses_primary_key(sealed)
    assert not cipher_of(KEY, OTHER).uses_primary_key(sealed)


@pytest.mark.ordinary
def test_a_host_with_another_key_is_refused_as_it_starts(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'g.db'}"
    migrations.upgrade_schema(url)
    ours, theirs = open_database(url, cipher=CIPHER), open_database(url, cipher=cipher_of(OTHER))
    theirs.check_key()
    with ours.write() as tx:
        variables.set_variable(tx, "k", "v")
    ours.check_key()
    with pytest.raises(WrongKey, match="every host needs the same key"):
        theirs.check_key()
    for database in (ours, theirs):
        database.close()


def test_author_code_is_told_no_key(tmp_path: Path) -> None:
    names = [f"{prefix}__CORE__FERNET_KEY{end}" for prefix in ("GNOMON", "AIRFLOW") for end in ("", "_CMD", "_SECRET")]
    assert without_secrets(dict.fromkeys(names, "x")) == {}
    assert "fernet_key" not in config(tmp_path, KEY).for_author_code().section("core")
