"""Secrets are found in any text, also in pieces of it, at a cost that hardly depends on their number."""

from __future__ import annotations

import random
import string
import threading
import time
from collections.abc import Iterator

import pytest

from gnomon.ground.log.masked_stream import MaskedStream
from gnomon.ground.log.secret_index import SecretIndex
from gnomon.ground.log.secret_masks import StreamMasker, add_secrets, call_at_first_secret, forget_secrets, hide

ALPHABETS = ("ab", "abc", "abcdefgh-%", string.printable, "aäöü\n\U0001f600")


@pytest.fixture(autouse=True)
def _no_secrets() -> Iterator[None]:
    forget_secrets()
    yield
    forget_secrets()


def cover(secrets: list[str], text: str) -> str:
    """What is left of the text without all occurrences of the secrets, by comparison at every place."""
    covered = [False] * len(text)
    for secret in secrets:
        start = text.find(secret)
        while start >= 0:
            covered[start : start + len(secret)] = [True] * len(secret)
            start = text.find(secret, start + 1)
    return "".join(char for char, is_covered in zip(text, covered, strict=True) if not is_covered)


@pytest.mark.parametrize("seed", range(60))
def test_exactly_what_secrets_cover_is_hidden_in_a_text_and_in_pieces_of_it(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(10):
        forget_secrets()
        alphabet = rng.choice(ALPHABETS).replace("*", "")
        secrets = ["".join(rng.choices(alphabet, k=rng.randint(1, 14))) for _ in range(rng.randint(1, 60))]
        add_secrets(secrets[::2])
        add_secrets(secrets[1::2])
        text = "".join(
            rng.choice([rng.choice(secrets), "".join(rng.choices(alphabet + "xyz\n", k=4))]) for _ in range(20)
        )
        left = cover(secrets, text)
        assert hide(text).replace("***", "") == left
        masker, shown, place = StreamMasker(), "", 0
        while place < len(text):
            size = rng.randint(1, 9)
            shown += masker.feed(text[place : place + size])
            place += size
        assert (shown + masker.release()).replace("***", "") == left


def test_a_secret_whose_beginning_was_given_out_is_never_whole() -> None:
    add_secrets(["hunter2-and-more"])
    masker = StreamMasker()
    assert masker.feed("login hunter2") == "login "
    assert masker.release() == "hunter2"
    assert masker.feed("-and") == ""
    assert masker.release() == "-and"
    assert masker.feed("-more, then hunter2-and-less") == "***, then hunter2-and-less"


def test_what_may_be_the_beginning_of_a_secret_waits_for_a_moment_only() -> None:
    add_secrets(["hunter2!"])
    written: list[str] = []
    stream = MaskedStream(written.append, hold_s=0.01)
    stream.feed("Continue? h")
    assert written == ["Continue? "]
    deadline = time.monotonic() + 10
    while len(written) < 2 and time.monotonic() < deadline:
        time.sleep(0.005)
    assert written == ["Continue? ", "h"]


def test_a_function_is_called_once_at_the_first_secret() -> None:
    called: list[str] = []
    call_at_first_secret(lambda: called.append("first"))
    add_secrets([])
    assert called == []
    add_secrets(["one-secret"])
    add_secrets(["another-secret"])
    assert called == ["first"]
    call_at_first_secret(lambda: called.append("at once"))
    assert called == ["first", "at once"]


def test_the_cost_of_a_line_hardly_depends_on_the_number_of_secrets() -> None:
    rng = random.Random(1)
    line = "".join(rng.choices(string.ascii_letters + " ", k=200))

    def measure_s() -> float:
        samples = []
        for _ in range(30):
            start = time.process_time()
            for _ in range(100):
                hide(line)
            samples.append((time.process_time() - start) / 100)
        return min(samples)

    add_secrets("".join(rng.choices(string.ascii_letters, k=16)) for _ in range(10))
    few_s = measure_s()
    add_secrets("".join(rng.choices(string.ascii_letters, k=16)) for _ in range(5_000))
    assert measure_s() < max(10 * few_s, 300e-6)


def test_while_a_shorter_secret_is_added_no_earlier_secret_gets_through(monkeypatch: pytest.MonkeyPatch) -> None:
    earlier = [f"secret-{number:05}" for number in range(50)]
    add_secrets(earlier)
    shown, add_beginning = [], SecretIndex._add_beginning

    def mask_meanwhile(index: SecretIndex, beginning: str, length: int) -> None:
        shown.extend(hide(text) for text in earlier)
        add_beginning(index, beginning, length)

    monkeypatch.setattr(SecretIndex, "_add_beginning", mask_meanwhile)
    add_secrets(["#####"])
    assert len(shown) > 50 and set(shown) == {"***"}
    assert hide("a ##### b") == "a *** b"


def test_of_threads_that_add_at_the_same_time_no_secret_is_lost() -> None:
    def add(first: int) -> None:
        for number in range(200):
            add_secrets([f"{first}:{number:0{4 + number % 9}}"])

    threads = [threading.Thread(target=add, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {hide(f"{first}:{number:0{4 + number % 9}}") for first in range(4) for number in range(200)} == {"***"}
