"""Failed tests run once more, alone: what the run says of them, keeps of them, and ends with."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.patience import PATIENCE_S
from tests.second_run import MAX_SECOND_RUNS

ROOT = Path(__file__).parents[2]

ONCE = '''
from pathlib import Path

def fails_once(name):
    """True in the first process that asks."""
    mark = Path(__file__).parent / f"{name}.once"
    if mark.exists():
        return False
    mark.touch()
    return True
'''
UNSTABLE = """
import os, sys
import pytest
from once import fails_once

def test_good(): pass

@pytest.mark.parametrize("value", ["a/b::c d[é]\\n"])
def test_call(value):
    print("said before")
    assert not fails_once("call"), "by chance"

@pytest.fixture
def weak_setup():
    if fails_once("setup"): raise OSError("no setup")
def test_setup(weak_setup): pass

@pytest.fixture(scope="module")
def weak_teardown():
    yield
    if fails_once("teardown"): raise OSError("no teardown")
def test_teardown(weak_teardown): pass

def test_shares_a_fixture(weak_teardown): pass
"""
DIES = """
import os
from once import fails_once

def test_dies():
    if fails_once("dies"): os._exit(3)
"""
WRONG = """
import os, sys

def test_wrong():
    print("seen by", len([name for name in sys.modules if name.startswith("test_")]))
    assert 1 == 2
