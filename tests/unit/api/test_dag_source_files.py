"""The file of a DAG is shown, and no other file of the api-server's machine, whatever its author puts in its place."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from gnomon.api.v2.dag_source_files import SOURCE_BYTES_MAX, read_dag_file
from gnomon.ground.config import Config, load_config

SECRET = b"the key of the encryption"


@pytest.fixture
def cfg(tmp_path: Path) -> Config:
    made = load_config({}, tmp_path / "home")
    Path(made.dags_folder, "team").mkdir(parents=True)
    (tmp_path / "home" / "secret.py").write_bytes(SECRET)
    return made


def swap_folder(dags: Path, secret: Path) -> None:
    (dags / "team").rmdir()
    (dags / "team").symlink_to(secret.parent)


PLACES: dict[str, tuple[str, Callable[[Path, Path], object]]] = {
    "a link to the secret": ("team/flow.py", lambda dags, secret: (dags / "team/flow.py").symlink_to(secret)),
    "a relative link": ("team/flow.py", lambda dags, secret: (dags / "team/flow.py").symlink_to("../../secret.py")),
    "a link to a link": (
        "team/flow.py",
        lambda dags, secret: ((dags / "one").symlink_to(secret), (dags / "team/flow.py").symlink_to("../one")),
    ),
    "a folder that is a link": ("team/secret.py", swap_folder),
    "a pipe": ("team/flow.py", lambda dags, secret: os.mkfifo(dags / "team/flow.py")),
    "a device": ("team/flow.py", lambda dags, secret: (dags / "team/flow.py").symlink_to("/dev/zero")),
    "a folder": ("team/flow.py", lambda dags, secret: (dags / "team/flow.py").mkdir()),
    "a giant": (
        "team/flow.py",
        lambda dags, secret: os.truncate(os.open(dags / "team/flow.py", os.O_CREAT | os.O_RDWR), SOURCE_BYTES_MAX + 1),
    ),
    "a link in place of an archive": ("a.zip/flow.py", lambda dags, secret: (dags / "a.zip").symlink_to(secret)),
    "a way out in the path": ("../secret.py", lambda dags, secret: None),
}


@pytest.mark.parametrize("name", PLACES)
def test_what_an_author_puts_in_place_of_a_dag_file_is_refused_at_once(name: str, cfg: Config, tmp_path: Path) -> None:
    path, put = PLACES[name]
    put(Path(cfg.dags_folder), tmp_path / "home" / "secret.py")

    with pytest.raises(OSError, match="."):
        read_dag_file(cfg, os.path.join(cfg.dags_folder, path))


def test_links_inside_of_the_folder_and_a_folder_that_is_a_link_are_followed(cfg: Config, tmp_path: Path) -> None:
    dags = Path(cfg.dags_folder)
    (dags / "team/flow.py").write_text("inside")
    (dags / "again.py").symlink_to("team/flow.py")
    assert read_dag_file(cfg, str(dags / "again.py")) == b"inside"
    dags.rename(tmp_path / "moved")
    dags.symlink_to(tmp_path / "moved")  # as git-sync makes it
    assert read_dag_file(cfg, str(dags / "team/flow.py")) == b"inside"


def test_members_of_archives_and_files_of_no_bundle_are_shown(cfg: Config, tmp_path: Path) -> None:
    with zipfile.ZipFile(Path(cfg.dags_folder) / "pack.zip", "w") as archive:
        archive.writestr("flow.py", "member")
    (tmp_path / "example.py").write_text("example")
    assert read_dag_file(cfg, os.path.join(cfg.dags_folder, "pack.zip", "flow.py")) == b"member"
    assert read_dag_file(cfg, str(tmp_path / "example.py")) == b"example"
