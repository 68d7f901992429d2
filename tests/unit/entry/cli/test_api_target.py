"""Choosing a deployment, the login, and the sentence for each way in which an API does not answer."""

from __future__ import annotations

import io
import json
import ssl
import stat
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from tests.certificate import write_certificate
from tests.unit.api.served import Client, served
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import NOW, Deployment, spec_of

from gnomon.api.access.choose_policy import create_context
from gnomon.api.health import HealthSnapshot
from gnomon.entry.cli.deployment.login_file import find_login_file
from gnomon.model.accounts import Grant, GrantKind, Role
from gnomon.queries.accounts import account_changes, passwords
from gnomon.queries.accounts.account_changes import Author

PASSWORD = "correct horse"


@pytest.fixture
def site(deployment: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    """The API of a deployment with accounts: boss is admin, eye is viewer, own is user on the DAG `seen` and sees no other."""
    monkeypatch.setattr(passwords, "MEMORY_KIB", 64)
    monkeypatch.setattr(passwords, "ROUNDS", 1)
    passwords._hasher.cache_clear()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    deployment.add(spec_of("seen"), spec_of("secret"))
    deployment.start()
    author = Author("cli:root", NOW)
    with deployment.db.write() as tx:
        for name, role in (("boss", Role.ADMIN), ("eye", Role.VIEWER), ("own", Role.NONE)):
            account_changes.create_account(tx, author, name, role, PASSWORD)
        account_changes.add_grant(tx, author, "own", Grant(GrantKind.DAG, "seen", Role.USER))
    context = create_context(deployment.home.cfg, deployment.clock, "127.0.0.1", lambda: HealthSnapshot(NOW, ()))
    context.sleep = lambda seconds: deployment.home.sleep(seconds)
    with served(context) as client:
        yield client
    context.close()
    passwords._hasher.cache_clear()


def _log_in(gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch, site: Client, name: str, password: str = PASSWORD) -> str:
    url = f"http://127.0.0.1:{site.port}"
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{password}\n"))
    ended = gnomon("login", url, "--user", name)
    assert ended.code == (0 if password == PASSWORD else 1), ended
    return url if ended.code == 0 else ended.err


def test_a_login_is_stored_privately_used_and_forgotten(
    gnomon: Gnomon, site: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "does not accept this name and password" in _log_in(gnomon, monkeypatch, site, "boss", "wrong horse")
    url = _log_in(gnomon, monkeypatch, site, "boss")
    path = find_login_file()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert gnomon("dags", "pause", "seen", "--api", url).out == "paused seen\n"
    monkeypatch.setenv("GNOMON_API", url)
    assert gnomon("users", "list", "-o", "json").out == gnomon("--api", "", "users", "list", "-o", "json").out != "[]\n"
    path.chmod(0o644)
    assert f"chmod 600 {path}" in gnomon("dags", "list").err
    path.chmod(0o600)
    assert gnomon("logout").out == f"logged out at {url}\n"
    assert gnomon("dags", "list").err == (
        f"gnomon: the API at {url} needs a token; `gnomon login {url}` stores a token; or give one with --token or GNOMON_API_TOKEN\n"
    )
    assert "does not accept the token of --token: the token is not valid" in gnomon("dags", "list", "--token", "x").err
    monkeypatch.setenv("GNOMON_API_TOKEN", "y")
    assert "does not accept the token of the variable GNOMON_API_TOKEN" in gnomon("dags", "list").err


def test_a_login_without_an_address_is_at_the_api_that_the_command_line_names(
    gnomon: Gnomon, site: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"http://127.0.0.1:{site.port}"
    refused = gnomon("login", "--user", "boss")
    assert (refused.code, refused.err) == (
        1,
        "gnomon: name the API to log in at: gnomon login URL, or --api URL, or the variable GNOMON_API\n",
    )
    for line in (("--api", url, "login"), ("login", "--api", url)):
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{PASSWORD}\n"))
        assert gnomon(*line, "--user", "boss").out.startswith(f"logged in at {url} as boss")
    monkeypatch.setenv("GNOMON_API", url)
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PASSWORD}\n"))
    assert gnomon("login", "--user", "eye").out.startswith(f"logged in at {url} as eye")
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PASSWORD}\n"))
    assert (
        "nothing answers at http://127.0.0.1:1" in gnomon("login", "http://127.0.0.1:1", "--user", "eye").err
    )  # the address of the command counts
    assert "once: gnomon login URL, or --api URL" in gnomon("--api", url, "login", url, "--user", "eye").err
    assert "leave --token out" in gnomon("login", "--token", "t", "--user", "eye").err


def test_a_command_has_the_rights_of_its_account(gnomon: Gnomon, site: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_API", _log_in(gnomon, monkeypatch, site, "eye"))
    assert "seen" in gnomon("dags", "list").out
    refused = gnomon("dags", "pause", "seen")
    assert (refused.code, refused.err) == (
        1,
        "gnomon: account 'eye' has the role viewer, and this needs the role user; an admin gives it with `gnomon users set-role` or `gnomon users grant`\n",
    )
    for line in (
        ("users", "list"),
        ("tokens", "list"),
        ("connections", "list"),
        ("variables", "get", "x"),
        ("pools", "set", "p", "1"),
    ):
        assert "and this needs the role" in gnomon(*line).err, line


def test_what_a_user_may_not_see_is_in_no_output(gnomon: Gnomon, site: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert gnomon("dags", "trigger", "secret", "-r", "secret_run").code == 0
    assert gnomon("dags", "trigger", "seen", "-r", "r").code == 0
    monkeypatch.setenv("GNOMON_API", _log_in(gnomon, monkeypatch, site, "own"))
    for line in (
        ("dags", "list"),
        ("runs", "list"),
        ("tasks", "waiting"),
        ("top", "--once"),
        ("assets", "list"),
        ("backfill", "list"),
        ("dags", "errors"),
        ("dags", "show", "seen"),
        ("explain", "seen"),
    ):
        ended = gnomon(*line)
        assert (ended.code, "secret" in ended.out + ended.err) == (0, False), line
    assert [row["run_id"] for row in json.loads(gnomon("runs", "list", "-o", "json").out)] == ["r"]
    assert gnomon("dags", "show", "secret").err == "gnomon: there is no DAG 'secret'\n"
    assert gnomon("dags", "pause", "secret").err == "gnomon: there is no DAG 'secret'\n"
    assert gnomon("runs", "clear", "seen", "r").code == 0


def test_a_schedule_that_is_asked_over_the_api_runs_no_code_and_shows_no_hidden_dag(
    gnomon: Gnomon, site: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GNOMON_API", _log_in(gnomon, monkeypatch, site, "own"))
    for text, part in (
        ("__import__('os').getpid()", "__import__('os').getpid"),
        ("antigravity", "there is no DAG 'antigravity'"),
        ("os.Thing()", "os.Thing"),
        ("os_thing()", "os_thing"),
        ("Daily(str(1))", "str"),
        ("[Daily() for _ in range(9)]", "[Daily() for _ in range(9)]"),
        ("timedelta(days=2**9)", "2**9"),
        ("build(1)", "build"),
        ("(lambda: 1)()", "lambda: 1"),
        ("Daily().serialize()", "Daily().serialize"),
        ("f'{Daily()}'", "f'{Daily()}'"),
        ("Daily(" + "1," * 2000 + ")", "the expression has more than 2000 characters"),
    ):
        ended = gnomon("timetables", "preview", text)
        assert (ended.code, ended.out, ended.err.startswith(f"gnomon: {part}")) == (1, "", True), (text, ended)
    assert (
        "name a DAG that has this schedule, or run the command on the machine of the deployment"
        in gnomon("timetables", "preview", "os.Thing()").err
    )
    assert (
        gnomon("timetables", "preview", "Daily(timedelta(hours=-3))", "--count", "1").code == 1
    )  # evaluated, and refused by the class
    assert gnomon("timetables", "preview", "seen").code == 0
    for line in (("preview", "secret"), ("diff", "seen", "secret"), ("preview", "secrat"), ("preview", "Secret")):
        ended = gnomon("timetables", *line)
        assert (
            ended.out,
            ended.err.startswith(f"gnomon: there is no DAG '{line[-1]}'"),
            "did you mean" in ended.err,
        ) == ("", True, False), ended
    refused = gnomon("alerts", "test", "ops")
    assert "and this needs the role operator" in refused.err


def test_no_secret_goes_over_the_api(gnomon: Gnomon, site: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert gnomon("variables", "set", "api_password", "geheim").code == 0
    assert (
        gnomon(
            "connections",
            "import",
            str(_write(Path(find_login_file()).parent.parent / "c.json", {"db": "http://u:geheim@h"})),
        ).code
        == 0
    )
    monkeypatch.setenv("GNOMON_API", _log_in(gnomon, monkeypatch, site, "boss"))
    for line in (
        ("variables", "get", "api_password"),
        ("variables", "list", "--show-values"),
        ("connections", "get", "db"),
        ("connections", "get", "db", "--show-secrets"),
        ("variables", "export", "-"),
        ("connections", "export", "-"),
    ):
        ended = gnomon(*line)
        assert "geheim" not in ended.out + ended.err, line
    assert "the API gives no secrets" in gnomon("variables", "get", "api_password").err


def _write(path: Path, entries: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(entries))
    return path


@pytest.mark.parametrize(
    "line",
    [
        ("standalone",),
        ("db", "check"),
        ("dags", "test", "x"),
        ("doctor",),
        ("connections", "test", "db"),
        ("variables", "export", "-"),
        ("timetables", "check", "@daily"),
    ],
)
def test_a_command_that_needs_a_home_says_so(
    line: tuple[str, ...], gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = " ".join(line[:1] if len(line) == 1 else line[:2])
    expected = f"gnomon: `gnomon {command}` works on a home of this machine and cannot use the API at http://x"
    assert gnomon("--api", "http://x", *line).err.startswith(expected)
    assert gnomon(*line, "--api", "http://x").err.startswith(expected)
    monkeypatch.setenv("GNOMON_API", "http://x")
    assert "which the variable GNOMON_API names" in gnomon(*line).err


def test_what_is_given_in_vain_is_named(gnomon: Gnomon) -> None:
    assert "--token is for an API" in gnomon("dags", "list", "--token", "x").err
    assert "leave --api and --token out" in gnomon("--api", "http://x", "version").err
    assert (
        "`gnomon dags next-runs --schedule` works on a home"
        in gnomon("--api", "http://x", "dags", "next-runs", "a", "--schedule", "@daily").err
    )
    for address in ("localhost:8080", "ftp://x", "http://", "http://x y", "http://a:b@x", "http://x:99999"):
        assert "address of an API" in gnomon("--api", address, "dags", "list").err, address


class _Foreign(BaseHTTPRequestHandler):
    """A server that is no Gnomon; the first word of the path of its address says what it answers."""

    def do_GET(self) -> None:
        kind = self.path.split("/")[1]
        status = {"redirect": 302, "proxy": 502}.get(kind, 200)
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        if kind == "redirect":
            self.send_header("Location", "http://elsewhere/")
        if kind in ("old", "odd"):
            self.send_header("Gnomon-Version", "9.9")
        self.end_headers()
        self.wfile.write({"odd": b'{"dags": 5}', "old": b"<html>"}.get(kind, b"<html>"))

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""


@pytest.fixture
def foreign() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), _Foreign) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (
            "page",
            "is no API of Gnomon, or of a version before it had the operations of commands: it answers 200 with text/html",
        ),
        ("redirect", "sends requests on to http://elsewhere/; give the address of the API itself"),
        ("proxy", "answers 502: the api-server behind this address"),
        ("odd", "is Gnomon 9.9, this program is Gnomon"),
        ("old", "install the same version on both machines"),
    ],
)
def test_what_is_no_gnomon_or_of_another_version_is_named(kind: str, said: str, foreign: str, gnomon: Gnomon) -> None:
    ended = gnomon("--api", f"{foreign}/{kind}", "dags", "list")
    assert (ended.code, said in ended.err, "Traceback" in ended.err) == (1, True, False), ended


def test_a_server_that_is_away_is_named(gnomon: Gnomon, foreign: str) -> None:
    assert "nothing answers at http://127.0.0.1:9" in gnomon("--api", "http://127.0.0.1:9", "dags", "list").err
    assert "there is no host" in gnomon("--api", "http://no-such-host.invalid", "dags", "list").err
    assert "does not answer in TLS" in gnomon("--api", foreign.replace("http", "https"), "dags", "list").err


def test_arguments_that_no_command_line_gives_are_refused_with_a_sentence(
    site: Client, gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch
) -> None:
    _log_in(gnomon, monkeypatch, site, "boss")
    token = json.loads(find_login_file().read_text())[f"http://127.0.0.1:{site.port}"]["token"]
    headers = {"Authorization": f"Bearer {token}"}
    assert gnomon("dags", "trigger", "seen", "-r", "r").code == 0
    for path, said in (
        ("/dags/seen/operations/runs.list?limit=-1", "the limit is -1"),
        ("/dags/seen/operations/runs.list?since=99999999999999999999", ""),
        ("/dags/seen/operations/runs.list?state=odd", "'odd' is no state of a run"),
        ("/operations/runs.list_all?limit=0", "the limit is 0"),
        ("/dags/seen/operations/dags.next_runs?count=100000", "from 1 to 1000"),
        ("/dags/~/operations/dags.show", "cannot be ~ here"),
        ("/operations/timetables.list_runs?target=@daily&start=0&most=0", "the limit is 0"),
        ("/operations/timetables.list_runs?target=@daily&start=0&most=200001", "the limit is"),
        ("/operations/timetables.list_runs?target=@daily&start=-9999999999999999999&most=1", "out of range"),
        ("/operations/timetables.show?target=%00", "no id has"),
        ("/operations/timetables.list_runs?target=@daily&start=0&most=1&end=999999999999999999", "out of range"),
        ("/operations/timetables.show?target=a%2Fb", "would run as code"),
        ("/operations/timetables.show?target=@daily&timezone=../../etc/passwd", "is not known"),
        ("/operations/timetables.show?target=@daily&timezone=%00", ""),
        (
            "/dags/seen/operations/logs.read?run_id=r&task_id=only&map_index=-1&file=../../../gnomon.toml",
            "there is no log file",
        ),
        ("/dags/seen/operations/logs.read_callback?run_id=r&file=/etc/passwd", "has called no callback"),
    ):
        reply = site.request("GET", f"/api/gnomon/v1{path}", None, headers)
        assert reply.status in (400, 422) and said in str(reply.json()["detail"]), (path, reply)
    for name, body in (
        ("/dags/seen/operations/runs.mark", {"run_id": "r", "state": "odd"}),
        ("/operations/accounts.create", {"name": "x", "role": "king"}),
        ("/dags/seen/operations/runs.trigger", {"logical_at": 1, "slot_at": 1}),
        ("/dags/seen/operations/runs.trigger", {"logical_at": 10**20}),
        ("/operations/accounts.grant", {"name": "eye", "kind": "odd", "pattern": "x", "role": "user"}),
        ("/dags/seen/operations/backfills.create", {"from_at": 10**18, "to_at": 1}),
        ("/operations/backfills.switch", {"backfill_id": 1, "switch": "odd"}),
        ("/operations/connections.add", {"conn_id": "x", "given": {"fields": {"odd": "1", "conn_type": "http"}}}),
    ):
        reply = site.request("POST", f"/api/gnomon/v1{name}", body, headers)
        assert reply.status in (400, 422) and reply.json()["detail"], (name, reply)


def test_a_certificate_is_checked(gnomon: Gnomon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate, key = write_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with HTTPServer(("127.0.0.1", 0), _Foreign) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            url = f"https://127.0.0.1:{server.server_port}/odd"
            refused = gnomon("--api", url, "dags", "list").err
            monkeypatch.setenv("SSL_CERT_FILE", certificate)
            accepted = gnomon("--api", url, "dags", "list").err
        finally:
            server.shutdown()
            thread.join()
    assert refused.startswith(f"gnomon: the certificate of {url} is not accepted: ") and "SSL_CERT_FILE" in refused
    assert "is Gnomon 9.9" in accepted
