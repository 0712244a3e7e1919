"""`pacl --install-completion`: let the shell complete commands, options and paths."""

import os
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from cyclopts import Parameter

from pacl.atomic_write import atomic_write
from pacl.cli.messages import say
from pacl.cli.options import OutputPath
from pacl.errors import PaclError

Shell = Literal["bash", "zsh", "fish"]

FOR_BASH = {
    "local cur prev\n": "local cur prev IFS=$'\\n'\n",
    '$(compgen -f -- "${cur}") )': '$(compgen -f -- "${cur}") ); compopt -o filenames 2>/dev/null',
    'if [[ " $all_commands "': 'if [[ ${#cmd_path[@]} -eq 0 && " $all_commands "',
}
"""Names with spaces, a slash after a folder, and folders that are called like a command."""
COMPINIT = "autoload -Uz compinit && compinit"


class Place(NamedTuple):
    """Where a shell looks for the script, and its start-up file, if it has to be told."""

    script: Path
    startup: Path | None


def install_completion(
    *,
    shell: Shell | None = None,
    output: Annotated[OutputPath | None, Parameter(name=["--output", "-o"])] = None,
) -> None:
    """Let the shell complete commands, options and paths with the Tab key.

    Writes a script, and for bash and zsh adds a line to the start-up file of the shell that loads
    it. Give the same command again after an update of pacl.

    Parameters
    ----------
    shell
        Which shell. [default: the one that this command was started from]
    output
        Write the script to this file, and change no start-up file.

    Examples
    --------
    $ pacl --install-completion
    $ pacl --install-completion --shell zsh
    $ pacl --install-completion --shell bash -o pacl-completion.bash
    """
    chosen = shell or _this_shell()
    script = completion_script(chosen)
    if output is not None:
        atomic_write(output, script.encode())
        say(f"{output}: completion for {chosen}")
        return
    place = place_of(chosen)
    atomic_write(place.script, script.encode())
    say(f"{place.script}: completion for {chosen}")
    if place.startup is not None:
        added = add_lines(place.startup, chosen, place.script)
        say(f"{place.startup}: {'loads it now' if added else 'loads it already'}")
    say("Open a new terminal to use it. After an update of pacl, give this command again.")


@cache
def completion_script(shell: Shell) -> str:
    """The script for a shell; it knows all commands and options by itself, and starts nothing."""
    from pacl.cli.app import build

    script = build(None).generate_completion(shell=shell)
    if shell == "bash":
        for usual, better in FOR_BASH.items():
            script = script.replace(usual, better)
    return script


def place_of(shell: Shell) -> Place:
    """Where the files of a shell are, for this user."""
    home = Path.home()
    if shell == "fish":
        folder = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
        return Place(folder / "fish/completions/pacl.fish", None)
    if shell == "zsh":  # the script is a function of this name
        startup = Path(os.environ.get("ZDOTDIR") or home) / ".zshrc"
        return Place(home / ".zsh/completions/_cyclopts_pacl", startup)
    folder = Path(os.environ.get("XDG_DATA_HOME") or home / ".local/share")
    return Place(folder / "bash-completion/completions/pacl", home / ".bashrc")


def add_lines(startup: Path, shell: Shell, script: Path) -> bool:
    """Let a start-up file load the script; False if it does so already."""
    text = startup.read_text("utf-8", "surrogateescape") if startup.exists() else ""
    if str(script.parent if shell == "zsh" else script) in text:
        return False
    note = "# completion of pacl"
    if shell == "bash":
        gap = "" if not text or text.endswith("\n") else "\n"
        text = f'{text}{gap}{note}\n[ -f "{script}" ] && . "{script}"\n'
    else:  # before the line that reads the folders
        missing = "" if "compinit" in text or "oh-my-zsh" in text else f"{COMPINIT}\n"
        text = f'{note}\nfpath=("{script.parent}" $fpath)\n{missing}{text}'
    atomic_write(startup.resolve(), text.encode("utf-8", "surrogateescape"))
    return True


def _this_shell() -> Shell:
    from cyclopts.completion import detect_shell
    from cyclopts.completion.detect import ShellDetectionError

    try:
        found = detect_shell()
    except ShellDetectionError as error:
        raise PaclError("the shell is not known; name it with --shell bash, zsh or fish") from error
    if found == "powershell":
        raise PaclError("there is no completion for PowerShell; name another with --shell")
    return found
