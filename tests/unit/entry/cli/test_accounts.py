"""`gnomon users` and `gnomon tokens`."""

from __future__ import annotations

import io
import json
import re

import pytest
from tests.unit.entry.cli.conftest import Gnomon

from gnomon.entry.cli.deployment.home import Home
from gnomon.queries.accounts import passwords


@pytest.fixture(autouse=True)
def _cheap_hashes(monkeypatch: pytest.MonkeyPatch, home: Home) -> None:
    monkeypatch.setattr(passwords, "MEMORY_KIB", 64)
    monkeypatch.setattr(passwords, "ROUNDS", 1)
    passwords._hasher.cache_clear()


def test_an_account_from_its_creation_to_its_end(gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (
        gnomon("users", "create", "root", "--role", "admin", "--password", "correct horse").out
        == "created account root with the role admin\n"
    )
    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse\n"))
    assert gnomon("users", "create", "ada", "--role", "none").code == 0
    assert gnomon("users", "create", "robot", "--role", "viewer", "--no-password").code == 0
    assert (
        gnomon("users", "grant", "ada", "--dag", "etl_*", "--role", "user").out
        == "account ada has the role user on dag etl_*\n"
    )
    assert gnomon("users", "grant", "ada", "--tag", "finance", "--role", "viewer").code == 0
    rows = json.loads(gnomon("users", "list", "-o", "json").out)
    assert [(row["name"], row["role"], row["grants"], row["has_password"]) for row in rows] == [
        ("ada", "none", ["user on dag etl_*", "viewer on tag finance"], True),
        ("robot", "viewer", [], False),
        ("root", "admin", [], True),
    ]
    assert gnomon("users", "revoke", "ada", "--tag", "finance").code == 0
    assert gnomon("users", "set-role", "ada", "operator").out == "account ada has the role operator\n"
    monkeypatch.setattr("sys.stdin", io.StringIO("another horse\n"))
    assert gnomon("users", "reset-password", "ada").out == "account ada has a new password; its sessions have ended\n"
    assert gnomon("users", "delete", "ada").out == "deleted account ada\n"
    assert "ada" not in gnomon("users", "list").out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("create", "x", "--role", "admin", "--password", "short"),
            "the password has 5 characters; give one with at least 8",
        ),
        (
            ("create", "x", "--role", "admin", "--password", "long enough", "--no-password"),
            "give --password or --no-password, not both",
        ),
        (
            ("create", "x", "--role", "boss", "--password", "long enough"),
            "'boss' is not one of 'none', 'viewer', 'user', 'operator', 'admin'",
        ),
        (("create", "x", "--role", "admin"), "standard input has no line with the password"),
        (("delete", "nobody"), "there is no account 'nobody'; `gnomon users list` lists all accounts"),
        (("grant", "x", "--role", "user"), "give one of --dag and --tag"),
        (("grant", "x", "--dag", "a", "--tag", "b", "--role", "user"), "give one of --dag and --tag"),
        (("grant", "x", "--dag", "a", "--role", "admin"), "'admin' is not one of"),
    ],
)
def test_a_mistake_is_named(
    gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], sentence: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    ended = gnomon("users", *words)
    assert ended.code != 0
    assert sentence in ended.err
    assert "Traceback" not in ended.err
    assert gnomon("users", "list", "-o", "json").out == "[]\n"


def test_a_token_is_shown_once(gnomon: Gnomon) -> None:
    gnomon("users", "create", "ci", "--role", "user", "--no-password")
    created = gnomon("tokens", "create", "ci", "--name", "deploy job", "--role", "user", "--expires-in", "30d")
    assert re.fullmatch(r"gnm_[0-9a-f]{12}_[\w-]{43}\n", created.out)
    uid, secret = created.out.strip().split("_", 2)[1:]
    listed = gnomon("tokens", "list", "-o", "json").out
    (row,) = json.loads(listed)
    assert (row["token"], row["account"], row["name"], row["role"], row["state"]) == (
        uid,
        "ci",
        "deploy job",
        "user",
        "valid",
    )
    assert secret not in listed
    assert gnomon("tokens", "revoke", uid).out == f"revoked token {uid} (deploy job) of account ci\n"
    assert json.loads(gnomon("tokens", "list", "-o", "json").out)[0]["state"] == "revoked"
    assert "was revoked before" in gnomon("tokens", "revoke", uid).err
    assert "there is no token 'x'" in gnomon("tokens", "revoke", "x").err
    assert (
        "account 'ci' has the role user, so its tokens cannot have the role admin"
        in gnomon("tokens", "create", "ci", "--name", "x", "--role", "admin").err
    )
