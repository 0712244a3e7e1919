"""The commands in the shell blocks of a page, as a shell would take them apart."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from support.documented.pages import Block

BETWEEN = {"|", "||", "&", "&&", ";", "(", ")"}
KEYWORDS = {"for", "do", "done", "wait", "if", "then", "fi"}


@dataclass(frozen=True)
class Command:
    """One command, without its comment and without where its output goes."""

    page: str
    line: int
    words: tuple[str, ...]

    @property
    def place(self) -> str:
        """For messages."""
        return f"{self.page}:{self.line}: {self}"

    def __str__(self) -> str:
        return shlex.join(self.words)


def commands(block: Block) -> Iterator[Command]:
    """The commands of a block in their order."""
    pending, first = "", block.line
    for number, line in enumerate(block.text.splitlines(), block.line):
        if block.language == "console" and not pending:
            if not line.startswith("$ "):
                continue  # what a command printed
            line = line.removeprefix("$ ")
        first = first if pending else number
        pending += line
        tokens = None if line.endswith("\\") else _tokens(pending)
        if tokens is None:
            pending = pending.removesuffix("\\") + "\n"
            continue
        yield from (Command(block.page, first, words) for words in _divided(tokens))
        pending = ""
    if pending.strip():
        raise ValueError(f"{block.page}:{first}: a quotation mark is not closed: {pending}")


def _tokens(text: str) -> list[str] | None:
    """Words and what stands between commands; None where a quotation is still open."""
    text = re.sub(r"\$\((\w+)\)", r"\1", text)  # $(hostname)
    lexer = shlex.shlex(text, posix=True, punctuation_chars="|&;()<>")
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError:
        return None


def _divided(tokens: list[str]) -> Iterator[tuple[str, ...]]:
    """The words of each command; those from a redirection on are left out."""
    command: list[str] = []
    for token in [*tokens, ";"]:
        if token not in BETWEEN:
            command.append(token)
            continue
        while command and command[0] in KEYWORDS:
            command = [] if command[0] == "for" else command[1:]
        ends = next((at for at, word in enumerate(command) if set(word) <= set("<>")), None)
        if command[:ends]:
            yield tuple(command[:ends])
        command = []
