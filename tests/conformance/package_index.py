"""The packages that tests need from the package index: downloaded once, and kept in the checkout's cache folder."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

CACHE = Path(__file__).parents[2] / ".cache"
TIMEOUT_S = 300
SOURCE_TIMEOUT_S = 900
"""pip runs the build tools of a source distribution to read what it is."""


PROVIDERS = "apache-airflow-providers-"
BUILT_BY = "flit-core==3.12.0"
"""What builds the source distributions of providers."""


def pip(
    *words: str,
    what: str,
    form: str = "--only-binary",
    timeout_s: float = TIMEOUT_S,
    build_tools: Path | None = None,
) -> None:
    """pip has done it, with these build tools instead of an environment of its own for each package; skips where the index is away. Never skips when CI=true: there, a download that fails is a failure."""
    command = [
        sys.executable,
        "-m",
        "pip",
        words[0],
        *(["--no-compile"] if words[0] == "install" else []),
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        form,
        ":all:",
        *(["--no-build-isolation"] if build_tools else []),
        *words[1:],
    ]
    environ = {**os.environ, "PYTHONPATH": str(build_tools)} if build_tools else None
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False, env=environ)
        failure = ended.stderr.strip() if ended.returncode else ""
    except subprocess.TimeoutExpired:
        failure = f"no answer within {timeout_s} s"
    if failure:
        reason = f"{what} could not be downloaded: {failure[-300:]}"
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(reason)
        pytest.skip(reason)


def installed(name: str, *packages: str) -> Path:
    """A folder with exactly these packages, to be put on PYTHONPATH; another for other versions and another Python."""
    wanted = "\n".join([sys.implementation.cache_tag or "", *packages])
    place = CACHE / "packages" / f"{name}-{hashlib.sha256(wanted.encode()).hexdigest()[:12]}"
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as draft:
            pip("install", "--target", f"{draft}/whole", *packages, what=name)
            try:
                os.rename(f"{draft}/whole", place)
            except OSError:
                assert place.exists(), "another test process was faster"
    return place


def download_source(package: str) -> Path:
    """The source distribution of `name==version`, downloaded once."""
    folder = CACHE / "sources"
    archive = folder / f"{package.replace('-', '_').replace('==', '-')}.tar.gz"
    if not archive.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as draft:
            pip(
                "download",
                "--dest",
                draft,
                package,
                what=package,
                form="--no-binary",
                timeout_s=SOURCE_TIMEOUT_S,
                build_tools=installed("builds-providers", BUILT_BY) if package.startswith(PROVIDERS) else None,
            )
            (downloaded,) = Path(draft).iterdir()
            os.replace(downloaded, archive)
    return archive
