"""Check what is in a wheel: python wheel_files.py pacl-1.0-py3-none-any.whl.

Cards of all bundled weights, the licence and the notice about the data they were learned from; and
all files of the package that are no code. Nothing else at the top.
"""

import sys
import zipfile
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"
CARDS = ("af-beats/card.md", "af-rr200.md", "af-rr200-edge.md")


def faults(names: set[str]) -> list[str]:
    """What is missing or should not be there, a line each."""
    needed = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    needed |= {f"pacl/detect/weights/{card}" for card in CARDS}
    found = [f"missing: {name}" for name in sorted(needed - names)]
    for name in ("LICENSE", "NOTICE.md"):
        if not any(one.endswith(f".dist-info/licenses/{name}") for one in names):
            found.append(f"missing: {name}")
    tops = {name.partition("/")[0] for name in names}
    found += [f"unexpected: {top}" for top in tops if top != "pacl" and "dist-info" not in top]
    return found


if __name__ == "__main__":
    with zipfile.ZipFile(sys.argv[1]) as wheel:
        wrong = faults(set(wheel.namelist()))
    sys.stdout.write("".join(f"{line}\n" for line in wrong))
    sys.exit(1 if wrong else 0)
