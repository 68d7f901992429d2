"""`python -m gnomon.services.dagfiles.bundle_main`: refreshes one DAG bundle. Classes of authors and programs run here, not in the dag-processor."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys

from gnomon.author_code.loading.bundles.base_bundle import BaseDagBundle
from gnomon.author_code.loading.bundles.bundle_loader import create_bundle
from gnomon.author_code.loading.bundles.version_cleanup import remove_unused_versions
from gnomon.author_code.processes.child_setup import hide_secrets, inherited_socket, set_up_host_process
from gnomon.author_code.processes.message_stream import FrameDecoder, encode_frame, receive_message
from gnomon.author_code.processes.process_title import set_title
from gnomon.authoring.sdk.connections import channel
from gnomon.ground.config import current_config
from gnomon.ground.config.dag_bundles import find_dag_bundle
from gnomon.ground.log.secret_masks import hide
from gnomon.model.errors.error_text import describe_error
from gnomon.services.dagfiles.bundle_protocol import BundleRefreshed, RefreshBundle
from gnomon.services.dagfiles.parse_protocol import ParseChannel


def main() -> int:
    """Refresh the bundle that the first message names, and report; returns the exit code."""
    set_up_host_process([signal.SIGINT])
    set_title("bundle refresh", hide_secrets().home)
    sock = inherited_socket()
    decoder: FrameDecoder[RefreshBundle] = FrameDecoder(RefreshBundle)
    order = receive_message(sock, decoder)
    if order is not None:
        channel.install_channel(ParseChannel(sock))
        _send(sock, refresh_bundle(order.name))
    return 0


def refresh_bundle(name: str) -> BundleRefreshed:
    """Bring the newest version of the bundle here, and remove old copies. Never raises for what the class of the bundle does."""
    bundle: BaseDagBundle | None = None
    error = None
    try:
        bundle = create_bundle(find_dag_bundle(current_config(), name))
        bundle.initialize()
        bundle.refresh()
    except Exception as raised:  # the edge of author code
        error = hide(
            f"{raised}"
            if type(raised).__module__.startswith("gnomon.")
            else f"DAG bundle {name!r} raised {describe_error(raised)}"
        )
    if bundle is None:
        return BundleRefreshed(error=error)
    with contextlib.suppress(OSError):
        remove_unused_versions(bundle.versions_dir)
    try:
        path, version = str(bundle.path), bundle.get_current_version() if bundle.supports_versioning else None
    except Exception as raised:
        return BundleRefreshed(error=error or hide(f"DAG bundle {name!r} raised {describe_error(raised)}"))
    return BundleRefreshed(
        path=path if os.path.isdir(path) else None,
        version=version,
        error=error,
        warning=hide(bundle.warning) if bundle.warning else None,
    )


def _send(sock: socket.socket, message: BundleRefreshed) -> None:
    with contextlib.suppress(OSError):
        sock.sendall(encode_frame(message))


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # a thread that a class left running must not delay the end
