"""The small markup of text: **bold**, `code`, [link](address). All else is plain.

```
text      = bold | code | link | words
bold      = ** words **        not across lines or other markup
code      = ` anything `       no markup inside
link      = [words](address)   http, https, mailto, # or a relative path
```
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pacl.report.page.blocks import PageError

MARKUP = re.compile(
    r"`(?P<code>[^`\n]+)`"
    r"|\*\*(?P<bold>[^*\n]+)\*\*"
    r"|\[(?P<words>[^\[\]\n]+)\]\((?P<address>[^()\s]+)\)"
)
SAFE = re.compile(r"(https?://|mailto:|#)|[^:]*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of text of one kind; only a link has an address."""

    kind: Literal["words", "code", "bold", "link"]
    text: str
    address: str = ""


def inline_parts(text: str) -> Iterator[Part]:
    """Split text at its markup."""
    at = 0
    for found in MARKUP.finditer(text):
        if found.start() > at:
            yield Part("words", text[at : found.start()])
        if found["code"]:
            yield Part("code", found["code"])
        elif found["bold"]:
            yield Part("bold", found["bold"])
        else:
            yield Part("link", found["words"], _checked(found["address"]))
        at = found.end()
    if at < len(text):
        yield Part("words", text[at:])


def without_markup(text: str) -> str:
    """Text on one line in which nothing is markup."""
    return " ".join(text.replace("`", "'").replace("*", "·").replace("[", "(").split())


def _checked(address: str) -> str:
    if not SAFE.match(address):
        raise PageError(f"link to {address!r}: expected http, https, mailto, # or a relative path")
    return address
