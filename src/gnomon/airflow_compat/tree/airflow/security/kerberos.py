"""`airflow.security.kerberos`."""

import logging as _logging
import shlex as _shlex
import subprocess as _subprocess
import sys as _sys

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.ground.config.host_name import current_host_name as _current_host_name
from gnomon.authoring.sdk.arguments import option_defaults as _option_defaults

__all__ = ["get_kerberos_principal", "renew_from_kt"]
_log = _logging.getLogger("airflow.security.kerberos")


def get_kerberos_principal(principal):
    """The principal, or that of `[kerberos] principal`, with the name of this host for `_HOST`."""
    return (principal or _option_defaults.read_text("kerberos", "principal")).replace("_HOST", _current_host_name())


def renew_from_kt(principal, keytab, exit_on_fail=True):
    """Get a ticket from the keytab by `kinit`, with the options of `[kerberos]`, and return the exit code of kinit.

    Its output goes to the log when it fails; then the process ends with its exit code, unless `exit_on_fail` is false.
    """
    command = [
        _option_defaults.read_text("kerberos", "kinit_path"),
        "-f" if _option_defaults.read_boolean("kerberos", "forwardable") else "-F",
        "-a" if _option_defaults.read_boolean("kerberos", "include_ip") else "-A",
        "-r",
        f"{_option_defaults.read_integer('kerberos', 'reinit_frequency')}m",
        "-k",
        "-t",
        keytab,
        "-c",
        _option_defaults.read_text("kerberos", "ccache"),
        get_kerberos_principal(principal),
    ]
    _log.info("getting a Kerberos ticket: %s", _shlex.join(command))
    done = _subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return 0
    _log.error("%s ended with exit code %d: %s%s", command[0], done.returncode, done.stdout, done.stderr)
    if exit_on_fail:
        _sys.exit(done.returncode)
    return done.returncode


__getattr__ = make_getattr(__name__)
