"""`gnomon providers install` with a folder of packages as the index: one that does not build is named, and the others are installed."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from gnomon.entry.cli.main import main

pytestmark = pytest.mark.ordinary
BACKEND = "def prepare_metadata_for_build_wheel(*a, **k): raise OSError('libmissing.h is not there')\nbuild_wheel = get_requires_for_build_wheel = prepare_metadata_for_build_wheel\n"
PROJECT = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n[project]\nname = "unbuildable"\nversion = "1.0"\n'


def _write_wheel(folder: Path, name: str, requires: str = "") -> None:
    file = name.replace("-", "_")
    info = f"{file}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"{file}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{file}.py", "")
        wheel.writestr(
            f"{info}/METADATA",
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
            + (f"Requires-Dist: {requires}\n" if requires else ""),
        )
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", f"{file}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")


def _write_source(folder: Path, name: str) -> None:
    with tarfile.open(folder / f"{name}-1.0.tar.gz", "w:gz") as archive:
        for file, text in (
            ("pyproject.toml", PROJECT),
            ("backend.py", BACKEND),
            ("PKG-INFO", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"),
        ):
            entry = tarfile.TarInfo(f"{name}-1.0/{file}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where pip installs to; the index has three providers, of which one needs a package that does not build."""
    index = tmp_path / "index"
    index.mkdir()
    _write_wheel(index, "apache-airflow-providers-first-of-tests")
    _write_wheel(index, "apache-airflow-providers-second-of-tests", "unbuildable")
    _write_wheel(index, "apache-airflow-providers-third-of-tests", "good-of-tests")
    _write_wheel(index, "good-of-tests")
    _write_source(index, "unbuildable")
    for name, value in (
        ("NO_INDEX", "1"),
        ("FIND_LINKS", str(index)),
        ("TARGET", str(tmp_path / "target")),
        ("CONFIG_FILE", "/dev/null"),
        ("CONSTRAINT", ""),
    ):
        monkeypatch.setenv(f"PIP_{name}", value)
    return tmp_path / "target"


def _installed(target: Path) -> set[str]:
    return {path.name.partition("-1.0")[0] for path in target.glob("*.dist-info")}


def test_one_package_that_does_not_build_does_not_keep_the_others_from_being_installed(
    target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["providers", "install", "first-of-tests", "second-of-tests", "third-of-tests"]) != 0
    assert _installed(target) == {
        "apache_airflow_providers_first_of_tests",
        "apache_airflow_providers_third_of_tests",
        "good_of_tests",
    }
    said = capsys.readouterr().err
    assert "not installed: second-of-tests; installed: first-of-tests, third-of-tests." in said
    assert "libmissing.h is not there" in said


def test_a_single_package_that_does_not_build_is_an_error_with_its_cause(
    target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["providers", "install", "second-of-tests"]) != 0
    assert _installed(target) == set()
    assert "libmissing.h is not there" in capsys.readouterr().err