"""


@dataclass
class Suite:
    """A folder of tests, run as `make test` runs ours."""

    folder: Path

    def command(self, *arguments: str) -> list[str]:
        return [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "xdist",
            "-p",
            "tests.second_run",
            "--second-run=kept",
            *arguments,
        ]

    def environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

    def run(self, *arguments: str) -> tuple[int, str]:
        """The exit code and the output."""
        run = subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=4 * PATIENCE_S,
        )
        return run.returncode, run.stdout + run.stderr

    def kept(self) -> list[str]:
        return sorted(file.name for file in (self.folder / "kept").glob("*"))

    def kept_text(self, name: str, which: str) -> str:
        (file,) = (self.folder / "kept").glob(f"*{name}*.{which}.txt")
        return file.read_text()


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\naddopts = -p no:cacheprovider\n")
    (tmp_path / "once.py").write_text(ONCE)
    return Suite(tmp_path)


def _counts(output: str) -> Sequence[str]:
    """What a reader of the output finds who looks for counts: the closing line of pytest and the last line."""
    closing = re.findall(r"^=+ (.*) in [\d.]+s.* =+$", output, re.MULTILINE)
    return closing[-1], output.strip().splitlines()[-1]


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_tests_that_pass_when_they_run_alone_leave_the_run_green_and_are_named_at_its_end(
    suite: Suite, workers: str
) -> None:
    (suite.folder / "test_unstable.py").write_text(UNSTABLE)
    crashes = workers != "-n0"
    if crashes:
        (suite.folder / "test_dies.py").write_text(DIES)
    code, output = suite.run(workers)
    unstable = 4 if crashes else 3
    assert code == 0, output
    assert _counts(output) == (f"{5 + crashes} passed, {unstable} unstable", f"{5 + crashes} passed, 0 failed")
    section = re.split(r"^=+ unstable =+$", output, flags=re.MULTILINE)[1]
    assert section.count("test_") >= unstable and "no setup" in section and "no teardown" in section
    assert ("test_dies.py::test_dies\n  worker 'gw" in section) == crashes
    assert re.search(r"^  kept/test_unstable\.py-test_call.*\.first\.txt$", section, re.MULTILINE)
    assert "by chance" in suite.kept_text("test_call", "first") and "said before" in suite.kept_text(
        "test_call", "first"
    )
    assert "1 passed" in suite.kept_text("test_call", "second")
    assert len(suite.kept()) == 2 * unstable
    assert "FAILED" not in output


def test_a_test_that_fails_again_alone_fails_the_run_and_both_outputs_are_kept(suite: Suite) -> None:
    (suite.folder / "test_unstable.py").write_text(UNSTABLE)
    (suite.folder / "test_wrong.py").write_text(WRONG)
    code, output = suite.run("-n2")
    assert code == 1
    assert _counts(output) == ("1 failed, 5 passed, 3 unstable", "5 passed, 1 failed")
    again, unstable = re.split(r"^=+ failed again =+$", output, flags=re.MULTILINE)[1].split(" unstable =")
    assert "test_wrong.py::test_wrong" in again and "test_unstable.py" not in again
    assert "test_unstable.py::test_call" in unstable
    assert "assert 1 == 2" in suite.kept_text("test_wrong", "first")
    assert "seen by 1" in suite.kept_text("test_wrong", "second"), "no other test is in the process"
    assert "FAILED test_wrong.py::test_wrong" in output and "FAILED test_unstable" not in output


@pytest.mark.parametrize(
    ("always", "code", "counts"), [(False, 0, "40 passed, 0 failed"), (True, 1, "0 passed, 40 failed")]
)
def test_the_tests_of_one_shared_fixture_run_again_together(suite: Suite, always: bool, code: int, counts: str) -> None:
    (suite.folder / "test_shared.py").write_text(
        "import pytest\nfrom once import fails_once\n@pytest.fixture(scope='module')\ndef shared():\n"
        f"    assert not fails_once('shared') and not {always}, 'no server'\n"
        "@pytest.mark.parametrize('n', range(40))\ndef test_shares(shared, n): pass\n"
    )
    ended, output = suite.run()
    assert (ended, _counts(output)[1]) == (code, counts), output
    assert output.count("test_shares[39]") >= 1 and "and 39 more by the same fixture" in output
    assert len(suite.kept()) == 2 and "no server" in suite.kept_text("test_shares", "first")


def test_a_test_that_is_skipped_when_it_runs_alone_has_not_passed(suite: Suite) -> None:
    (suite.folder / "test_away.py").write_text(
        "import pytest\nfrom once import fails_once\ndef test_away():\n    assert not fails_once('away')\n    pytest.skip('the site is away')\n"
    )
    code, output = suite.run()
    assert (code, *_counts(output)) == (1, "1 failed", "0 passed, 1 failed")


def test_a_run_without_failures_says_its_counts_and_leaves_nothing_of_the_run_before(suite: Suite) -> None:
    (suite.folder / "kept").mkdir()
    (suite.folder / "kept" / "old.first.txt").touch()
    (suite.folder / "test_good.py").write_text(
        "import pytest\ndef test_good(): pass\n@pytest.mark.skip\ndef test_not(): pass\n"
    )
    code, output = suite.run()
    assert (code, *_counts(output)) == (0, "1 passed, 1 skipped", "1 passed, 0 failed, 1 skipped")
    assert suite.kept() == [] and "unstable" not in output


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--continue-on-collection-errors"], "files that could not be collected: 1"),
        (["--ignore=test_broken.py", "-x"], "the run did not come to its end"),
        (
            ["--ignore=test_broken.py", "test_many.py"],
            f"there are {MAX_SECOND_RUNS + 1} failures, more than {MAX_SECOND_RUNS}",
        ),
    ],
)
def test_no_test_runs_again_when_more_went_wrong_than_some_tests(
    suite: Suite, arguments: list[str], reason: str
) -> None:
    (suite.folder / "test_unstable.py").write_text(UNSTABLE)
    (suite.folder / "test_broken.py").write_text("import of_nothing\n")
    (suite.folder / "test_many.py").write_text(
        f"import pytest\n@pytest.mark.parametrize('n', range({MAX_SECOND_RUNS + 1}))\ndef test_wrong(n): assert not n + 1\n"
    )
    code, output = suite.run(*arguments)
    assert code == 1 and f"No test ran again: {reason}" in output
    assert suite.kept() == [] and "unstable =" not in output
    assert re.search(r"\d+ passed, [1-9]\d* failed$", output.strip())


@pytest.mark.parametrize(("text", "code"), [("import of_nothing\n", 2), ("", 5)])
def test_a_run_without_tests_or_with_a_file_that_is_not_collected_fails_without_second_runs(
    suite: Suite, text: str, code: int
) -> None:
    (suite.folder / "test_file.py").write_text(text)
    ended, output = suite.run()
    assert ended == code and "run again" not in output
    assert suite.kept() == []


def test_workers_that_die_too_often_leave_the_run_red(suite: Suite) -> None:
    (suite.folder / "test_dying.py").write_text(
        "import os\nimport pytest\n@pytest.mark.parametrize('n', range(6))\ndef test_dies(n): os._exit(3)\n"
    )
    code, output = suite.run("-n1", "--max-worker-restart=2")
    assert code != 0 and "No test ran again: the run did not come to its end" in output
    assert suite.kept() == []


def test_the_times_of_a_run_stand_at_its_end_with_its_slowest_tests(suite: Suite) -> None:
    (suite.folder / "test_slow.py").write_text(
        "import time\nimport pytest\n@pytest.fixture\ndef slow(): time.sleep(0.3)\ndef test_slow(slow): time.sleep(0.3)\ndef test_good(): pass\n"
    )
    code, output = suite.run("-p", "tests.slowest", "-n1")
    times = re.search(
        r"=+ times =+\n2 tests took [1-9]\d* s together \(setup \d+ s, call \d+ s, teardown \d+ s\); \d+ s of processor\. The slowest:\n(.*)\n(.*)\n",
        output,
    )
    assert code == 0 and times is not None, output
    assert re.fullmatch(r" +(0\.[6-9]|[1-9]\d*\.\d) s  test_slow\.py::test_slow", times[1])
    assert times[2].endswith("test_slow.py::test_good")


def test_ctrl_c_ends_the_run_and_nothing_runs_again(suite: Suite) -> None:
    (suite.folder / "test_slow.py").write_text(
        "import time\nfrom pathlib import Path\ndef test_wrong(): assert False\ndef test_slow():\n    Path('begun').touch()\n    time.sleep(600)\n"
    )
    run = subprocess.Popen(
        suite.command(), cwd=suite.folder, env=suite.environment(), stdout=subprocess.PIPE, text=True
    )
    try:
        deadline = time.monotonic() + PATIENCE_S
        while not (suite.folder / "begun").exists():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        run.send_signal(signal.SIGINT)
        output, _ = run.communicate(timeout=PATIENCE_S)
    finally:
        run.kill()
    assert run.returncode == 2 and "run again" not in output
    assert suite.kept() == []
