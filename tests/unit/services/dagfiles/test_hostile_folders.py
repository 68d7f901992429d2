"""Whatever an author puts into a folder of DAG files, the DAGs of all others are found, soon and in bounded memory."""

from __future__ import annotations

import io
import os
import random
import re
import struct
import subprocess
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.unit.services.dagfiles.conftest import Home
from tests.unit.services.dagfiles.test_processor import deployed, empty_database  # noqa: F401 - fixtures

from gnomon.author_code.loading import archives
from gnomon.author_code.loading.regular_files import FileTooLarge
from gnomon.author_code.processes.cpu_deadline import limit_cpu
from gnomon.services.dagfiles import airflowignore
from gnomon.services.dagfiles.discovery import FileDiscovery
from gnomon.services.dagfiles.settings import SourceFolder

DAG_TEXT = "# airflow dag\n"
LOCAL, CENTRAL = (b"PK\3\4", 30, 6, 8), (b"PK\1\2", 46, 8, 10)
"""Signatures of the two headers of a member of an archive, and where its name, flags and method begin."""


def pack(*names: str, text: str = DAG_TEXT, method: int = zipfile.ZIP_DEFLATED) -> bytearray:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        for name in names:
            archive.writestr(name, text)
    return bytearray(content.getvalue())


def change_headers(content: bytearray, change: Callable[[bytearray, int, int, int], None]) -> bytearray:
    for signature, name, flags, method in (LOCAL, CENTRAL):
        start = content.find(signature)
        change(content, start + name, start + flags, start + method)
    return content


def encrypt(content: bytearray, name: int, flags: int, method: int) -> None:
    content[flags] |= 1


def break_name(content: bytearray, name: int, flags: int, method: int) -> None:
    content[flags + 1] |= 8  # "the name is UTF-8"
    content[name : name + 2] = b"\xff\xfe"


def set_method(number: int) -> Callable[[bytearray, int, int, int], None]:
    def change(content: bytearray, name: int, flags: int, method: int) -> None:
        content[method : method + 2] = struct.pack("<H", number)

    return change


def write_bomb(path: Path) -> None:
    """A member of 256 MiB in an archive of some hundred kilobytes."""
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("zeros.py", "w", force_zip64=True) as member,
    ):
        for _ in range(16):
            member.write(bytes(1 << 24))


def make_deep(folder: Path, levels: int = 1500) -> None:
    before = os.getcwd()
    os.chdir(folder)
    try:
        for _ in range(levels):
            os.mkdir("d")
            os.chdir("d")
    finally:
        os.chdir(before)


def make_fan(folder: Path) -> None:
    for level in range(12):
        (folder / f"fan{level}").mkdir()
        for number in range(10):
            (folder / f"fan{level}" / f"l{number}").symlink_to(f"../fan{level + 1}")
    (folder / "fan12").mkdir()


ENTRIES: dict[str, Callable[[Path], object]] = {
    "an encrypted archive": lambda folder: (folder / "a.zip").write_bytes(change_headers(pack("member.py"), encrypt)),
    "an unknown compression": lambda folder: (folder / "a.zip").write_bytes(
        change_headers(pack("member.py"), set_method(99))
    ),
    "a wrong compression bz2": lambda folder: (folder / "a.zip").write_bytes(
        change_headers(pack("member.py"), set_method(12))
    ),
    "a wrong compression lzma": lambda folder: (folder / "a.zip").write_bytes(
        change_headers(pack("member.py"), set_method(14))
    ),
    "a member whose name is no text": lambda folder: (folder / "a.zip").write_bytes(
        change_headers(pack("member.py"), break_name)
    ),
    "members that lead out": lambda folder: (folder / "a.zip").write_bytes(
        pack("../out.py", "/abs.py", "..\\back.py", "a\nb.py", "\x1b[31m.py")
    ),
    "a file name that is no text": lambda folder: Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfe.py")).write_text(
        DAG_TEXT
    ),
    "a file name of control characters": lambda folder: (folder / "a\nb\x1b[31m\x7f.py").write_text(DAG_TEXT),
    "an archive whose name is no text": lambda folder: Path(
        os.fsdecode(os.fsencode(folder) + b"/\xff.zip")
    ).write_bytes(pack("member.py")),
    "an ignore file that is a pipe": lambda folder: os.mkfifo(folder / ".airflowignore"),
    "an ignore file that is a folder": lambda folder: (folder / ".airflowignore").mkdir(),
    "an ignore file of 20 GB": lambda folder: os.truncate(
        os.open(folder / ".airflowignore", os.O_CREAT | os.O_RDWR), 20 << 30
    ),
    "an ignore pattern that backtracks": lambda folder: (
        (folder / ".airflowignore").write_text("*a" * 30 + "b\n"),
        (folder / f"{'a' * 99}.py").write_text(DAG_TEXT),
    ),
    "a Python file of 20 GB": lambda folder: os.truncate(
        os.open(folder / "large.py", os.O_CREAT | os.O_RDWR), 20 << 30
    ),
    "folders 1,500 deep": make_deep,
    "links that branch": make_fan,
    "a link to itself": lambda folder: (folder / "loop").symlink_to("loop"),
    "a device": lambda folder: (folder / "zero.py").symlink_to("/dev/zero"),
}


