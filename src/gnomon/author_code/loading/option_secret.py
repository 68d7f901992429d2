"""`python -m gnomon.author_code.loading.option_secret KEY`: prints what the secrets backend has under the key, for a variable such as
`GNOMON__DATABASE__SQL_ALCHEMY_CONN_SECRET`.
"""

from __future__ import annotations

import sys

from gnomon.author_code.loading import plugins
from gnomon.authoring.sdk.connections.secrets_lookup import find_config_value
from gnomon.model.errors.product import UserError


def main() -> int:
    """The exit code: 0, or 1 with the reason on stderr."""
    plugins.enable_imports()
    try:
        value = find_config_value(sys.argv[1])
    except UserError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    if value is None:
        sys.stderr.write("it does not know that key\n")
        return 1
    sys.stdout.write(value)
    return 0


if __name__ == "__main__":
    sys.exit(main())
