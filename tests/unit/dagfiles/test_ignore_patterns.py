"""Ignore files of authors are read by one process for all DAG files: no pattern holds it up."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

import pytest

from gnomon.dagfiles import ignore_patterns
from gnomon.dagfiles.airflowignore import _compile_glob, parse_ignore_file
from gnomon.dagfiles.discovery import FileDiscovery
from gnomon.dagfiles.ignore_patterns import Regexp
from gnomon.dagfiles.settings import SourceFolder


@pytest.mark.parametrize("is_anchored", [True, False])
def test_following_a_glob_finds_what_its_expression_finds(is_anchored: bool) -> None:
    seed = random.randrange(2**32)
    print("seed", seed)
    chance = random.Random(seed)
    for _ in range(400):
        pattern = "".join(chance.choice(["a", "b", "/", "*", "?", "**/", "[ab]", "[!a]"]) for _ in range(chance.randrange(1, 7)))
        glob = _compile_glob(pattern, is_anchored=is_anchored)
        expression = re.compile(f"^{''.join(part.expression for part in glob._parts)}$")
        for _ in range(20):
            path = "".join(chance.choice("aab/") for _ in range(chance.randrange(0, 8)))
            assert (pattern, path, glob._follow(path)) == (pattern, path, expression.search(path) is not None)


@pytest.mark.parametrize("pattern", ["*a" * 40 + "b", "**/" * 40 + "b", "[ab]*" * 40 + "c", "?*" * 40 + "c", "**/*a*/" * 20 + "c"])
def test_a_glob_with_many_wildcards_reads_each_character_once_for_each_part(pattern: str) -> None:
    rules, problems = parse_ignore_file(pattern, "", regexp=False)
    assert (rules.verdict("a" * 250, False), rules.verdict("a/" * 120 + "a", False), problems) == (None, None, [])


@pytest.mark.parametrize("line", ["(a+)+$", "^(a|a)*$", "(.*a){30}$", r"(\w+\s?)*$"])
def test_a_regular_expression_without_an_end_is_a_problem_of_its_file(tmp_path: Path, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ignore_patterns, "MATCH_S", 0.05)
    (tmp_path / ".airflowignore").write_text(f"{line}\nb\\.py\n")
    for name in ("a" * 60 + "!.py", "b.py", "c.py"):
        (tmp_path / name).write_text("DAG airflow")
    discovery = FileDiscovery(regexp_ignore=True, safe_mode=True)
    for _ in range(2):
        listing = discovery.list_folder(SourceFolder(str(tmp_path)))
        assert "b.py" not in [Path(path).name for path in listing.files]
        assert "c.py" in [Path(path).name for path in listing.files]
        (problem,) = listing.problems
        assert "took longer than 0.05 s" in problem and ".airflowignore" in problem


@pytest.mark.parametrize("pattern", ["tests", "^tests/", ".*_draft.*", r"project_a/.*\.py", r"[\d]+_old", "^.*_draft"])
def test_usual_expressions_need_no_timer(pattern: str) -> None:
    assert Regexp(pattern)._is_quick


def test_an_ignore_file_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".airflowignore")
    (tmp_path / "c.py").write_text("DAG airflow")
    listing = FileDiscovery(regexp_ignore=False, safe_mode=True).list_folder(SourceFolder(str(tmp_path)))
    assert ([Path(path).name for path in listing.files], len(listing.problems)) == (["c.py"], 1)
