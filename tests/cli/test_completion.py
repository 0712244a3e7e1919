"""Completion as shells do it: commands, options, choices and paths."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pacl.cli.install_completion import add_lines, completion_script, place_of
from support import every_command
from support.in_process import pacl

TRY = """
source "$1"
cd "$2"
shift 2
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
_pacl
printf '%s\\n' "${COMPREPLY[@]}"
"""
CASES = [
    ("pacl detec", ["detect"]),
    ("pacl evaluate-", ["evaluate-rhythm"]),
    ("pacl --install", ["--install-completion"]),
    ("pacl detect --operating", ["--operating-point"]),
    ("pacl detect --operating-point s", ["sensitive", "specific"]),
    ("pacl train windows --train.low", ["--train.lowest-lr"]),
    ("pacl download ", ["afdb", "iridia-af", "ltafdb"]),
]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scripts")
    for shell in ("bash", "zsh", "fish"):
        (folder / shell).write_text(completion_script(shell))
    return folder


def at_home(folder, monkeypatch):
    monkeypatch.setenv("HOME", str(folder))
    for name in ("ZDOTDIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)


def needed(shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")


def in_bash(scripts, folder, *words):
    needed("bash")
    argv = ["bash", "--norc", "-c", TRY, "try", scripts / "bash", folder, *words]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""
    return sorted(done.stdout.split("\n")[:-1])


@pytest.mark.parametrize(("line", "expected"), CASES, ids=[line for line, _ in CASES])
def test_bash_completes_commands_options_and_choices(scripts, tmp_path, line, expected):
    assert in_bash(scripts, tmp_path, *line.split(" ")) == expected


def test_bash_completes_paths_with_spaces_also_after_names_of_commands(scripts, tmp_path):
    (tmp_path / "my nights").mkdir()
    (tmp_path / "my nights" / "first night.csv").touch()
    assert in_bash(scripts, tmp_path, "pacl", "detect", "my") == ["my nights"]
    found = in_bash(scripts, tmp_path, "pacl", "detect", "x", "--person", "my nights/")
    assert found == ["my nights/first night.csv"]
    assert in_bash(scripts, tmp_path, "pacl", "view", "features", "my") == ["my nights"]


@pytest.mark.parametrize(("line", "expected"), CASES, ids=[line for line, _ in CASES])
def test_fish_completes_commands_options_and_choices(scripts, tmp_path, line, expected):
    needed("fish")
    code = f"source {scripts}/fish; complete -C '{line}'"
    home = {**os.environ, "HOME": str(tmp_path)}
    done = subprocess.run(
        ["fish", "--no-config", "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=home,
        timeout=60,
        check=True,
    )
    found = [row.partition("\t")[0] for row in done.stdout.splitlines()]
    assert [name for name in found if not name.endswith("/")] == expected


@pytest.mark.skipif(sys.platform == "win32", reason="no terminals of this kind")
@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("pacl detec", "pacl detect "),
        ("pacl detect --operating-point sen", "pacl detect --operating-point sensitive "),
        ("pacl detect my", "pacl detect my\\ nights/"),
    ],
)
@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_new_terminal_completes_after_the_command(shell, typed, completed, tmp_path, monkeypatch):
    """From the start-up file on, with the Tab key."""
    needed(shell)
    (tmp_path / "my nights").mkdir()
    at_home(tmp_path, monkeypatch)
    said = pacl("--install-completion", "--shell", shell)
    assert said.returncode == 0, said.stderr
    assert completed in after_tab(shell, typed, completed, tmp_path)


def after_tab(shell, typed, awaited, home):
    import pty
    import select
    import time

    child, terminal = pty.fork()
    if child == 0:
        os.chdir(home)
        os.execvpe(shell, [shell, "-i"], {**os.environ, "TERM": "dumb", "PS1": "ready"})
    shown, sent, until = b"", False, time.monotonic() + 30
    try:
        while time.monotonic() < until and awaited.encode() not in shown:
            if select.select([terminal], [], [], 0.5)[0]:
                shown += os.read(terminal, 65536)
            elif not sent:
                os.write(terminal, typed.encode() + b"\t")
                sent = True
    finally:
        os.close(terminal)
        os.kill(child, 9)
        os.waitpid(child, 0)
    return shown.decode(errors="replace")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_it_says_where_it_wrote_and_changes_a_start_up_file_once(shell, tmp_path, monkeypatch):
    at_home(tmp_path, monkeypatch)
    place = place_of(shell)
    if place.startup is not None:
        place.startup.write_text("mine")
    for told in ("loads it now", "loads it already"):
        said = pacl("--install-completion", "--shell", shell)
        assert (said.returncode, said.stderr) == (0, "")
        assert f"{place.script}: completion for {shell}" in said.stdout
        assert "new terminal" in said.stdout
        assert place.startup is None or f"{place.startup}: {told}" in said.stdout
    assert place.script.is_file()
    if place.startup is not None:
        text = place.startup.read_text()
        assert text.count("completion of pacl") == 1
        assert "mine" in text.splitlines()


def test_zsh_is_set_up_only_where_it_is_not(tmp_path):
    startup, script = tmp_path / ".zshrc", tmp_path / "x" / "_pacl"
    assert add_lines(startup, "zsh", script)
    assert "compinit" in startup.read_text()
    startup.write_text("autoload -Uz compinit\ncompinit -u\n")
    assert add_lines(startup, "zsh", script)
    assert startup.read_text().count("compinit -u") == startup.read_text().count("&& compinit") + 1


def test_a_script_can_be_written_anywhere_and_changes_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    said = pacl("--install-completion", "--shell", "fish", "-o", tmp_path / "pacl.fish")
    assert said.returncode == 0
    assert [one.name for one in tmp_path.iterdir()] == ["pacl.fish"]


def test_a_shell_that_is_not_known_is_told_of(monkeypatch):
    monkeypatch.setattr("cyclopts.completion.detect_shell", lambda: "powershell")
    said = pacl("--install-completion")
    assert said.returncode == 2
    assert "--shell" in said.stderr


def test_it_needs_no_extra_and_no_torch():
    code = f"""
import sys
sys.path.insert(0, {str(Path(every_command.__file__).parents[1])!r})
from support.every_command import Hide
from pacl.cli.app import EXTRAS
sys.meta_path.insert(0, Hide(set(EXTRAS)))
from pacl.cli.install_completion import completion_script
assert "--train.lr" in completion_script("fish")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
