"""`pacl --version --verbose`: what is installed, for a report of a bug."""

import platform
import re
from collections.abc import Iterator
from hashlib import file_digest
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import pacl

ENDINGS = (".onnx", ".safetensors")
"""Files that hold bundled weights."""
WIDTH = 34
NAME = re.compile(r"[A-Za-z0-9._-]+")
EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")


def version_report() -> str:
    """Versions of pacl, Python and all packages, the bundled weights, and the GPU."""
    system = f"{platform.system()} {platform.release()} {platform.machine()}".strip()
    lines = [
        _line("pacl", pacl.__version__),
        _line("Python", f"{platform.python_version()} ({platform.python_implementation()})"),
        _line("system", system),
    ]
    try:
        lines += _packages(requires("pacl") or [])
    except PackageNotFoundError:
        lines.append("packages: unknown, because pacl runs from a folder and is not installed")
    lines += ["bundled weights (SHA-256):", *_weights(Path(pacl.__file__).parent)]
    return "\n".join([*lines, _line("GPU", _gpu())])


def _line(name: str, value: str, indent: str = "") -> str:
    return f"{indent}{name:<{WIDTH - len(indent)}}{value}"


def _packages(required: list[str]) -> Iterator[str]:
    """Packages that pacl always needs, then those of each extra."""
    parts: dict[str, list[str]] = {}
    for text in required:
        extra = EXTRA.search(text)
        name = NAME.match(text)
        if name is not None and name[0] != "pacl":  # the extra of all extras
            title = f"packages of pacl[{extra[1]}]:" if extra else "packages:"
            parts.setdefault(title, []).append(name[0])
    for title, names in parts.items():
        yield title
        yield from (_line(name, _installed(name), "  ") for name in sorted(names))


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _weights(package: Path) -> Iterator[str]:
    """The digest of each file of bundled weights."""
    for path in sorted(package.rglob("weights/**/*")):
        if path.suffix in ENDINGS:
            try:
                with path.open("rb") as file:
                    digest = file_digest(file, "sha256").hexdigest()[:16]
            except OSError as error:
                digest = f"cannot be read ({error.strerror})"
            inside = path.relative_to(package)
            name = inside.parts[inside.parts.index("weights") + 1 :]
            yield _line("/".join(name), digest, "  ")


def _gpu() -> str:
    """The GPU that torch would use; torch is imported only if it could have one."""
    found = _installed("torch")
    if found == "not installed":
        return "not known: torch is not installed"
    if found.endswith("+cpu"):
        return "none: torch is built for the CPU alone"
    try:
        import torch

        if torch.cuda.is_available():
            return f"{torch.cuda.get_device_name()} (CUDA {torch.version.cuda})"
        return "none that torch can use"
    except Exception as error:  # a broken installation is what a report is for
        return f"not known: torch fails with {type(error).__name__}: {error}".splitlines()[0]
