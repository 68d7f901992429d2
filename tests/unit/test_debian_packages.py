"""Programs that tests need: what `require_program` does with them and without them, in CI and elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import debian_packages
from tests.debian_packages import prefer_program, require_program

PROGRAM = "gnomon-no-such-program"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in which programs are found."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(debian_packages, "FOLDERS", ())
    return tmp_path


def write_program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_a_program_that_is_there_is_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_program(folder / PROGRAM, "true")
    monkeypatch.setenv("CI", "true")
    assert require_program(("other", PROGRAM), "package") == str(folder / PROGRAM)


def test_without_the_program_a_test_is_skipped_with_the_command_that_installs_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="apt-get install package"):
        require_program((PROGRAM,), "package")


def test_in_ci_the_program_is_installed_after_the_lists_of_packages_if_they_are_missing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    lists, program = folder / "lists", folder / PROGRAM
    write_program(
        folder / "apt-get",
        f'case "$1" in update) : > {lists};; install) test -e {lists} || exit 100; printf "#!/bin/sh\\n" > {program}; /bin/chmod 755 {program};; esac',
    )
    assert require_program((PROGRAM,), "package") == str(program)


@pytest.mark.parametrize(("script", "words"), [("echo no rights; exit 100", "no rights"), (None, "FileNotFoundError")])
def test_in_ci_a_program_that_cannot_be_installed_fails_the_test_with_the_reason(
    script: str | None,
    words: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CI", "true")
    if script is not None:
        write_program(folder / "apt-get", script)
    with pytest.raises(pytest.fail.Exception, match=words):
        require_program((PROGRAM,), "package")


def test_a_program_that_is_better_is_used_where_it_is_there_and_is_installed_in_ci_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = folder / PROGRAM
    write_program(
        folder / "apt-get", f'printf "#!/bin/sh\\n" > {program}; /bin/chmod 755 {program}; echo "$@" >> {folder}/asked'
    )
    monkeypatch.delenv("CI", raising=False)
    assert prefer_program(PROGRAM, "package") is None
    monkeypatch.setenv("CI", "true")
    assert [prefer_program(PROGRAM, "package") for _ in range(2)] == [str(program)] * 2
    assert (folder / "asked").read_text() == "install -y -q --no-install-recommends package\n"


def test_a_better_program_that_cannot_be_installed_is_done_without(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    write_program(folder / "apt-get", "exit 100")
    assert prefer_program(PROGRAM, "package") is None
