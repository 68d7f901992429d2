from __future__ import annotations

import pytest

from gnomon.author_code.processes.exit_reasons import describe_crash, describe_exit_without_result
from gnomon.model.sentences import render

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("code", "oom", "words"),
    [
        (3, False, "exited with code 3 without a result"),
        (0, False, "exited with code 0 without a result"),
        (-9, False, "killed by signal 9 (SIGKILL), probably out of memory"),
        (-9, True, "killed by signal 9 (SIGKILL), out of memory by the kernel's count"),
        (-11, False, "killed by signal 11 (SIGSEGV), a crash inside a compiled library"),
        (-64, False, "killed by signal 64 (SIGRTMAX)"),
        (-63, False, "killed by signal 63 (unnamed)"),
        (None, False, "ended without a result"),
    ],
)
def test_exit_codes_and_signals_are_told_in_words(code: int | None, oom: bool, words: str) -> None:
    assert describe_exit_without_result(code, out_of_memory=oom).startswith(words)


@pytest.mark.parametrize(
    ("code", "kind", "sentence"),
    [
        (3, "exit", "ended with exit code 3 (os._exit, or a library that ends the process)"),
        (-9, "memory", "was killed by signal 9 (SIGKILL), probably out of memory"),
        (-11, "crash", "crashed with signal 11 (SIGSEGV), a crash inside a compiled library"),
        (-63, "crash", "crashed with signal 63 (unnamed)"),
    ],
)
def test_the_crash_of_a_host_process_has_a_kind_and_a_sentence(code: int, kind: str, sentence: str) -> None:
    crash = describe_crash(code)
    assert (crash.kind, render(crash.sentence)) == (kind, sentence)
