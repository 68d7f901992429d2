"""Passwords in addresses are hidden wherever they stand, and nothing else is."""

from __future__ import annotations

import json
import time

import pytest

from gnomon.ground.log.uri_passwords import find_uri_passwords, hide_uri_passwords

S = "s3cr3t-p4ss"
SECRET = [
    f"https://user:{S}@host",
    f"https://user:{S}@host:8443/path?x=1#f",
    f"postgresql+psycopg2://user:{S}@db/x",
    f"redis://:{S}@cache:6379/0",
    f"https://{S}@github.com/a/b.git",
    f"https://{S}:x-oauth-basic@github.com",
    f"https://user:{S}%40x@host",
    f"https://user:a@{S}@host",
    f"https://user:a/{S}@host",
    f"https://user:a#{S}@host",
    f"https://user:a?{S}@host",
    f"https://user:{S}@[::1]:80/",
    f"HTTPS://USER:{S}@HOST",
    f"http://ok.example http://user:{S}@host",
    f"['https://user:{S}@host']",
    f"git+https://user:{S}@host/r.git",
    f"jdbc:mysql://user:{S}@host/db",
    f"jdbc:sqlserver://h:1433;user=a;password={S};x=y",
    f"https://host/?password={S}",
    f"https://host/?a=1&token={S}&b=2",
    f"https://host/?api_key={S}",
    f"https://host/?access-token={S}",
    f"https://host/?X-Amz-Signature={S}",
    f"https://host/?sv=1&sig={S}",
    f"https://host/?PASSWORD={S}",
    f"https://proxy/?url=https%3A%2F%2Fuser%3A{S}%40host%2Fx",
    f"https://proxy/?url=x%3Fpassword={S}",
    f"host=db user=a password={S} dbname=x",
    f"host=db password='{S} x' dbname=y",
    f"Server=db;User Id=a;Password={S};",
    f"password = {S}",
    json.dumps({"a": f"https://user:{S}@host"}),
    json.dumps({"a": json.dumps([f"https://user:{S}@host"])}),
    f'{{"a": "https:\\/\\/user:{S}@host"}}',
    f"connection to postgresql://user:{S}@db:5432/x failed: timeout",
    f"ldap://cn=a:{S}@host",
    f"mongodb+srv://u:{S}@a.b,c.d/db",
    f"amqp://guest:{S}@mq//",
    f"https://us%65r:{S}@host",
    f"ftp://user:12345{S}@host",
    f"x://u:80{S}@h",
]
HARMLESS = [
    "https://host/path",
    "https://host:8080/a@b",
    "mailto:a@b.example",
    "a@b.example",
    "s3://bucket/key@version",
    "https://host?mail=a@b.example",
    "https://host/#a@b",
    "git@github.com:a/b.git",
    "https://host:8080",
    "https://[::1]:8080/x@y",
    "1:2@3",
    "x = y",
    "a=1&b=2",
    "https://host/?page=2&design=x&author=me",
    "password",
    "the password is secret",
    "{{ conn.password }}",
    "https://host:8080?x=a@b",
    "file:///a@b",
    "",
    "://",
    "@",
    "k=v",
    "passwordless=1",
]


@pytest.mark.parametrize("text", SECRET)
def test_the_password_of_an_address_is_hidden(text: str) -> None:
    shown = hide_uri_passwords(text)
    assert S not in shown and "***" in shown
    assert hide_uri_passwords(shown) == shown, "what is hidden stays as it is"


@pytest.mark.parametrize("text", SECRET)
def test_what_is_hidden_is_known_as_a_secret(text: str) -> None:
    if "%3A%2F" not in text:
        assert any(S in found for found in find_uri_passwords(text)) or f"{S}:x-oauth-basic" in text or len(S) < 16


@pytest.mark.parametrize("text", HARMLESS)
def test_a_text_without_one_is_shown_as_it_is(text: str) -> None:
    assert hide_uri_passwords(text) == text
    assert list(find_uri_passwords(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(
            {"a": f"https://u:{S}@h", "b": [f"x;password={S}"], "c": json.dumps({"d": f'https://u:{S}@h?token={S}"\\'})}
        )
    ],
)
def test_json_stays_json(text: str) -> None:
    assert S not in hide_uri_passwords(text)
    assert set(json.loads(hide_uri_passwords(text))) == {"a", "b", "c"}


@pytest.mark.parametrize(
    "piece",
    [
        "a://b:c",
        "://",
        ":",
        "a:",
        "?password",
        "&pass",
        "%3A%2F%2Fa",
        "pass",
        "a@",
        "://a@",
        "\\/",
        ":\\/\\/",
        "?passpass",
        "password=",
        " password=",
    ],
)
def test_the_time_is_proportional_to_the_length(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    begun = time.process_time()
    hide_uri_passwords(text)
    list(find_uri_passwords(text))
    assert time.process_time() - begun < 5.0
