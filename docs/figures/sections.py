"""Parts of pages that programs write, so that a page is whole wherever it is read.

Such a part stands between the lines `<!-- begin NAME -->` and `<!-- end NAME -->`. Run by itself,
this writes those that repeat a file: the code of the gallery, and the licences.
"""

import re
import sys
import textwrap

from places import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def main() -> None:
    """Repeat files where pages show them."""
    for example in EXAMPLES:
        code = f"```python\n{example.read_text('utf-8').rstrip()}\n```"
        write_section("docs/gallery.md", f"examples/{example.name}", code)
    write_section("docs/licences.md", "NOTICE.md", (ROOT / "NOTICE.md").read_text("utf-8"))


def write_section(page: str, name: str, text: str) -> None:
    """Replace a part of a page; it is indented as its first line is."""
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    part = re.compile(
        rf"^( *){re.escape(begin)}\n.*?^ *{re.escape(end)}$", re.MULTILINE | re.DOTALL
    )

    def written(found: re.Match[str]) -> str:
        return textwrap.indent(f"{begin}\n\n{text.strip()}\n\n{end}", found[1])

    place = ROOT / page
    content, count = part.subn(written, place.read_text("utf-8"))
    if count != 1:
        sys.exit(f"{page}: {count} parts between {begin} and {end}, expected one")
    place.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
