"""Which files below a folder are DAG files."""

from __future__ import annotations

import os
import zipfile

import pytest

from gnomon.services.dagfiles.discovery import FileDiscovery
from gnomon.services.dagfiles.settings import SourceFolder

pytestmark = pytest.mark.pure

DAG_TEXT = "# airflow dag\n"


def listed(home, *, regexp: bool = False, safe_mode: bool = True):
    return FileDiscovery(regexp_ignore=regexp, safe_mode=safe_mode).list_folder(SourceFolder(str(home.dags)))


def names(home, listing) -> list[str]:
    return sorted(os.path.relpath(path, home.dags) for path in listing.files)


@pytest.fixture
def tree(home):
    for name in ("top.py", "team/a.py", "team/a_test.py", "team/deep/b.py", "other/c.py", "other/team/d.py"):
        home.write(name, DAG_TEXT)
    return home


ALL = ["other/c.py", "other/team/d.py", "team/a.py", "team/a_test.py", "team/deep/b.py", "top.py"]

GLOB = {
    "": ALL,
    "# a comment\n\n": ALL,
    "*_test.py": [name for name in ALL if not name.endswith("_test.py")],
    "team/": ["other/c.py", "top.py"],
    "/team": ["other/c.py", "other/team/d.py", "top.py"],
    "team/*": [*ALL[:2], "top.py"],
    "**/deep/": [name for name in ALL if "deep" not in name],
    "other/**": [name for name in ALL if not name.startswith("other/")],
    "*\n!top.py": ["top.py"],
    "*.py\n!team/a.py": ["team/a.py"],
    "?op.py": ALL[:-1],
    "[!t]op.py": ALL,
    "[t]op.py": ALL[:-1],
}
REGEXP = {
    "": ALL,
    "deep": [name for name in ALL if "deep" not in name],
    "^team/a": [name for name in ALL if not name.startswith("team/a")],
    "^team$": [*ALL[:2], "top.py"],
    "_test  # tests are no DAGs": [name for name in ALL if not name.endswith("_test.py")],
    r".*\.py": [],
}


@pytest.mark.parametrize("patterns", GLOB)
def test_glob_patterns_are_those_of_gitignore(patterns, tree):
    tree.write(".airflowignore", patterns)

    assert names(tree, listed(tree)) == GLOB[patterns]


@pytest.mark.parametrize("patterns", REGEXP)
def test_regexp_patterns_are_searched_in_the_path_below_the_dag_folder(patterns, tree):
    tree.write(".airflowignore", patterns)

    assert names(tree, listed(tree, regexp=True)) == REGEXP[patterns]


def test_an_ignore_file_of_a_folder_holds_below_it_and_speaks_last(tree):
    tree.write(".airflowignore", "a*.py\n")
    tree.write("team/.airflowignore", "!a.py\nb.py\n")

    assert names(tree, listed(tree)) == ["other/c.py", "other/team/d.py", "team/a.py", "top.py"]


def test_a_pattern_that_cannot_be_read_is_named_with_its_line_and_the_others_hold(tree):
    tree.write(".airflowignore", "deep\n(\n")

    listing = listed(tree, regexp=True)

    assert "team/deep/b.py" not in names(tree, listing)
    assert ".airflowignore, line 2: '(' is not a regular expression" in listing.problems[0]


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("from airflow import DAG", True),
        ("import AIRFLOW  # a Dag", True),
        ("from gnomon import dag", True),
        ("from airflow.sdk import asset", True),
        ("from airflow import nothing", False),
        ("dag = 1", False),
    ],
)
def test_safe_mode_takes_files_that_mention_dag_and_airflow_or_gnomon(text, is_found, home):
    home.write("file.py", text)

    assert names(home, listed(home)) == (["file.py"] if is_found else [])
    assert names(home, listed(home, safe_mode=False)) == ["file.py"]


def test_a_link_back_to_a_folder_around_it_ends_the_descent(tree):
    (tree.dags / "team" / "round").symlink_to(tree.dags)

    assert names(tree, listed(tree)) == ALL


def test_a_linked_folder_is_listed(tree, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "linked.py").write_text(DAG_TEXT)
    (tree.dags / "link").symlink_to(outside)

    assert "link/linked.py" in names(tree, listed(tree))


def test_a_link_to_nothing_is_unreadable_and_not_absent(tree, tmp_path):
    (tree.dags / "dangling.py").symlink_to(tmp_path / "nothing.py")

    assert str(tree.dags / "dangling.py") in listed(tree).unreadable


def test_pipes_and_other_files_are_passed_by(tree):
    os.mkfifo(tree.dags / "pipe.py")
    tree.write("notes.txt", DAG_TEXT)

    assert names(tree, listed(tree)) == ALL


def test_an_archive_gives_its_members_at_the_top_level(home):
    with zipfile.ZipFile(home.dags / "pack.zip", "w") as archive:
        archive.writestr("one.py", DAG_TEXT)
        archive.writestr("plain.py", "x = 1\n")
        archive.writestr("package/two.py", DAG_TEXT)
        archive.writestr("__init__.py", DAG_TEXT)

    assert names(home, listed(home)) == ["pack.zip/one.py"]


def test_half_an_archive_is_unreadable_and_named(home):
    (home.dags / "half.zip").write_bytes(b"PK\x03\x04 and then nothing")

    listing = listed(home)

    assert str(home.dags / "half.zip") in listing.unreadable
    assert "half.zip is a damaged archive" in listing.problems[0]


def test_an_unchanged_file_is_not_read_again(home, monkeypatch):
    path = home.write("file.py", DAG_TEXT)
    discovery = FileDiscovery(regexp_ignore=False, safe_mode=True)
    discovery.list_folder(SourceFolder(str(home.dags)))
    reads: list[str] = []
    monkeypatch.setattr(discovery, "_dag_files", lambda read: reads.append(read) or [])

    discovery.list_folder(SourceFolder(str(home.dags)))
    assert reads == []
    home.write("file.py", DAG_TEXT + DAG_TEXT)
    discovery.list_folder(SourceFolder(str(home.dags)))
    assert reads == [path]
