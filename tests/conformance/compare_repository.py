"""Compares a folder of DAG files between Gnomon and Airflow: which files load, and whether their DAGs are the same.

`python -m tests.conformance.compare_repository FOLDER... [--airflow PYTHON]... [--dialect 2] [--details]`

PYTHON: an interpreter with Airflow (its version decides the dialect of Gnomon, when --dialect is not given). Without one, Gnomon alone.
`repository_probe.py` says what is replaced by mocks and placeholders, in all engines alike. Nothing of the folder is changed.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROBE = Path(__file__).with_name("repository_probe.py")
TIMEOUT_S = 3600
_SKIPPED = {".git", "node_modules", "venv", ".venv", "site-packages", "__pycache__"}
_ROOTS = ("dags", "plugins", "src", "include")
_DAG_WORDS = {"DAG", "dag", "DbtDag", "DagFactory", "load_yaml_dags", "example_dag_factory"}
_IMPORTED = re.compile(r"^\s*(?:import|from)\s+([A-Za-z_]\w*)", re.MULTILINE)
Loaded = dict[str, dict[str, Any]]
"""File to what the probe says about it: `dags`, or `error`."""


@dataclass(slots=True)
class Comparison:
    """What one Airflow and Gnomon make of the same files."""

    folder: str
    version: str
    files: list[str] = field(default_factory=list)
    """The files from which one of the two has DAGs, or that define one by their text."""
    by_airflow: list[str] = field(default_factory=list)
    """The files that Airflow loads, with at least one DAG."""
    by_gnomon: list[str] = field(default_factory=list)
    lost: dict[str, str] = field(default_factory=dict)
    """Files that Airflow loads and Gnomon does not, with the error."""
    neither: dict[str, str] = field(default_factory=dict)
    """Files that Airflow does not load, with its error."""
    different: dict[str, list[str]] = field(default_factory=dict)
    """Files that both load, with what differs."""


def find_files(folder: Path) -> list[str]:
    """The Python files below the folder that may define DAGs: with the words `airflow` and `dag`, as in Airflow's safe mode."""
    return [
        str(path)
        for path in sorted(folder.rglob("*.py"))
        if not _SKIPPED & set(path.parts) and path.is_file() and _looks_like_dags(path)
    ]


def _looks_like_dags(path: Path) -> bool:
    text = path.read_text(encoding="utf-8", errors="replace").lower()
    return "airflow" in text and "dag" in text


