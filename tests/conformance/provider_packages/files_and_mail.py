"""Files and mail: FTP, SSH and SFTP, IMAP and SMTP servers of this process, local folders, and a Git repository."""

from __future__ import annotations

import os
import socket
import socketserver
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.header import decode_header, make_header
from pathlib import Path
from typing import Any

from use_case import connect, run_tasks, use


@contextmanager
def ftp_server(folder: str) -> Iterator[int]:
    """The port of an FTP server of that folder; anybody may write as `user` with the password `pass`."""
    from pyftpdlib.authorizers import DummyAuthorizer
    from pyftpdlib.handlers import FTPHandler
    from pyftpdlib.servers import ThreadedFTPServer

    authorizer = DummyAuthorizer()
    authorizer.add_user("user", "pass", folder, perm="elradfmwMT")
    handler = type("Handler", (FTPHandler,), {"authorizer": authorizer})
    server = ThreadedFTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.address[1]
    server.close_all()


@use("ftp", "FTPFileTransmitOperator and FTPSensor, on an FTP server")
def ftp() -> None:
    from airflow.providers.ftp.hooks.ftp import FTPHook
    from airflow.providers.ftp.operators.ftp import FTPFileTransmitOperator
    from airflow.providers.ftp.sensors.ftp import FTPSensor

    with tempfile.TemporaryDirectory() as served, tempfile.TemporaryDirectory() as own, ftp_server(served) as port:
        connect("ftp_use", "ftp", host="127.0.0.1", port=port, login="user", password="pass")
        (Path(own) / "report.txt").write_text("all is well")

        def make() -> None:
            sent = FTPFileTransmitOperator(
                task_id="sent",
                ftp_conn_id="ftp_use",
                local_filepath=f"{own}/report.txt",
                remote_filepath="/{{ ds_nodash }}.txt",
                operation="put",
            )
            sent >> FTPSensor(task_id="arrived", ftp_conn_id="ftp_use", path="/{{ ds_nodash }}.txt", poke_interval=0.1)

        run_tasks(make)
        with FTPHook("ftp_use") as hook:
            (name,) = hook.list_directory("/")
        assert Path(served, name.lstrip("/")).read_text() == "all is well"


@contextmanager
def ssh_server() -> Iterator[int]:
    """The port of an SSH server that runs commands with a shell and serves files; the password is `pass`."""
    import asyncio

    import asyncssh

    started = threading.Event()
    state: dict[str, Any] = {}

    class Server(asyncssh.SSHServer):
        def password_auth_supported(self) -> bool:
            return True

        def validate_password(self, username: str, password: str) -> bool:
            return password == "pass"

    async def handle(process: Any) -> None:
        done = await asyncio.to_thread(
            subprocess.run, process.command, shell=True, capture_output=True, text=True, check=False, timeout=30
        )
        process.stdout.write(done.stdout)
        process.stderr.write(done.stderr)
        process.exit(done.returncode)

    def serve() -> None:
        async def main() -> None:
            server = await asyncssh.create_server(
                Server,
                "127.0.0.1",
                0,
                server_host_keys=[asyncssh.generate_private_key("ssh-ed25519")],
                process_factory=handle,
                sftp_factory=True,
            )
            state.update(loop=asyncio.get_running_loop(), stop=asyncio.Event(), port=server.sockets[0].getsockname()[1])
            started.set()
            await state["stop"].wait()
            server.close()

        asyncio.run(main())

    threading.Thread(target=serve, daemon=True).start()
    assert started.wait(30)
    yield state["port"]
    state["loop"].call_soon_threadsafe(state["stop"].set)


@use("ssh", "SSHOperator, on an SSH server")
def ssh() -> None:
    import base64

    from airflow.providers.ssh.operators.ssh import SSHOperator

    with ssh_server() as port:
        connect(
            "ssh_use",
            "ssh",
            host="127.0.0.1",
            port=port,
            login="user",
            password="pass",
            extra={"no_host_key_check": True},
        )

        def make() -> None:
            SSHOperator(task_id="ran", ssh_conn_id="ssh_use", command="echo run of {{ dag.dag_id }}", cmd_timeout=30)

        assert base64.b64decode(run_tasks(make)["ran"]).decode().strip() == "run of use"


@use("sftp", "SFTPOperator and SFTPSensor, on an SSH server")
def sftp() -> None:
    from airflow.providers.sftp.operators.sftp import SFTPOperator
    from airflow.providers.sftp.sensors.sftp import SFTPSensor

    with tempfile.TemporaryDirectory() as folder, ssh_server() as port:
        connect(
            "sftp_use",
            "sftp",
            host="127.0.0.1",
            port=port,
            login="user",
            password="pass",
            extra={"no_host_key_check": True},
        )
        Path(folder, "a.txt").write_text("content")

        def make() -> None:
            sent = SFTPOperator(
                task_id="sent",
                ssh_conn_id="sftp_use",
                local_filepath=f"{folder}/a.txt",
                remote_filepath=f"{folder}/b.txt",
                operation="put",
            )
            sent >> SFTPSensor(task_id="arrived", sftp_conn_id="sftp_use", path=f"{folder}/b.txt", poke_interval=0.1)

        run_tasks(make)
        assert Path(folder, "b.txt").read_text() == "content"


