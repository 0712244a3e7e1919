"""The tiny markup of running words: **bold**, `code`, [link](address). All else is escaped.

```
text      = bold | code | link | words
bold      = ** words **        not across lines of other markup
code      = ` anything `       nothing in it is markup
link      = [words](address)   http, https, mailto, # or a relative path
```
"""

import re
from html import escape

from pacl.report.page.block import PageError
from pacl.report.table.as_markdown import escape_markdown

MARKUP = re.compile(
    r"`(?P<code>[^`\n]+)`"
    r"|\*\*(?P<bold>[^*\n]+)\*\*"
    r"|\[(?P<words>[^\[\]\n]+)\]\((?P<address>[^()\s]+)\)"
)
SAFE = re.compile(r"(https?://|mailto:|#)|[^:]*$", re.IGNORECASE)


def inline_html(text: str) -> str:
    """Words with markup as HTML."""
    done, at = [], 0
    for found in MARKUP.finditer(text):
        done.append(escape(text[at : found.start()]))
        if found["code"]:
            done.append(f"<code>{escape(found['code'])}</code>")
        elif found["bold"]:
            done.append(f"<strong>{escape(found['bold'])}</strong>")
        else:
            address = escape(_checked(found["address"]), quote=True)
            done.append(f'<a href="{address}">{escape(found["words"])}</a>')
        at = found.end()
    return "".join([*done, escape(text[at:])])


def inline_markdown(text: str) -> str:
    """Words with markup as Markdown, on one line."""
    done, at = [], 0
    for found in MARKUP.finditer(text):
        done.append(_words(text[at : found.start()]))
        if found["code"]:
            done.append(found[0])
        elif found["bold"]:
            done.append(f"**{_words(found['bold'])}**")
        else:
            done.append(f"[{_words(found['words'])}]({_checked(found['address'])})")
        at = found.end()
    return "".join([*done, _words(text[at:])])


def _words(text: str) -> str:
    """Escaped; spaces at the ends are kept, since markup may stand beside them."""
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() and text.strip() else ""
    return before + escape_markdown(text) + after


def _checked(address: str) -> str:
    if not SAFE.match(address):
        raise PageError(f"link to {address!r}: expected http, https, mailto, # or a relative path")
    return address
