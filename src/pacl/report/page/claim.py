"""A claim of the paper, what it gives for it, what was found here, and whether it holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from html import escape

from pacl.report.page.inline import inline_html, inline_markdown
from pacl.report.page.words import Text

LONGEST_REASON = 160
"""Characters above which a reason is folded away."""


class Verdict(Enum):
    """Whether a claim holds: a name for style sheets, a sign and words; colour only repeats."""

    HOLDS = ("holds", "✓", "Holds")
    FAILS = ("fails", "✗", "Does not hold")
    OPEN = ("open", "?", "Inconclusive")

    def __init__(self, key: str, sign: str, words: str) -> None:
        self.key, self.sign, self.words = key, sign, words


@dataclass(frozen=True, slots=True)
class ClaimBlock:
    """A card.

    Parameters
    ----------
    claim
        What is claimed, in a sentence.
    paper, ours
        The figures for it: the paper's, and what was measured here.
    verdict, reason
        Whether it holds, and why it is said so.
    source
        Where in the paper it stands, if that is worth saying.
    """

    claim: str
    paper: str
    ours: str
    verdict: Verdict
    reason: str
    source: str = ""

    def to_html(self) -> str:
        """An article."""
        source = f' <span class="source">{escape(self.source)}</span>' if self.source else ""
        verdict = self.verdict
        return "\n".join(
            [
                f'<article class="claim {verdict.key}">',
                f'<p class="verdict"><span class="sign" aria-hidden="true">{verdict.sign}</span> '
                f"{verdict.words}</p>",
                f'<p class="said">{inline_html(self.claim)}{source}</p>',
                "<dl>",
                f"<div><dt>Paper</dt><dd>{inline_html(self.paper)}</dd></div>",
                f"<div><dt>Here</dt><dd>{inline_html(self.ours)}</dd></div>",
                "</dl>",
                self._reason_html(),
                "</article>",
            ]
        )

    def _reason_html(self) -> str:
        """Folded away where it is long: the verdict and the figures come first."""
        if not self.reason:
            return ""
        said = f'<div class="reason">{Text(self.reason).to_html()}</div>'
        if len(self.reason) <= LONGEST_REASON:
            return said
        return f'<details class="why"><summary>Why</summary>{said}</details>'

    def to_markdown(self, figure_paths: Mapping[str, str]) -> str:
        """The verdict first."""
        source = f" ({inline_markdown(self.source)})" if self.source else ""
        said = (
            f"**{self.verdict.sign} {self.verdict.words}:** {inline_markdown(self.claim)}{source}\n"
            f"\n- Paper: {inline_markdown(self.paper)}\n- Here: {inline_markdown(self.ours)}\n"
        )
        return said + (f"\n{Text(self.reason).to_markdown({})}" if self.reason else "")
