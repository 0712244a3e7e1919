"""The blocks of a page as Markdown."""

import re
from collections.abc import Mapping, Sequence

from pacl.report.page.blocks import (
    Block,
    ClaimBlock,
    Code,
    Details,
    FigureBlock,
    Heading,
    KeyFigure,
    KeyFigures,
    Note,
    PageError,
    TableBlock,
    Text,
    paragraphs,
)
from pacl.report.page.inline import inline_parts
from pacl.report.table import escape_markdown, table_markdown


def inline_markdown(text: str) -> str:
    """Text with markup, on one line."""
    forms = {"words": "{}", "code": "`{}`", "bold": "**{}**", "link": "[{}]({})"}
    return "".join(
        forms[one.kind].format(
            one.text if one.kind == "code" else _words(one.text),
            one.address,
        )
        for one in inline_parts(text)
    )


def block_markdown(block: Block, figure_paths: Mapping[str, str]) -> str:
    """One block; figures are links to the paths given by their names."""
    match block:
        case Heading():
            return f"{'#' * block.level} {escape_markdown(block.text)}\n"
        case Text():
            return _text(block.text)
        case Code():
            longest = max((len(run) for run in re.findall("`+", block.text)), default=0)
            fence = "`" * max(3, longest + 1)
            return f"{fence}sh\n{block.text.strip()}\n{fence}\n"
        case TableBlock():
            return table_markdown(block.table)
        case Note():
            lines = f"**{escape_markdown(block.title)}**\n\n{_text(block.text)}".splitlines()
            return "".join(f"> {line}".rstrip() + "\n" for line in lines)
        case KeyFigures():
            return "".join(map(_key_figure, block.figures))
        case ClaimBlock():
            return _claim(block)
        case FigureBlock():
            return _figure(block, figure_paths)
        case Details():
            inner = blocks_markdown(block.blocks, figure_paths)
            summary = escape_markdown(block.summary)
            return f"<details>\n<summary>{summary}</summary>\n\n{inner}\n</details>\n"


def blocks_markdown(blocks: Sequence[Block], figure_paths: Mapping[str, str]) -> str:
    """Several blocks with empty lines between them."""
    return "\n".join(block_markdown(block, figure_paths) for block in blocks)


def _words(text: str) -> str:
    """Escaped; spaces at the ends are kept, since markup may stand beside them."""
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() and text.strip() else ""
    return before + escape_markdown(text) + after


def _text(text: str) -> str:
    done = []
    for paragraph, items in paragraphs(text):
        lines = [f"- {inline_markdown(item)}" for item in items]
        done.append("\n".join(lines) if items else _no_list(inline_markdown(paragraph)))
    return "\n\n".join(done) + "\n"


def _no_list(line: str) -> str:
    """Escape a paragraph that Markdown would take for a list or a rule."""
    return re.sub(r"^(\d+)([.)])|^([-+=])", r"\1\\\2\3", line)


def _key_figure(one: KeyFigure) -> str:
    note = f" ({inline_markdown(one.note)})" if one.note else ""
    return f"- {escape_markdown(one.label)}: **{escape_markdown(one.value)}**{note}\n"


def _claim(one: ClaimBlock) -> str:
    source = f" ({inline_markdown(one.source)})" if one.source else ""
    lines = (
        f"**{one.verdict.sign} {one.verdict.words}:** {inline_markdown(one.claim)}{source}\n"
        f"\n- Paper: {inline_markdown(one.paper)}\n- Here: {inline_markdown(one.ours)}\n"
    )
    return lines + (f"\n{_text(one.reason)}" if one.reason else "")


def _figure(one: FigureBlock, figure_paths: Mapping[str, str]) -> str:
    if one.name not in figure_paths:
        raise PageError(f"figure {one.name}: no path given; there are {sorted(figure_paths)}")
    link = f"![{escape_markdown(one.alt)}]({figure_paths[one.name].replace(' ', '%20')})\n"
    return link + (f"\n{inline_markdown(one.caption)}\n" if one.caption else "")
