"""No secret is in a file, a row or an answer, whatever way it took out of a task, and in pieces of whatever length."""

from __future__ import annotations

import base64
import json
import random
import re
import string
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from tests.acceptance.product import Product, product
from tests.patience import PATIENCE_S

SHORT, LONG = 400, 10_000
SECRET_S = 0.1
"""Seconds that one secret may take on a slow machine."""
ALPHABET = string.ascii_letters + string.digits + " %&+/:=?@'\"\\<>{}äß\u20ac\U0001f600"
PLUGIN = """
import asyncio, random
from airflow.sdk import BaseOperator
from airflow.sdk.log import mask_secret
from airflow.triggers.base import BaseTrigger, TriggerEvent

def secrets(seed, count):
    rng = random.Random(seed)
    return ["".join(rng.choices(%(alphabet)r, k=rng.randint(8, 40))).strip().ljust(8, "x") for _ in range(count)]

def pieces(rng, text):
    while text:
        size = rng.randint(1, 12)
        yield text[:size]
        text = text[size:]

class Chatty(BaseTrigger):
    def __init__(self, seed, count):
        super().__init__()
        self.seed, self.count = seed, count
    def serialize(self):
        return "chatty.Chatty", {"seed": self.seed, "count": self.count}
    async def run(self):
        rng = random.Random(self.seed)
        found = secrets(self.seed, self.count)
        mask_secret(found)
        for secret in found:
            for piece in pieces(rng, f"trigger {secret}\\n"):
                print(piece, end="", flush=True)
            self.log.warning("trigger %%s", secret)
            await asyncio.sleep(0)
        raise ValueError(f"trigger {found[0]}")
        yield TriggerEvent({})

class Waits(BaseOperator):
    def __init__(self, seed, count, **kwargs):
        super().__init__(**kwargs)
        self.seed, self.count = seed, count
    def execute(self, context):
        self.defer(trigger=Chatty(self.seed, self.count), method_name="done")
    def done(self, context, event):
        pass
"""
FLOW = """
import logging, os, random, subprocess, sys, time, traceback, warnings
from airflow.sdk import BaseHook, DAG, task
from airflow.sdk.log import mask_secret
from chatty import Waits, pieces, secrets

def write_descriptor(text):
    os.write(2, text.encode())

def run_program(rng, texts):
    code = "import sys\\nfor piece in sys.stdin.buffer.read().split(bytes(1)):\\n    sys.stdout.buffer.write(piece); sys.stdout.buffer.flush()"
    subprocess.run([sys.executable, "-c", code], input="\\0".join(p for t in texts for p in pieces(rng, f"<{t}>\\n")).encode(), check=True)

def flush(stream, text):
    stream.write(text); stream.flush()

def raise_and_print(text):
    try:
        raise ValueError(text)
    except ValueError:
        traceback.print_exc()

with DAG("talk", schedule=None, is_paused_upon_creation=False):
    @task
    def talk(seed, count):
        rng = random.Random(seed)
        found = secrets(seed, count)
        mask_secret(found)
        channels = [
            lambda text: print(text, end=""), lambda text: print(text, end="", flush=True, file=sys.stderr), write_descriptor,
            lambda text: flush(sys.stdout.buffer, text.encode()),
        ]
        whole = [print, repr, logging.getLogger("talk").warning, raise_and_print, lambda t: warnings.warn(t), lambda t: print({"key": t}, [t])]
        for number, secret in enumerate(found):
            channel = channels[number %% len(channels)]
            for piece in pieces(rng, f"<{secret}>\\n"):
                channel(piece)
            whole[number %% len(whole)](secret)
        run_program(rng, found)
        os.system(f"echo '{found[0].encode().hex()}'")
        connection = BaseHook.get_connection("db")
        print(connection.get_uri(), connection.password, connection.as_json(), connection.extra_dejson)
        try:
            try:
                raise KeyError(found[1])
            except KeyError as error:
                raise RuntimeError(f"cannot use {found[2]}") from error
        except RuntimeError as error:
            raise ValueError(f"login with {connection.password} and {found[3]} failed") from error

    talk(%(seed)d, %(count)d)
    Waits(task_id="waits", seed=%(seed)d, count=%(count)d)
"""
BROKEN = """
from airflow.sdk import BaseHook, DAG
raise ValueError("cannot use " + BaseHook.get_connection("db").get_uri() + " " + BaseHook.get_connection("db").password)
"""
PASSWORD = "p@ss w'rd/with\"all%of it"
TOKEN = "token-in-the-extra"


