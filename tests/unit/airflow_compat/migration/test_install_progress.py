"""What the installation of provider packages says while it works."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gnomon.airflow_compat.migration.providers import package_installer
from gnomon.airflow_compat.migration.providers.install_progress import InstallProgress
from gnomon.airflow_compat.migration.providers.package_installer import PackageInstaller, describe_progress
from gnomon.entry.cli.terminal.progress_line import ProgressLine
from gnomon.entry.cli.terminal.screen import Screen
from gnomon.model.errors.product import ResourceUnavailable

pytestmark = pytest.mark.ordinary

PIP = """
import sys
print("Collecting apache-airflow-providers-http==5.2.1")
print("  Downloading https://me:word@host/x/apache_airflow_providers_http-5.2.1-py3-none-any.whl.metadata (5.1 kB)", flush=True)
print("Requirement already satisfied: requests")
print("WARNING: nothing", file=sys.stderr)
print("Installing collected packages: a, b, c")
print("Successfully installed a b c")
"""


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Collecting requests>=2\n", "collecting requests>=2"),
        ("  Downloading requests-2.0.whl (60 kB)\n", "downloading requests-2.0.whl (60 kB)"),
        ("Installing collected packages: idna, requests\n", "installing 2 packages"),
        ("Installing collected packages: idna\n", "installing 1 package"),
        ("Resolved 3 packages in 20ms", "resolved 3 packages in 20ms"),
        ("Requirement already satisfied: x", None),
        ("", None),
        (
            "INFO: pip is looking at multiple versions of litellm to determine which version is compatible with other requirements. This could take a while.\n",
            "looking for a version of litellm that all packages accept",
        ),
        (
            "INFO: pip is still looking at multiple versions of litellm to determine which\n",
            "looking for a version of litellm that all packages accept",
        ),
    ],
)
def test_lines_of_pip_and_uv_become_progress(line: str, told: str | None) -> None:
    assert describe_progress(line) == told


def _install(tmp_path: Path, code: str, progress: InstallProgress) -> None:
    program = tmp_path / "pip.py"
    program.write_text(code)
    with progress:
        progress.begin("installing the providers: http")
        PackageInstaller([sys.executable, str(program)], progress.show).install(["http"], with_requirements=True)


def test_a_pipe_gets_a_line_for_each_step_on_stderr_and_no_password(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _install(tmp_path, PIP, InstallProgress())
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "installing the providers: http",
        "  collecting apache-airflow-providers-http==5.2.1",
        "  downloading apache_airflow_providers_http-5.2.1-py3-none-any.whl (5.1 kB)",
        "  installing 3 packages",
    ]


def test_a_terminal_gets_one_line_that_is_rewritten_and_erased(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _install(tmp_path, PIP, InstallProgress(ProgressLine(Screen(is_terminal=True, width=60, can_redraw=True))))
    shown = capsys.readouterr().err.split("\r\x1b[K")
    assert shown[1:] == [
        "installing the providers: http",
        "installing the providers: collecting apache-airflow-providers-http==5.2.1"[:59],
        "installing the providers: downloading apache_airflow_providers_http-5.2.1-py3-none-any.whl (5.1 kB)"[:59],
        "installing the providers: installing 3 packages",
        "",
    ]


def test_a_failure_is_told_after_the_progress(tmp_path: Path) -> None:
    code = PIP + "sys.stderr.write('ERROR: No matching distribution found for http\\n'); sys.exit(1)"
    with pytest.raises(ResourceUnavailable, match="http is not on the package index"):
        _install(tmp_path, code, InstallProgress())


def test_an_installer_that_does_not_end_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package_installer, "TIMEOUT_S", 0.5)
    with pytest.raises(ResourceUnavailable, match="http could not be installed within 0.5 s"):
        _install(tmp_path, "import time\ntime.sleep(600)", InstallProgress())
