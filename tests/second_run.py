"""A test that failed runs once more, alone, after all others: one that then passes is unstable, and does not fail the run.

A plugin of pytest, for whole runs: `pytest -p tests.second_run --second-run=build/unstable`, as `make test` does. FOLDER holds, for
each test that failed, its first failure and the whole output of its second run. The run ends with the names of the unstable tests and
a line `N passed, N failed, N skipped`.

Alone means a process of its own, without xdist, in which nothing but the test and its fixtures runs. A failure of a fixture and the
death of the process of a test are failures of the test; the tests of a file that the same failure of a shared fixture kept from running
are one failure, and run again together. Nothing runs again when the run did not come to its end (Ctrl-C, --maxfail, an internal error,
too many workers that died), when a file could not be collected, or when there are more than MAX_SECOND_RUNS failures.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

MAX_SECOND_RUNS = 20
"""More failures are no chance."""
SECOND_RUNS_TIME_S = 1800.0
"""For all second runs together: a test that is not through by then has failed again."""


@dataclass(frozen=True)
class SecondRun:
    """A test that failed, or the tests that one shared fixture failed, and how they ended when they ran alone."""

    nodeids: Sequence[str]
    reason: str
    passed: bool
    first_output: Path
    second_output: Path


class SecondRuns:
    """What failed in this run, and the second runs of it."""

    def __init__(self, config: pytest.Config, folder: Path) -> None:
        self._config = config
        self._folder = folder
        self._reported: set[str] = set()
        self._failures: dict[str, list[pytest.TestReport]] = {}
        self._uncollected = 0
        self._runs: list[SecondRun] = []
        self._refusal = ""
        self._exit_status: int = pytest.ExitCode.INTERNAL_ERROR

    def pytest_sessionstart(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._uncollected += report.failed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._reported.add(report.nodeid)
        if report.failed:
            self._failures.setdefault(report.nodeid, []).append(report)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """After the end of the workers and before the summaries."""
        if session.exitstatus == pytest.ExitCode.TESTS_FAILED:
            self._refusal = self._why_not(session)
            if not self._refusal:
                self._run_again(session)
        self._exit_status = session.exitstatus

    def _why_not(self, session: pytest.Session) -> str:
        if session.shouldfail or session.shouldstop:
            return f"the run did not come to its end: {session.shouldfail or session.shouldstop}"
        if self._uncollected:
            return f"files that could not be collected: {self._uncollected}"
        if len(self._reported) < session.testscollected:
            return f"the run did not come to its end: {session.testscollected - len(self._reported)} tests did not run"
        if (count := len(self._group())) > MAX_SECOND_RUNS:
            return f"there are {count} failures, more than {MAX_SECOND_RUNS}"
        return ""

    def _group(self) -> list[list[str]]:
        """The tests by failure: of each test its own, but for one of a shared fixture."""
        groups: dict[object, list[str]] = {}
        for nodeid, reports in self._failures.items():
            crash = getattr(reports[0].longrepr, "reprcrash", None)
            is_of_fixture = reports[0].when == "setup" and crash is not None
            groups.setdefault((nodeid.partition("::")[0], str(crash)) if is_of_fixture else nodeid, []).append(nodeid)
        return list(groups.values())

    def _run_again(self, session: pytest.Session) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        deadline = time.monotonic() + SECOND_RUNS_TIME_S
        self._write_line(f"\n\n{len(self._failures)} failed tests run again, alone")
        try:
            for nodeids in self._group():
                run = self._run_alone(nodeids, deadline)
                self._write_line(f"{_name(nodeids)} {'passed' if run.passed else 'failed again'}")
                self._runs.append(run)
        except KeyboardInterrupt:
            self._refusal = "interrupted"
            session.exitstatus = pytest.ExitCode.INTERRUPTED
        cured = {nodeid for run in self._runs if run.passed for nodeid in run.nodeids}
        self._count_as_passed(cured)
        session.testsfailed = len(self._failures) - len(cured)
        if not session.testsfailed:
            session.exitstatus = pytest.ExitCode.OK

    def _run_alone(self, nodeids: Sequence[str], deadline: float) -> SecondRun:
        reports = [report for nodeid in nodeids for report in self._failures[nodeid]]
        first, second = (self._folder / f"{_file_stem(nodeids[0])}.{which}.txt" for which in ("first", "second"))
        first.write_text("\n\n".join(map(_failure_text, reports)), "utf-8", "backslashreplace")
        results = second.with_suffix(".xml")
        with second.open("wb") as output:
            try:
                code = subprocess.run(
                    self._command(nodeids, results),
                    cwd=self._config.invocation_params.dir,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    timeout=max(1.0, deadline - time.monotonic()),
                    check=False,
                ).returncode
            except subprocess.TimeoutExpired:
                output.write(f"\nkilled: all second runs together have {SECOND_RUNS_TIME_S:.0f} s\n".encode())
                code = -1
        passed = code == 0 and _all_passed(results, len(nodeids))
        results.unlink(missing_ok=True)
        return SecondRun(nodeids, _reason(reports[0]), passed, first, second)

    def _command(self, nodeids: Sequence[str], results: Path) -> list[str]:
        """The options of this run without its choice of tests; the last of two options counts."""
        chosen = set(self._config.option.file_or_dir)
        options = [argument for argument in map(str, self._config.invocation_params.args) if argument not in chosen]
        workers = ["-n0"] if self._config.pluginmanager.hasplugin("xdist") else []
        return [
            sys.executable,
            "-m",
            "pytest",
            *options,
            *workers,
            "-m",
            "",
            "-k",
            "",
            "--maxfail=0",
            "--second-run=",
            f"--junitxml={results}",
            *nodeids,
        ]

    def _count_as_passed(self, cured: set[str]) -> None:
        reporter = self._config.pluginmanager.getplugin("terminalreporter")
        if reporter is None or not cured:
            return
        stats = reporter.stats
        failed = [report for kind in ("failed", "error") for report in stats.get(kind, []) if report.nodeid in cured]
        for kind in ("failed", "error"):
            stats[kind] = [report for report in stats.get(kind, []) if report.nodeid not in cured]
        passed = {report.nodeid for report in stats.get("passed", [])}
        last = list({report.nodeid: report for report in failed}.values())
        stats.setdefault("passed", []).extend(report for report in last if report.nodeid not in passed)
        stats["unstable"] = last

    def pytest_unconfigure(self) -> None:
        """After the closing line of pytest."""
        reporter = self._config.pluginmanager.getplugin("terminalreporter")
        if reporter is None or self._exit_status not in (
            pytest.ExitCode.OK,
            pytest.ExitCode.TESTS_FAILED,
            pytest.ExitCode.INTERRUPTED,
        ):
            return
        if self._refusal:
            reporter.write_line(
                f"No test ran again: {self._refusal}." if not self._runs else f"Second runs: {self._refusal}.", red=True
            )
        self._write_runs("failed again", [run for run in self._runs if not run.passed])
        self._write_runs("unstable", [run for run in self._runs if run.passed])
        if self._exit_status != pytest.ExitCode.INTERRUPTED:
            reporter.write_line(_closing_line(reporter.stats))

    def _write_runs(self, title: str, runs: Iterable[SecondRun]) -> None:
        for number, run in enumerate(runs):
            if not number:
                self._config.pluginmanager.getplugin("terminalreporter").write_sep("=", title)
            first, second = (
                os.path.relpath(file, self._config.invocation_params.dir)
                for file in (run.first_output, run.second_output)
            )
            names = "\n".join(run.nodeids)
            self._write_line(f"{names}\n  {run.reason}\n  {first}\n  {second}")

    def _write_line(self, text: str) -> None:
        reporter = self._config.pluginmanager.getplugin("terminalreporter")
        if reporter is not None:
            reporter.write_line(text.encode(errors="backslashreplace").decode())


def _closing_line(stats: dict[str, list[object]]) -> str:
    """For whoever looks for the counts of a run: a failure of a fixture or of a collection has failed too."""
    skipped = len(stats.get("skipped", []))
    failed = len(stats.get("failed", [])) + len(stats.get("error", []))
    return f"{len(stats.get('passed', []))} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")


def _file_stem(nodeid: str) -> str:
    """Readable, no longer than a file's name may be, and another one for each test."""
    readable = re.sub(r"[^A-Za-z0-9_.]+", "-", nodeid)[:150]
    return f"{readable}-{hashlib.sha256(nodeid.encode(errors='surrogatepass')).hexdigest()[:8]}"


