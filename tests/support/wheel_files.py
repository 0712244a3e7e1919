"""Check what is in a wheel: python wheel_files.py pacl-1.0-py3-none-any.whl.

Cards of all bundled weights, the licence and the notice about the data they were learned from; and
all files of the package that are no code. Nothing else at the top. Links of the description lead
somewhere from any page: paths within the repository do not.
"""

import re
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


def faults_of_links(metadata: str) -> list[str]:
    """Links that lead nowhere outside the repository, a line each."""
    version = re.search(r"^Version: (.+)$", metadata, re.MULTILINE)
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)]*)\)", metadata)
    if not links or version is None:
        return ["the description has no links, or the metadata no version"]
    ours = f"https://{{}}.com/pacl-dev/pacl/{{}}v{version[1]}/"
    page, picture = ours.format("github", "blob/"), ours.format("raw.githubusercontent", "")
    return [
        f"a link that leads nowhere: {address}"
        for kind, address in links
        if not address.startswith((picture if kind else page, "#"))
        and ("://" not in address or "/pacl-dev/" in address)
    ]


if __name__ == "__main__":
    with zipfile.ZipFile(sys.argv[1]) as wheel:
        names = wheel.namelist()
        (metadata,) = [one for one in names if one.endswith(".dist-info/METADATA")]
        wrong = faults(set(names)) + faults_of_links(wheel.read(metadata).decode())
    sys.stdout.write("".join(f"{line}\n" for line in wrong))
    sys.exit(1 if wrong else 0)
