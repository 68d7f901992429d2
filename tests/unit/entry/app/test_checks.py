"""What is said about a home that cannot be used. Rights are tested as another user: root may do anything."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gnomon.entry.app import checks
from gnomon.entry.app.checks import HomeLock, browser_address, is_standalone_running, open_listener, prepare_home
from gnomon.ground.config import Config, load_config
from gnomon.model.errors.product import ConfigurationError
from gnomon.model.sentences import render

NOBODY = 65534


@pytest.fixture
def home() -> Iterator[Path]:
    """A short path, so that the run folder is inside."""
    folder = Path(tempfile.mkdtemp(prefix="gn"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def _cfg(home: Path, **options: str) -> Config:
    return load_config({f"GNOMON__{name.upper()}": value for name, value in options.items()}, home)


def _as_nobody(cfg: Config) -> str:
    """What `prepare_home` says to a user without rights."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            if os.getuid() == 0:
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            prepare_home(cfg)
            said = "nothing"
        except ConfigurationError as mistake:
            said = str(mistake)
        except BaseException as error:
            said = repr(error)
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    os.waitpid(pid, 0)
    return said


@pytest.mark.pure
def test_a_new_home_has_its_folders_afterwards(home: Path) -> None:
    cfg = _cfg(home / "deep" / "home")
    assert prepare_home(cfg) is True
    assert sorted(entry.name for entry in cfg.home.iterdir()) == ["dags", "logs", "plugins"]
    assert prepare_home(cfg) is False


def test_a_read_only_home_is_named_with_its_remedy(home: Path) -> None:
    for name in ("dags", "logs", "plugins"):
        (home / name).mkdir()
    home.chmod(0o555)
    said = _as_nobody(_cfg(home))
    home.chmod(0o755)
    assert (
        said
        == f"cannot write to {home}: permission denied; change its owner or rights, or set GNOMON_HOME to another home"
    )


def test_a_home_below_a_foreign_folder_is_named_with_its_remedy(home: Path) -> None:
    home.chmod(0o555)
    said = _as_nobody(_cfg(home / "mine"))
    home.chmod(0o755)
    assert said.startswith(f"cannot create the folder {home / 'mine'}: permission denied;")


@pytest.mark.pure
def test_a_full_disk_is_named_with_its_remedy(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "FREE_BYTES_MIN", 2**62)
    with pytest.raises(
        ConfigurationError, match=f"the disk of {home} is full: .* free some space, or set GNOMON_HOME to another home"
    ):
        prepare_home(_cfg(home))


@pytest.mark.pure
def test_a_disk_that_fills_while_it_is_tried_is_told_as_full() -> None:
    with open("/dev/full", "wb", buffering=0) as full:
        try:
            full.write(b"x")
        except OSError as error:
            said = render(checks._say_os_error("folder_cannot_be_written", Path("/full"), error))
    assert said == "the disk of /full is full; free some space, or set GNOMON_HOME to another home"


@pytest.mark.pure
def test_a_dags_folder_that_is_not_there_is_named_with_its_source(home: Path) -> None:
    with pytest.raises(
        ConfigurationError,
        match=r"\[core\] dags_folder \(GNOMON__CORE__DAGS_FOLDER\) is /no/such, which is not a folder",
    ):
        prepare_home(_cfg(home, core__dags_folder="/no/such"))


@pytest.mark.pure
def test_a_second_standalone_is_told_about_the_first(home: Path) -> None:
    cfg = _cfg(home)
    first = HomeLock(cfg)
    first.describe(f"http://localhost:8080, started by process {os.getpid()}")
    with pytest.raises(ConfigurationError) as caught:
        HomeLock(cfg)
    assert str(caught.value) == (
        f"another gnomon standalone runs in {home} (http://localhost:8080, started by process {os.getpid()}); "
        "stop it first, or set GNOMON_HOME to another home"
    )
    assert is_standalone_running(cfg)
    first.close()
    HomeLock(cfg).close()


@pytest.mark.pure
def test_no_standalone_runs_in_a_home_that_never_had_one(home: Path) -> None:
    assert not is_standalone_running(_cfg(home))


@pytest.mark.pure
def test_a_port_that_is_taken_is_named_with_its_remedy(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigurationError) as caught:
            open_listener(_cfg(home), port)
    assert str(caught.value) == (
        f"port {port} of 127.0.0.1 is in use by another program; choose another port with --port or GNOMON__API__PORT"
    )


@pytest.mark.pure
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"api__port": "65536"}, "the largest port is 65535"),
        ({"api__host": "no.such.host.invalid", "api__port": "0"}, "write an address of this machine"),
        ({"api__host": "192.0.2.1", "api__port": "0"}, "cannot listen on 192.0.2.1"),
    ],
)
def test_an_address_that_is_none_of_this_machine_is_told(home: Path, options: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        open_listener(_cfg(home, **options))


@pytest.mark.pure
def test_the_address_to_open_is_a_name_that_a_browser_reaches(home: Path) -> None:
    with open_listener(_cfg(home, api__host="0.0.0.0", api__port="0")) as listener:
        assert browser_address(listener) == f"http://localhost:{listener.getsockname()[1]}"


def test_an_answer_is_sent_without_waiting_for_the_acknowledgement_of_its_headers(tmp_path: Path) -> None:
    """Nagle's algorithm would hold the body back until the client acknowledges the headers, 40 ms later."""
    listener = open_listener(_cfg(tmp_path), 0)

    async def find_option() -> int:
        found: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def accept(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            found.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        async with await asyncio.start_server(accept, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname()[:2])
            option = await found
            writer.close()
            return option

    assert asyncio.run(find_option()) != 0
