"""`python run_uses.py [PACKAGE...]`: runs the uses, in an environment with the packages; a line of JSON for each.

`{"package": ..., "what": ..., "error": ...}`; the error is empty when the use was right.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
import warnings

from fake_http import AUTHORITY

from gnomon.author_code.loading import dialect


def main(packages: list[str]) -> None:
    """Run the uses of these packages; all without names."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    AUTHORITY.trust()
    dialect.enable()
    import business  # noqa: F401 - registers its uses
    import clouds  # noqa: F401
    import databases  # noqa: F401
    import files_and_mail  # noqa: F401
    import google_azure  # noqa: F401
    import hadoop  # noqa: F401
    import messages  # noqa: F401
    import sql_clients  # noqa: F401
    import web_services  # noqa: F401
    from use_case import USES

    for one in USES:
        if packages and one.package not in packages:
            continue
        error = ""
        try:
            one.run()
        except Exception as failure:  # the edge of foreign code: every use has its line
            traceback.print_exc()
            error = f"{type(failure).__name__}: {failure}"
        answers.write(json.dumps({"package": one.package, "what": one.what, "error": error}) + "\n")
        answers.flush()
    os._exit(0)  # threads of servers and clients must not keep the process


if __name__ == "__main__":
    main(sys.argv[1:])
