"""The help: commands in groups, required options marked, examples that work."""

import re
import shlex
from importlib import import_module

import pytest

from pacl.cli.app import build
from pacl.cli.command_table import COMMANDS, FLAGS, GROUPS, examples_of, module_of
from pacl.cli.flags import Given
from pacl.cli.options import RENAMED, STANDARD_INPUT, as_named_now, with_a_flag_each
from support.in_process import pacl

ALL = {**COMMANDS, **FLAGS}


def function_of(command):
    module = module_of(command)
    return getattr(import_module(f"pacl.cli.{module}"), module)


def words_of(example):
    """The words after `pacl`, without what is before a pipe."""
    words = shlex.split(example)
    return words[words.index("pacl") + 1 :]


EXAMPLES = [(name, line) for name in ALL for line in examples_of(function_of(name))]


def flags_of(command):
    """All flags that the help of a command lists."""
    arguments = build(command)[command].assemble_argument_collection()
    return {name for one in arguments if one.show for name in one.names}


@pytest.mark.parametrize("command", ALL)
def test_every_command_has_one_to_four_examples_that_its_help_shows(command):
    lines = [line for name, line in EXAMPLES if name == command]
    assert 1 <= len(lines) <= 4
    assert any(words_of(line)[0] == command for line in lines)
    said = pacl(command, "--help").stdout.splitlines()
    shown = [line.strip() for line in said[said.index(next(x for x in said if "Examples:" in x)) :]]
    assert [line for line in shown if line][1:] == lines, "each on a line of its own"


@pytest.mark.parametrize(("command", "line"), EXAMPLES, ids=[line for _, line in EXAMPLES])
def test_an_example_is_understood_and_uses_the_names_of_today(command, line):
    words = words_of(line)
    assert as_named_now(words) == words
    asked = with_a_flag_each([STANDARD_INPUT if word == "-" else word for word in words])
    build(words[0]).parse_args(asked, exit_on_error=False, print_error=False)
    given = {word for word in words[1:] if re.match("--?[a-z]", word)}
    assert given <= flags_of(words[0])


def test_an_example_with_an_option_that_is_gone_is_not_understood():
    with pytest.raises(Exception, match="gone"):
        build("detect").parse_args(["detect", "x", "--gone"], exit_on_error=False)
    assert "--gone" not in flags_of("detect")


def test_commands_are_listed_in_groups_in_the_order_of_the_table():
    said = pacl("--help").stdout
    assert said == pacl().stdout, "pacl alone shows the same"
    listed = re.findall(r"^│ ([a-z][a-z-]*) ", said, flags=re.MULTILINE)
    assert listed == list(COMMANDS)
    titles = re.findall("╭─ (.*?) ─", said)
    assert titles == [*GROUPS, "Options"]
    assert "pacl detect nights" in said, "a first command to try"
    assert max(map(len, said.splitlines())) <= 80
    assert len(re.findall("^│ {5}", said, flags=re.MULTILINE)) == 0, "one line for each command"


@pytest.mark.parametrize("command", ["detect", "view", "adapt", "features", "compare"])
def test_paths_without_which_a_command_does_nothing_are_marked(command):
    said = pacl(command, "--help").stdout
    assert re.search(r"^│ \*  (PATHS|RUNS) ", said, flags=re.MULTILINE)
    said = pacl(command, *(["-o", "me.json"] if command == "adapt" else []))
    assert said.returncode == 2
    assert re.search("(PATHS|RUNS) is missing, it is required; see pacl", said.stderr)


@pytest.mark.parametrize("command", ALL)
def test_no_default_is_a_word_of_python(command):
    said = pacl(command, "--help").stdout
    assert not re.search(r"\[default: (None|False|[(\['])", said)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["detct", "x"], '"detect"'),
        (["evalute", "x"], '"evaluate"'),
        (["detect", "x", "--formt", "json"], "--format"),
        (["train", "x", "-o", "y", "--resum"], "--resume"),
    ],
)
def test_a_mistyped_word_is_answered_with_the_right_one(words, meant):
    said = pacl(*words)
    assert said.returncode == 2
    assert f"Did you mean {meant}?" in " ".join(said.stderr.replace("│", " ").split())


def test_a_mistyped_setting_is_answered_with_all_of_its_section():
    said = pacl("train", "x", "-o", "y", "--train.epoch", "3")
    assert said.returncode == 2
    assert "--train.epoch: not known here; there are lr, " in said.stderr
    assert "epochs" in said.stderr


@pytest.mark.parametrize(
    ("earlier", "now"),
    [
        ("audit w --json", "audit w --format=json"),
        ("compare r --format table", "compare r --format text"),
        ("evaluate r --format=table", "evaluate r --format=text"),
        ("prepare x -o w --window-beats 100", "prepare x -o w --window.window-beats 100"),
        ("prepare x -o w --stride=9", "prepare x -o w --window.stride=9"),
        ("reproduce --data x -o s --loss bce", "reproduce x -o s --losses bce"),
        ("reproduce -o s --threads 2", "reproduce -o s --workers 2"),
        ("rivals --data x -o s --only lda", "rivals x -o s --systems lda"),
        ("rivals -o s --threads 2", "rivals -o s --workers 2"),
        ("systems w -o s --threads=2", "systems w -o s --workers=2"),
        ("tune w -o s --seeds 3", "tune w -o s --repeats 3"),
        ("tune w -o s --losses bce", "tune w -o s --loss bce"),
        ("tune w -o s --window-beats 100 --stride 9", None),
        ("weights x -o s --threads 2", "weights x -o s --workers 2"),
        ("simulate x", "simulate -o x"),
        ("simulate x", "simulate --output x"),
        ("download afdb x", "download afdb -o x"),
    ],
)
def test_a_name_of_before_means_what_the_name_of_today_means(earlier, now):
    now = now or "tune w -o s --window.window-beats 100 --window.stride 9"

    def parsed(line):
        words = as_named_now(line.split())
        _, bound, _ = build(words[0]).parse_args(words, exit_on_error=False, print_error=False)
        return {key: stated(value) for key, value in bound.arguments.items()}

    assert parsed(earlier) == parsed(now)


def stated(value):
    return value.nested() if isinstance(value, Given) else value


def test_every_name_of_before_is_tried_above():
    names = {(command, old) for command, table in RENAMED.items() for old in table}
    assert {command for command, _ in names} == {
        "audit", "compare", "evaluate", "prepare", "reproduce", "rivals", "systems", "tune",
        "weights",
    }  # fmt: skip
    for command, old in names:
        flag = old.partition("=")[0]
        assert "=" in old or flag not in flags_of(command), "listed under one name alone"
