"""The locks of dependencies: complete, within the ranges of pyproject.toml, with hashes, and used by what builds images and environments."""

from __future__ import annotations

import importlib.util
import json
import re
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = PROJECT["project"]["optional-dependencies"]
BASE = PROJECT["project"]["dependencies"]
LOCKED = {
    "runtime": BASE,
    "container": [*BASE, *EXTRAS["celery"], *EXTRAS["kubernetes"], *EXTRAS["s3"]],
    "dev": [*BASE, *PROJECT["dependency-groups"]["dev"]],
    "docs": PROJECT["dependency-groups"]["docs"],
}
_ENTRY = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;\\]+)((?:.*\\\n)*.*)", re.MULTILINE)


def read_lock(name: str) -> dict[str, list[tuple[str, str]]]:
    """By package: its versions, each with the rest of its entry; there may be one for each version of Python."""
    found: dict[str, list[tuple[str, str]]] = {}
    for package, version, rest in _ENTRY.findall((ROOT / "locks" / f"{name}.txt").read_text()):
        found.setdefault(_name(package), []).append((version, rest))
    return found


def _name(text: str) -> str:
    return re.sub(r"[-_.]+", "-", text).lower()


@pytest.mark.parametrize("lock", LOCKED)
def test_a_lock_has_each_requirement_of_the_project_in_its_range(lock: str) -> None:
    locked = read_lock(lock)
    for requirement in map(Requirement, LOCKED[lock]):
        versions = locked.get(_name(requirement.name))
        assert versions, f"{requirement} is not in locks/{lock}.txt: run `make lock`"
        assert all(requirement.specifier.contains(version) for version, _ in versions), (
            f"locks/{lock}.txt has {versions[0][0]} for {requirement}: run `make lock`"
        )


@pytest.mark.parametrize("lock", LOCKED)
def test_each_entry_of_a_lock_has_hashes_and_none_names_an_index(lock: str) -> None:
    text = (ROOT / "locks" / f"{lock}.txt").read_text()
    assert "://" not in text
    assert re.findall(r"^-.*", text, re.MULTILINE) == []
    for package, versions in read_lock(lock).items():
        for version, rest in versions:
            assert re.search(r"--hash=sha256:[0-9a-f]{64}", rest), (package, version)


def test_the_image_and_the_environments_are_installed_with_hashes() -> None:
    dockerfile, makefile = (ROOT / "deploy/container/Dockerfile").read_text(), (ROOT / "Makefile").read_text()
    assert "--require-hashes -r /tmp/container.txt" in dockerfile
    assert '--no-deps "$1[' in dockerfile
    for name in ("runtime", "dev", "docs"):
        assert f"--require-hashes -r locks/{name}.txt" in makefile


def test_each_image_of_others_can_be_given_by_its_digest() -> None:
    dockerfile = (ROOT / "deploy/container/Dockerfile").read_text()
    assert re.findall(r"^FROM (.*)$", dockerfile, re.MULTILINE) == ["${PYTHON_IMAGE}"]
    for image in re.findall(r"^\s*image: (.*)$", (ROOT / "deploy/compose/compose.yaml").read_text(), re.MULTILINE):
        assert image.startswith("${") or "@sha256:" in image, image
    for path in (ROOT / "deploy/kubernetes").glob("*.yaml"):
        for image in re.findall(r"^\s*image: (.*)$", path.read_text(), re.MULTILINE):
            assert image.startswith("gnomon:") or "@sha256:" in image, (path.name, image)


def test_each_package_of_the_page_has_a_checksum() -> None:
    packages = json.loads((ROOT / "web/package-lock.json").read_text())["packages"]
    assert [
        name
        for name, facts in packages.items()
        if name and not facts.get("link") and not str(facts.get("integrity", "")).startswith("sha512-")
    ] == []


def load_known_vulnerabilities():
    spec = importlib.util.spec_from_file_location("known_vulnerabilities", ROOT / ".ci/known_vulnerabilities.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def index(answers: dict[str, object]) -> Iterator[str]:
    """An index of packages."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = answers.get(self.path)
            body = json.dumps(found).encode()
            self.send_response(404 if found is None else 200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/pypi"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_known_vulnerabilities_are_named_with_the_version_without_them(capsys: pytest.CaptureFixture[str]) -> None:
    faults = load_known_vulnerabilities()
    fault = {"id": "PYSEC-1", "summary": "a fault", "fixed_in": ["1.1"], "withdrawn": None}
    answers = {
        "/pypi/a/1.0/json": {"vulnerabilities": [fault, {**fault, "id": "PYSEC-2", "withdrawn": "2026"}]},
        "/pypi/b/2.0/json": {"vulnerabilities": []},
    }
    with index(answers) as address:
        assert faults.check(address, [("b", "2.0")]) == 0
        assert faults.check(address, [("a", "1.0"), ("b", "2.0"), ("c", "3.0")]) == 1
    shown = capsys.readouterr().out
    assert (
        "a 1.0 has known vulnerabilities:\n  PYSEC-1: a fault (without it: 1.1)\n2 of 3 packages checked, 1 with known vulnerabilities; the index did not say for c"
        in shown
    )
    assert "PYSEC-2" not in shown


@pytest.mark.parametrize("answer", [None, {"vulnerabilities": None}, {}, [], "text"])
def test_an_index_that_offers_no_faults_is_no_failure_and_is_named(
    answer: object, capsys: pytest.CaptureFixture[str]
) -> None:
    with index({"/pypi/a/1.0/json": answer}) as address:
        assert load_known_vulnerabilities().check(address, [("a", "1.0")]) == 0
    assert "were not checked: the index of pip does not offer them" in capsys.readouterr().out