@pytest.fixture
def emptied(home: Home) -> Iterator[Home]:
    """The home, of which nothing is left: pytest cannot remove folders that are as deep as these."""
    yield home
    subprocess.run(["rm", "-rf", str(home.dags)], check=True)


@pytest.mark.parametrize("name", ENTRIES)
def test_a_hostile_entry_of_a_folder_stops_no_other_file(name, emptied: Home, deployed):  # noqa: F811 - a fixture
    home = emptied
    ENTRIES[name](home.dags)
    home.one_dag("zz_good.py", "good")
    one = deployed()

    one.settle()
    one.later(400)

    assert "good" in one.active()
    home.one_dag("zz_later.py", "later")
    one.later(400)
    assert "later" in one.active()


def list_files(home: Home, *, regexp: bool = False) -> tuple[list[str], list[str]]:
    listing = FileDiscovery(regexp_ignore=regexp, safe_mode=True).list_folder(SourceFolder(str(home.dags)))
    return sorted(os.path.relpath(path, home.dags) for path in listing.files), listing.problems


@pytest.mark.parametrize(
    "text", [r"^([a-z]+)+$", r"(a|aa)+$", r"(.*)*,", "(" * 1500, "a{99999999999999}", "[", "(?P<a"]
)
def test_an_ignore_file_of_regular_expressions_takes_a_bounded_time_and_is_named(text, home: Home):
    home.write(".airflowignore", text)
    home.write(f"{'a' * 40}1.py", DAG_TEXT)

    files, problems = list_files(home, regexp=True)

    assert files == [f"{'a' * 40}1.py"]
    assert len(problems) == 1 and ".airflowignore" in problems[0]


def test_a_slow_expression_is_tried_once_not_at_each_listing(home: Home):
    home.write(".airflowignore", r"^([a-z]+)+$")
    for number in range(30):
        home.write(f"{'a' * 40}{number}.py", DAG_TEXT)
    discovery = FileDiscovery(regexp_ignore=True, safe_mode=True)
    problems = [discovery.list_folder(SourceFolder(str(home.dags))).problems for _ in range(3)]

    assert [len(each) for each in problems] == [1, 0, 0]


def test_a_bomb_in_an_archive_is_not_unpacked(home: Home):
    write_bomb(home.dags / "bomb.zip")
    tracemalloc.start()
    try:
        files, _ = list_files(home)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert files == ["bomb.zip/zeros.py"]
    assert peak < 100_000_000
    with pytest.raises(FileTooLarge):
        archives.read_source(str(home.dags / "bomb.zip" / "zeros.py"), 1_000_000)


def test_an_archive_of_countless_members_is_refused_with_the_bound(home: Home):
    (home.dags / "many.zip").write_bytes(
        pack(*(f"m{number}.py" for number in range(archives.MEMBERS_MAX + 1)), method=zipfile.ZIP_STORED)
    )

    files, problems = list_files(home)

    assert files == []
    assert "10,001 DAG files, more than 10,000" in problems[0]


