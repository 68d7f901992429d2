"""`python -m gnomon.services.dagfiles.listener_main`: makes the calls of listeners that standard input holds (`listener_process.ListenerCall`)."""

from __future__ import annotations

import logging
import os
import sys

import msgspec

from gnomon.author_code.loading import plugins
from gnomon.author_code.processes import author_forks
from gnomon.author_code.processes.child_setup import check_store_not_imported, hide_secrets
from gnomon.author_code.processes.process_title import set_title
from gnomon.author_code.runner.listener_calls import call_file_listeners
from gnomon.ground import log
from gnomon.services.dagfiles.listener_process import ListenerCall


def main() -> int:
    """Make the calls, in order; failures are logged. Returns the exit code."""
    check_store_not_imported()
    cfg = hide_secrets()
    set_title("listeners", cfg.home)
    log.configure(
        "dag-processor",
        cfg.text("logging", "logging_level").upper(),
        cfg.text("logging", "style").lower(),
        files=log.read_log_files(cfg),
    )
    logging.captureWarnings(True)
    plugins.enable_imports()
    author_forks.claim_process()
    calls = msgspec.json.decode(sys.stdin.buffer.read(), type=list[ListenerCall])
    for call in calls:
        call_file_listeners(call.hook, call.arguments)
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    os._exit(main())  # a thread that a listener left running must not delay the end