def _defines_dag(path: Path) -> bool:
    """Whether the file calls DAG, decorates with @dag, or uses a factory of DAGs."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8", errors="replace"))
    except (SyntaxError, ValueError):
        return False
    called = {node.func for node in ast.walk(tree) if isinstance(node, ast.Call)}
    decorators = {one for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for one in node.decorator_list}
    return any(getattr(node, "id", getattr(node, "attr", "")) in _DAG_WORDS for node in called | decorators)


def find_paths(folder: Path) -> list[str]:
    """The folders from which files of the repository import: its root, and folders named dags, plugins, src and include."""
    below = [
        str(path)
        for path in sorted(folder.rglob("*"))
        if path.is_dir() and path.name in _ROOTS and not _SKIPPED & set(path.parts)
    ]
    return [str(folder), *below]


def find_absent(python: str, folder: Path) -> list[str]:
    """The packages that files of the folder import and that interpreter does not have."""
    names: set[str] = set()
    for path in folder.rglob("*.py"):
        if path.is_file():
            names |= set(_IMPORTED.findall(path.read_text(encoding="utf-8", errors="replace")))
    own = {path.stem for path in folder.rglob("*.py")} | {path.name for path in folder.rglob("*") if path.is_dir()}
    code = "import sys, importlib.util as u; print(*(n for n in sys.argv[1:] if u.find_spec(n) is None))"
    done = subprocess.run(
        [python, "-c", code, *sorted(names - own - {"airflow"})],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout.split()


def load(
    python: str, folder: Path, files: Sequence[str], *, dialect: int | None = None, absent: Sequence[str] = ()
) -> Loaded:
    """Load the files with an interpreter; `dialect`: with Gnomon, in that dialect; `absent`: packages to replace although they are installed."""
    with tempfile.TemporaryDirectory() as home:
        env = {name: text for name, text in os.environ.items() if not name.startswith(("AIRFLOW", "GNOMON", "PYTHON"))}
        env |= {
            "AIRFLOW_HOME": home,
            "GNOMON_HOME": home,
            "TZ": "UTC",
            "PYTHONDONTWRITEBYTECODE": "1",
            "HOME": home,
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__CORE__UNIT_TEST_MODE": "False",
        }
        words = [python, str(PROBE)]
        if dialect is None:
            subprocess.run(
                [python, "-m", "airflow", "db", "migrate"], env=env, capture_output=True, timeout=600, check=True
            )
        else:
            words.append("--gnomon")
            env["GNOMON__CORE__AIRFLOW_DIALECT"] = str(dialect)
        request = json.dumps(
            {"folder": str(folder), "paths": find_paths(folder), "files": list(files), "absent": list(absent)}
        )
        done = subprocess.run(
            words, input=request, env=env, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, cwd=home
        )
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)} failed: {done.stderr[-2000:]}")
    return {answer["file"]: answer for answer in map(json.loads, done.stdout.splitlines())}


def compare(folder: Path, python: str | None, dialect: int | None) -> Comparison:
    """Load all DAG files of the folder with Gnomon, and with the Airflow of `python` if given."""
    files = find_files(folder)
    version = _ask_version(python) if python else "none"
    number = dialect or (int(version.partition(".")[0]) if python else 3)
    with ThreadPoolExecutor() as pool:
        loading = pool.submit(load, python, folder, files) if python else None
        ours = load(sys.executable, folder, files, dialect=number, absent=find_absent(python, folder) if python else ())
        theirs = loading.result() if loading else {}
    files = [
        file for file in files if ours[file].get("dags") or theirs.get(file, {}).get("dags") or _defines_dag(Path(file))
    ]
    result = Comparison(folder.name, version, files, by_gnomon=[file for file in files if ours[file].get("dags")])
    for file in files:
        if not theirs.get(file, {}).get("dags"):
            result.neither[file] = theirs.get(file, {}).get("error", "no DAG")
            continue
        result.by_airflow.append(file)
        if not ours[file].get("dags"):
            result.lost[file] = ours[file].get("error", "no DAG")
        elif differences := list(_iterate_differences(theirs[file]["dags"], ours[file]["dags"])):
            result.different[file] = differences
    if not python:
        result.lost = {file: ours[file].get("error", "no DAG") for file in files if not ours[file].get("dags")}
    return result


def _ask_version(python: str) -> str:
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [python, "-c", "import airflow; print(airflow.__version__)"],
            env={**os.environ, "AIRFLOW_HOME": home},
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
    return done.stdout.split()[-1]


def _iterate_differences(theirs: dict[str, Any], ours: dict[str, Any]) -> Iterator[str]:
    if theirs.keys() != ours.keys():
        yield f"DAGs {sorted(theirs)} and {sorted(ours)}"
    for dag_id in sorted(theirs.keys() & ours.keys()):
        for part in theirs[dag_id]:
            if theirs[dag_id][part] != ours[dag_id][part]:
                yield f"{dag_id}: {part}: {_shorten(theirs[dag_id][part], ours[dag_id][part])}"


def _shorten(theirs: Any, ours: Any) -> str:
    if isinstance(theirs, dict) and isinstance(ours, dict):
        keys = [key for key in theirs.keys() | ours.keys() if theirs.get(key) != ours.get(key)]
        return "; ".join(f"{key}: {theirs.get(key)} and {ours.get(key)}" for key in sorted(keys)[:3])
    return f"{theirs} and {ours}"


def _normalize(error: str) -> str:
    return re.sub(r"/[^\s:]*/", "", error)[:150]


def print_table(results: Sequence[Comparison], *, details: bool) -> None:
    """Print a line for each folder, the reasons with their counts, and with `details` each file."""
    print(f"{'folder':45} {'airflow':8} {'files':>6} {'airflow':>8} {'gnomon':>7} {'of these':>9} {'differ':>7}")
    for one in results:
        both = len(one.by_airflow) - len(one.lost) if one.version != "none" else len(one.by_gnomon)
        print(
            f"{one.folder[:45]:45} {one.version:8} {len(one.files):6} {len(one.by_airflow):8} {len(one.by_gnomon):7} {both:9} {len(one.different):7}"
        )
    reasons = Counter(_normalize(error) for one in results for error in one.lost.values())
    for error, count in reasons.most_common():
        print(f"{count:5}  {error}")
    if details:
        for one in results:
            for file, error in one.lost.items():
                print(f"LOST    {os.path.relpath(file)}: {error[:300]}")
            for file, error in one.neither.items() if one.version != "none" else ():
                print(f"REFUSED {os.path.relpath(file)}: {error[:300]}")
            for file, texts in one.different.items():
                print(f"DIFFERS {os.path.relpath(file)}: {' | '.join(texts)[:600]}")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--airflow", action="append", default=[], metavar="PYTHON")
    parser.add_argument("--dialect", type=int, choices=(2, 3))
    parser.add_argument("--details", action="store_true")
    given = parser.parse_args()
    results = [
        compare(folder.resolve(), python, given.dialect)
        for python in given.airflow or [None]
        for folder in given.folders
    ]
    print_table(results, details=given.details)


if __name__ == "__main__":
    main()
