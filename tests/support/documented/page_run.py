"""Run a page: its shell lines and its Python blocks, in their order, in a folder of its own."""

import ast
import contextlib
import io
import shlex
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from support.documented.command_line import fault_of, options_of
from support.documented.files import provide
from support.documented.limits import made_smaller, why_not_run
from support.documented.names import names_of, shorten_training
from support.documented.package import file_of, installed
from support.documented.pages import PYTHON, Block, blocks
from support.documented.shell import Command, commands
from support.drawing import skip_drawing
from support.in_process import pacl

OUTPUTS = ("-o", "--output")
FINDS = {"audit": 1}
"""Commands that may end with another status than 0: they found something."""

LONGEST = 600
"""Characters of a message that are shown."""


@dataclass
class PageRun:
    """What came of the lines of a page."""

    page: str
    folder: Path
    faults: list[str] = field(default_factory=list)
    not_run: list[str] = field(default_factory=list)
    """Lines that were parsed alone, with the reason."""
    ran: list[str] = field(default_factory=list)

    def run(self) -> "PageRun":
        """Run all; a fault does not stop it."""
        space: dict[str, Any] = {}
        with (
            contextlib.chdir(self.folder),
            pytest.MonkeyPatch.context() as patched,
            installed(self.page, self.folder),
        ):
            skip_drawing(patched)
            for block in blocks(self.page):
                if block.language in PYTHON:
                    space = space or names_of(self.page)
                    with pytest.MonkeyPatch.context() as shortened:
                        shorten_training(shortened)
                        self._python(block, space)
                    continue
                for command in commands(block):
                    if command.words[0] == "pacl":
                        self._shell(command)
        return self

    def _shell(self, command: Command) -> None:
        words = list(command.words[1:])
        if fault := fault_of(words):
            self.faults.append(f"{command.place}\n    {fault}")
            return
        for name in _inputs(words):
            provide(name, self.folder)
        if reason := why_not_run(command):
            self.not_run.append(f"{command.place}  ({reason})")
            self._settings(command)
            return
        text = None
        if "-" in words:
            provide("rr.txt", self.folder)
            text = Path("rr.txt").read_text()
        done = pacl(*made_smaller(words), text=text)
        self.ran.append(command.place)
        if done.returncode not in (0, FINDS.get(words[0], 0)):
            run = shlex.join(["pacl", *made_smaller(words)])
            self.faults.append(f"{command.place}\n    {run}\n    {done.stderr.strip()[-LONGEST:]}")

    def _settings(self, command: Command) -> None:
        """Check the settings of a line that is not run, where the command can show them."""
        words = list(command.words[1:])
        if words[0] == "weights" or "--tuned" in words:  # it reads what is not there
            return
        if "--print-config" not in options_of(words[0]):
            return
        done = pacl(*words, "--print-config")
        if done.returncode != 0:
            self.faults.append(f"{command.place}\n    {done.stderr.strip()[-LONGEST:]}")

    def _python(self, block: Block, space: dict[str, Any]) -> None:
        try:
            tree = ast.parse(block.text)
        except SyntaxError as error:
            self.faults.append(f"{block.place}\n    {error}")
            return
        if file_of(block):
            return  # imported by whatever uses it
        for name in _texts(tree):
            provide(Path(name).parts[0], self.folder)
        ast.increment_lineno(tree, block.line - 1)
        self.ran.append(block.place)
        try:
            with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
                exec(compile(tree, block.page, "exec"), space)
                for name in _tests(tree):
                    space[name]()
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)
            line = max((one.lineno or 0 for one in where if one.filename == block.page), default=0)
            told = "".join(traceback.format_exception_only(error)).strip()[:LONGEST]
            self.faults.append(f"{block.page}:{line}\n    {told}")


def _inputs(words: list[str]) -> Iterator[str]:
    """The first part of each path that a command may read."""
    if words[0] in ("simulate", "download"):
        return
    for before, word in zip(["", *words], words, strict=False):
        value = word.partition("=")[2] if word.startswith("--") else word
        if value and before not in OUTPUTS and not value.startswith("/"):
            yield Path(value).parts[0]


def _texts(tree: ast.AST) -> Iterator[str]:
    """All texts in a block: some are names of files."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.strip("/"):
            yield node.value


def _tests(tree: ast.Module) -> list[str]:
    """The tests that a block shows."""
    functions = (node.name for node in tree.body if isinstance(node, ast.FunctionDef))
    return [name for name in functions if name.startswith("test_")]