@use("smtp", "EmailOperator and SmtpNotifier, on an SMTP server")
def smtp() -> None:
    from aiosmtpd.controller import Controller
    from airflow.providers.smtp.notifications.smtp import SmtpNotifier
    from airflow.providers.smtp.operators.smtp import EmailOperator

    arrived: list[tuple[list[str], bytes]] = []

    class Handler:
        async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
            arrived.append((envelope.rcpt_tos, envelope.content))
            return "250 OK"

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    controller = Controller(Handler(), hostname="127.0.0.1", port=port)
    controller.start()
    try:
        connect(
            "smtp_use",
            "smtp",
            host="127.0.0.1",
            port=port,
            extra={"disable_ssl": True, "disable_tls": True, "from_email": "a@example.org"},
        )
        notifier = SmtpNotifier(
            to="c@example.org", subject="{{ ti.task_id }} is done", html_content="done", smtp_conn_id="smtp_use"
        )

        def make() -> None:
            EmailOperator(
                task_id="mailed",
                conn_id="smtp_use",
                to="b@example.org",
                subject="{{ ds }}",
                html_content="<b>{{ dag.dag_id }}</b>",
                on_success_callback=notifier,
            )

        run_tasks(make)
    finally:
        controller.stop()
    (first, body), (second, notice) = arrived
    assert (first, second) == (["b@example.org"], ["c@example.org"])
    assert b"<b>use</b>" in b"".join(
        part.get_payload(decode=True) or b"" for part in message_from_bytes(body).walk() if not part.is_multipart()
    )
    assert str(make_header(decode_header(message_from_bytes(notice)["Subject"]))) == "mailed is done"


@use("imap", "ImapAttachmentSensor and ImapHook, on an IMAP server")
def imap() -> None:
    from airflow.providers.imap.hooks.imap import ImapHook
    from airflow.providers.imap.sensors.imap_attachment import ImapAttachmentSensor

    mail = (
        b"From: a@example.org\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/csv\r\n"
        b'Content-Disposition: attachment; filename="days.csv"\r\n\r\n1;2\r\n--b--\r\n'
    )

    class Session(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"* OK test\r\n")
            for line in self.rfile:
                tag, verb, *_ = line.decode().split()
                verb = verb.upper()
                if verb == "CAPABILITY":
                    self.wfile.write(b"* CAPABILITY IMAP4rev1\r\n")
                elif verb == "SELECT":
                    self.wfile.write(b"* 1 EXISTS\r\n")
                elif verb == "SEARCH":
                    self.wfile.write(b"* SEARCH 1\r\n")
                elif verb == "FETCH":
                    self.wfile.write(b"* 1 FETCH (RFC822 {%d}\r\n%s)\r\n" % (len(mail), mail))
                self.wfile.write(f"{tag} OK done\r\n".encode())
                if verb == "LOGOUT":
                    return

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        connect(
            "imap_use",
            "imap",
            host="127.0.0.1",
            port=server.server_address[1],
            login="user",
            password="pass",
            extra={"use_ssl": False},
        )

        def make() -> None:
            ImapAttachmentSensor(task_id="arrived", conn_id="imap_use", attachment_name="days.csv", poke_interval=0.1)

        run_tasks(make)
        with ImapHook("imap_use") as hook:
            assert [name for name, _ in hook.retrieve_mail_attachments("days.csv")] == ["days.csv"]
        server.shutdown()


@use("common-io", "FileTransferOperator, between local files")
def common_io() -> None:
    from airflow.providers.common.io.operators.file_transfer import FileTransferOperator

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a.txt").write_text("content")

        def make() -> None:
            FileTransferOperator(
                task_id="copied", src=f"file://{folder}/a.txt", dst=f"file://{folder}/{{{{ dag.dag_id }}}}.txt"
            )

        run_tasks(make)
        assert Path(folder, "use.txt").read_text() == "content"


@use("git", "GitHook, and a clone of a local repository with the address that it returns")
def git() -> None:
    from airflow.providers.git.hooks.git import GitHook

    with tempfile.TemporaryDirectory() as folder:
        environ = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
        for words in (
            ["init", "-q", f"{folder}/repository"],
            [
                "-C",
                f"{folder}/repository",
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@example.org",
                "commit",
                "-q",
                "--allow-empty",
                "-m",
                "first",
            ],
        ):
            subprocess.run(["git", *words], check=True, env=environ, timeout=60)
        connect("git_use", "git", host=f"file://{folder}/repository")
        hook = GitHook("git_use")
        with hook.configure_hook_env():
            subprocess.run(
                ["git", "clone", "-q", hook.repo_url, f"{folder}/copy"],
                check=True,
                env={**environ, **hook.env},
                timeout=60,
            )
        assert Path(folder, "copy", ".git").is_dir()
