"""What the pages say of weights and pages is so."""

import hashlib
import re
from pathlib import Path

from pacl.detect import bundled_folder
from support.documented.pages import section

ROOT = Path(__file__).parents[1]


def test_the_digests_of_the_bundled_weights_are_those_on_the_page():
    page = section("docs/reproducibility.md", "bundled")
    stated = dict(re.findall(r"^\| `([^`]+)` \| `([0-9a-f]{64})` \|$", page, re.MULTILINE))
    folder = bundled_folder().parent
    files = [path for path in folder.rglob("*") if path.suffix in (".onnx", ".safetensors", ".bin")]
    assert len(files) > 5
    assert stated == {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def test_every_page_is_in_the_navigation():
    navigation = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
    listed = re.findall(r": (\S+\.md)$", navigation, re.MULTILINE)
    docs = ROOT / "docs"
    inner = ("figures", "results/*/tables")  # linked from other pages
    pages = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")}
    pages -= {
        path.relative_to(docs).as_posix()
        for folder in inner
        for path in docs.glob(f"{folder}/**/*.md")
    }
    pages -= {path.relative_to(docs).as_posix() for path in docs.glob("results/*/report.md")}
    assert sorted(listed) == sorted(set(listed))
    assert pages == set(listed)