def test_a_long_table_of_contents_is_not_read(home: Home):
    content = pack("member.py")
    end = content.find(b"PK\5\6")
    with (home.dags / "table.zip").open("wb") as file:
        file.write(content[:end])
        file.truncate(end + (1 << 30))
        file.seek(0, os.SEEK_END)
        file.write(content[end : end + 12] + struct.pack("<I", 1 << 30) + content[end + 16 :])

    files, problems = list_files(home)

    assert files == []
    assert "table of contents" in problems[0]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_archive_is_one_that_cannot_be_read_wherever_its_bytes_are_wrong(method: int, tmp_path: Path):
    whole, path, rng = (
        pack("one.py", "two.py", text=DAG_TEXT * 500, method=method),
        tmp_path / "a.zip",
        random.Random(method),
    )
    for _ in range(150):
        content = bytearray(whole)
        for _ in range(rng.choice((1, 2, 8))):
            content[rng.randrange(len(content))] = rng.randrange(256)
        path.write_bytes(content[: rng.randrange(len(content))] if rng.random() < 0.1 else content)
        names = ["one.py"]
        with suppress(archives.ArchiveError), archives.open_archive(str(path)) as archive:
            names = [member.filename for member in archives.list_members(archive)]
        for name in names:
            with suppress(FileNotFoundError, FileTooLarge):
                archives.read_source(f"{path}/{name}", 100_000)


def test_members_of_one_name_are_one_file(home: Home):
    with pytest.warns(UserWarning, match="Duplicate name"):
        (home.dags / "twice.zip").write_bytes(pack("same.py", "same.py"))

    assert list_files(home) == (["twice.zip/same.py"], [])


PIECES = ("a", "b", "*", "?", "/", "**", "**/", "/**", "[ab]", "[!a]", ".", "!")


def match_slowly(pattern: str, path: str) -> bool:
    """gitignore's rules for one pattern without `!`, by trying everything."""
    if "/" not in pattern:
        return any(match_names([pattern], [name]) for name in path.split("/")[-1:])
    return match_names(pattern.lstrip("/").split("/"), path.split("/"))


def match_names(patterns: list[str], names: list[str]) -> bool:
    if not patterns:
        return not names
    if patterns[0] == "**":
        return (
            bool(names)
            if len(patterns) == 1
            else any(match_names(patterns[1:], names[at:]) for at in range(len(names) + 1))
        )
    return bool(names) and match_name(patterns[0], names[0]) and match_names(patterns[1:], names[1:])


def match_name(pattern: str, name: str) -> bool:
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(match_name(pattern[1:], name[at:]) for at in range(len(name) + 1))
    part = re.match(r"\[!?[^\]]+\]|.", pattern)[0]
    one = (
        part[1] == "!" and name[:1] not in part[2:-1]
        if len(part) > 1 and part[1] == "!"
        else name[:1] in part[1:-1]
        if len(part) > 1
        else part in ("?", name[:1])
    )
    return bool(name) and one and match_name(pattern[len(part) :], name[1:])


@pytest.mark.parametrize("seed", range(20))
def test_glob_patterns_match_as_when_everything_is_tried(seed):
    dice = random.Random(seed)
    for _ in range(400):
        pattern = "".join(dice.choice(PIECES) for _ in range(dice.randint(1, 6)))
        if "//" in pattern or pattern[0] == "!" or pattern.endswith("/") or pattern.strip("/") == "":
            continue
        rules, problems = airflowignore.parse_ignore_file(pattern, "", regexp=False)
        assert problems == []
        for _ in range(8):
            path = "/".join(
                "".join(dice.choice("aab.") for _ in range(dice.randint(1, 3))) for _ in range(dice.randint(1, 4))
            )
            assert bool(rules.verdict(path, False)) is match_slowly(pattern, path), (pattern, path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 40 + "b", "a" * 250),
        ("?*" * 100, "/".join(["a" * 250] * 10)),
        ("**/a/" * 12 + "b", "/".join("a" * 100)),
        ("**/" * 40 + "b", "/".join("a" * 200)),
        ("[a*]*" * 100 + "b", "a" * 250),
        ("a/**/*a*a*a*a*b/**/*a*a*a*a*b/**/*a*a*ac", "/".join(["a" * 250] * 14)),
    ],
)
def test_no_glob_pattern_takes_long(pattern, path):
    rules, _ = airflowignore.parse_ignore_file(pattern, "", regexp=False)

    with limit_cpu(20):  # a backtracking engine needs years
        rules.verdict(path, False)
