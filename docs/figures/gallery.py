"""Run each example and keep its picture for the gallery, small enough for a page."""

import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from places import ROOT

MOST_BYTES = 40_000
COLOURS = (128, 64, 48, 32, 24, 16)
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PICTURES = ROOT / "docs" / "gallery"


def main() -> None:
    """Draw all pictures into docs/gallery, or those of the examples that are named."""
    chosen = [path for path in EXAMPLES if path.stem in sys.argv[1:]] or EXAMPLES
    PICTURES.mkdir(exist_ok=True)
    for example in chosen:
        target = PICTURES / f"{example.stem}.png"
        target.write_bytes(smaller(run(example), example.name))
        print(f"{target.relative_to(ROOT)}: {target.stat().st_size / 1000:.0f} kB")
    for other in PICTURES.glob("*.png"):
        if other.stem not in {example.stem for example in EXAMPLES}:
            other.unlink()


def run(example: Path) -> Image.Image:
    """The picture that an example draws in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "MPLBACKEND": "Agg"}
        subprocess.run([sys.executable, example], cwd=folder, check=True, env=environment)
        with Image.open(Path(folder) / f"{example.stem}.png") as picture:
            return picture.convert("RGB")


def smaller(picture: Image.Image, name: str, most_bytes: int = MOST_BYTES) -> bytes:
    """A picture as PNG with the most colours that fit; an error if it fits with none."""
    for colours in COLOURS:
        reduced = picture.quantize(colours, dither=Image.Dither.NONE)
        stored = io.BytesIO()
        reduced.save(stored, "PNG", optimize=True)
        if stored.tell() <= most_bytes:
            return stored.getvalue()
    sys.exit(f"{name}: its picture is above {most_bytes:,} bytes; draw fewer dots, or larger ones")


if __name__ == "__main__":
    main()
