"""Packages that only an extra installs, and what to say where one is missing."""

EXTRAS = {
    "onnx": "train",
    "onnxscript": "train",
    "optuna": "train",
    "pooch": "download",
    "pyarrow": "train",
    "safetensors": "train",
    "scipy": "train",
    "sklearn": "train",
    "threadpoolctl": "train",
    "torch": "train",
}
"""The extra that each package belongs to, by the name it is imported by."""


def why_missing(error: ModuleNotFoundError, command: str) -> str | None:
    """What to install for a command; None where the module is part of no extra, which is a bug."""
    extra = EXTRAS.get(error.name or "")
    if extra is None:
        return None
    return (
        f"pacl {command} needs {error.name}, which is not installed; "
        f"install it with: pip install 'pacl[{extra}]'"
    )
