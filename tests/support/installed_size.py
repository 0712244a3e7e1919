"""The size of what is installed, by package: run it with the Python of an environment.

Ends with status 1 if an installation without extras has 200 MB or more. Compiled files count too.
"""

import sys
from importlib.metadata import distributions

MOST_MB = 200
OF_PYTHON = {"pip", "setuptools"}


def sizes_mb() -> dict[str, float]:
    """Megabytes of each package, the largest first."""
    found: dict[str, float] = {}
    for one in distributions():
        paths = {str(file.locate()): file.locate() for file in one.files or ()}
        size = sum(path.stat().st_size for path in paths.values() if path.is_file())
        if one.name not in OF_PYTHON:
            found[one.name] = size / 1e6
    return dict(sorted(found.items(), key=lambda item: -item[1]))


if __name__ == "__main__":
    sizes = sizes_mb()
    total = sum(sizes.values())
    if "--list" in sys.argv:
        sys.stdout.write("".join(f"{size:8.1f} MB  {name}\n" for name, size in sizes.items()))
    sys.stdout.write(f"{total:.0f} MB in {len(sizes)} packages\n")
    bare = "torch" not in sizes and "pyarrow" not in sizes
    sys.exit(1 if bare and total >= MOST_MB else 0)