def make_secrets(seed: int, count: int) -> list[str]:
    """The secrets of the task, made as the DAG file makes them."""
    rng = random.Random(seed)
    return ["".join(rng.choices(ALPHABET, k=rng.randint(8, 40))).strip().ljust(8, "x") for _ in range(count)]


def iterate_forms(secret: str) -> Iterator[str]:
    """The secret as it is, in the encodings of a URI, and as code prints it."""
    yield from {
        secret,
        quote(secret, safe=""),
        quote(secret),
        quote_plus(secret),
        repr(secret)[1:-1],
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        base64.b64encode(secret.encode()).decode().rstrip("="),
    }


@pytest.mark.parametrize("count", [SHORT, pytest.param(LONG, marks=pytest.mark.soak)])
def test_no_secret_is_in_a_file_a_row_or_an_answer(count: int) -> None:
    seed = 20260105
    print(f"seed {seed}")
    with product({}, {"PYTHONIOENCODING": "utf-8"}) as here:
        connection = {
            "conn_type": "postgres",
            "host": "h",
            "login": "me",
            "password": PASSWORD,
            "extra": {"api_token": TOKEN, "region": "north"},
        }
        here.do("connections", "add", "db", "--conn-json", json.dumps(connection))
        (here.home / "plugins").mkdir(exist_ok=True)
        (here.home / "plugins" / "chatty.py").write_text(PLUGIN % {"alphabet": ALPHABET})
        here.write("talk.py", FLOW % {"seed": seed, "count": count})
        here.write("broken.py", BROKEN)
        here.has_dag("talk")
        here.until(lambda: bool(here.rows("dags", "errors")), "the error of broken.py is listed")
        run_id = here.do("dags", "trigger", "talk").strip()
        here.until(
            lambda: here.rows("runs", "list", "talk")[0]["state"] == "failed",
            "the run has failed",
            PATIENCE_S + count * SECRET_S,
        )
        answers = [*_ask(here, run_id)]
        task = here.tasks("talk", run_id)["talk"]
        assert (task["state"], task["reason"]) == ("failed", "ValueError: login with *** and *** failed")
        files = list(_read_files(here.home))
    logs = "\n".join(text for _, text in files)
    written = [len(re.findall(pattern, logs)) for pattern in (r"<.*\*\*\*>", r"trigger .*\*\*\*")]
    assert min(written) >= 2 * count, (
        f"the channels have written; on a slow machine, the beginning of a secret may be there: {written}"
    )
    secrets = [PASSWORD, TOKEN, *make_secrets(seed, count)]
    for place, text in [*((f"answer {number}", answer) for number, answer in enumerate(answers)), *files]:
        for secret in secrets:
            for form in iterate_forms(secret):
                assert form not in text, (
                    f"{place} has {secret!r} as {form!r}: {text[max(0, text.find(form) - 200) : text.find(form) + 200]}"
                )


def _ask(here: Product, run_id: str) -> Iterator[str]:
    """What commands print about the run, the files and the connections."""
    for words in (
        ["tasks", "logs", "talk", run_id, "talk"],
        ["tasks", "states", "talk", run_id, "-o", "json"],
        ["runs", "show", "talk", run_id],
        ["dags", "errors", "-o", "json"],
        ["explain", "talk", run_id],
        ["connections", "list", "-o", "json"],
        ["connections", "get", "db"],
    ):
        ended = here.cli(*words)
        yield ended.out + ended.err


def _read_files(home: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(home.rglob("*")):
        if path.is_file() and path.name not in ("talk.py", "draft") and path.suffix != ".pyc":
            yield str(path), path.read_bytes().decode(errors="replace")
