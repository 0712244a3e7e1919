"""Archives in memory."""

import io
import tarfile
import zipfile


def zipped(tree: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr("iridia/", b"")
        for name, content in tree.items():
            packed.writestr(name, content)
    return out.getvalue()


def tarred(tree: dict[str, bytes], *extra: tarfile.TarInfo) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tape:
        for name, content in tree.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tape.addfile(info, io.BytesIO(content))
        for info in extra:
            tape.addfile(info)
    return out.getvalue()
