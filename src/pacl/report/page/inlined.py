"""Data, scripts and styles inside a page; no other script or style may run."""

import base64
import hashlib
import json
import re
from collections.abc import Sequence

from pacl.report.page.blocks import PageError

CLOSES = re.compile(r"</(script|style)|<!--|\r|\0", re.IGNORECASE)


def content_policy(scripts: Sequence[str], styles: Sequence[str]) -> str:
    """The content of a page's `Content-Security-Policy`; nothing is loaded from anywhere.

    Parameters
    ----------
    scripts, styles
        The texts between `<script>` and `</script>`, and between `<style>` and `</style>`, each to
        the last character. Data in a `<script type="application/json">` does not run, so it is not
        listed.

    Raises
    ------
    PageError
        If a browser would not read a text as it was written, since its digest would be another.

    Examples
    --------
    >>> content_policy([], [])
    "default-src 'none'; script-src 'none'; style-src 'none'; img-src data:; base-uri 'none'; \
form-action 'none'"
    """
    return (
        f"default-src 'none'; script-src {_digests(scripts, 'script')}; "
        f"style-src {_digests(styles, 'style')}; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


def _digests(texts: Sequence[str], kind: str) -> str:
    return " ".join(f"'sha256-{_digest(text, kind)}'" for text in texts) or "'none'"


def _digest(text: str, kind: str) -> str:
    if found := CLOSES.search(text):
        raise PageError(
            f"{kind} {text[:40]!r}: has {found.group()!r} at character {found.start()}, which ends "
            f"or changes a {kind} inside a page; write it another way"
        )
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def as_data(value: object) -> str:
    r"""JSON that can stand inside a `<script type="application/json">`, whatever is in it.

    Examples
    --------
    >>> print(as_data({"name": "</script>"}))
    {"name":"\u003c/script\u003e"}
    """
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