def _failure_text(report: pytest.TestReport) -> str:
    parts = [f"{report.nodeid} ({report.when})", report.longreprtext]
    return "\n\n".join(parts + [f"--- {title} ---\n{text}" for title, text in report.sections])


def _reason(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    lines = crash.message.strip().splitlines() if crash is not None else report.longreprtext.strip().splitlines()[-1:]
    return next(iter(lines), "")[:200]


def _name(nodeids: Sequence[str]) -> str:
    return nodeids[0] if len(nodeids) == 1 else f"{nodeids[0]} and {len(nodeids) - 1} more by the same fixture"


def _all_passed(results: Path, count: int) -> bool:
    """A test that is skipped, or that was not found, has not passed."""
    try:
        suites = list(ElementTree.parse(results).iter("testsuite"))
    except (OSError, ElementTree.ParseError):
        return False
    counts = {
        name: sum(int(suite.get(name, "0")) for suite in suites) for name in ("tests", "failures", "errors", "skipped")
    }
    return counts == {"tests": count, "failures": 0, "errors": 0, "skipped": 0}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--second-run",
        metavar="FOLDER",
        default="",
        help="run failed tests once more, alone, and keep both outputs in FOLDER",
    )


def pytest_configure(config: pytest.Config) -> None:
    folder = config.getoption("second_run")
    if folder and not hasattr(config, "workerinput"):
        config.pluginmanager.register(SecondRuns(config, config.invocation_params.dir / folder), "second-runs")
