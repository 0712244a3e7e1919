"""Packages that only an extra installs, and what to say where one is missing."""

EXTRAS = {
    "filelock": "train",
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
    "urllib3": "download",
}
"""The extra that each package belongs to, by the name it is imported by."""


def why_missing(error: ImportError, command: str) -> str | None:
    """What to install for a command; None where the module is part of no extra, which is a bug."""
    cause: BaseException | None = error
    while isinstance(cause, ImportError) and not isinstance(cause, ModuleNotFoundError):
        cause = cause.__cause__  # the parser says of a command that it cannot be imported
    name = cause.name or "" if isinstance(cause, ModuleNotFoundError) else ""
    extra = EXTRAS.get(name)
    if extra is None:
        return None
    return (
        f"pacl {command} needs {name}, which is not installed; "
        f"install it with: pip install 'pacl[{extra}]'"
    )
