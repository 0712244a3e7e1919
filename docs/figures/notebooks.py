"""Run the notebooks and write them as pages: prose, code, what it printed, small pictures."""

import base64
import io
import re
import sys
from typing import Any

import nbformat
from gallery import smaller
from nbclient import NotebookClient
from PIL import Image
from places import ROOT

MOST_BYTES = 60_000
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PAGES = ROOT / "docs" / "notebooks"


def main() -> None:
    """Write all pages into docs/notebooks; the notebooks stay without outputs."""
    PAGES.mkdir(exist_ok=True)
    for old in PAGES.glob("*"):
        old.unlink()
    for path in NOTEBOOKS:
        notebook = nbformat.read(path, as_version=4)
        NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
        (PAGES / f"{path.stem}.md").write_text(page(notebook, path.stem), encoding="utf-8")
        print(f"{(PAGES / path.stem).relative_to(ROOT)}.md")


def page(notebook: Any, name: str) -> str:
    """A notebook that was run, as Markdown; its pictures are written beside it."""
    parts: list[str] = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        printed = "".join(one.text for one in cell.outputs if one.get("name") == "stdout")
        warned = [one.text for one in cell.outputs if one.get("name") == "stderr"]
        if warned:
            sys.exit(f"{name}: a cell warns: {warned[0]}")
        if printed:
            parts.append(f"```text\n{printed.rstrip()}\n```")
        for output in cell.outputs:
            if "image/png" in output.get("data", {}):
                number = sum(part.startswith("![") for part in parts) + 1
                picture = f"{name}-{number}.png"
                (PAGES / picture).write_bytes(_small(output.data["image/png"], picture))
                parts.append(f"![{_shown(cell.source)}]({picture})")
    title, *others = parts
    about = f"*This page is the notebook `notebooks/{name}.ipynb`, as it ran.*"
    return "\n\n".join([title, about, *others]) + "\n"


def _small(encoded: str, name: str) -> bytes:
    with Image.open(io.BytesIO(base64.b64decode(encoded))) as picture:
        return smaller(picture.convert("RGB"), name, MOST_BYTES)


def _shown(code: str) -> str:
    """What a picture shows, for those who cannot see it: the comment above the drawing."""
    found = re.findall(r"^# Picture: (.+)$", code, re.MULTILINE)
    if not found:
        sys.exit(f"say what a picture shows, in a line '# Picture: ...':\n{code}")
    return str(found[0])


if __name__ == "__main__":
    main()
