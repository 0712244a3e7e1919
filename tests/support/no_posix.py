"""Run pacl as on a system without POSIX: python no_posix.py detect night.csv.

Modules that only POSIX has cannot be imported, and functions, signals and flags that only POSIX has
are gone. What Windows has in their place is stood in for, as far as pacl uses it.
"""

import importlib.abc
import os
import signal
import sys
import types
from collections.abc import Callable

MODULES = {"fcntl", "termios", "resource", "pwd", "grp", "pty", "tty", "syslog", "readline"}
OF_OS = """
    chown fchmod fchown fork forkpty getegid geteuid getgid getpgid getpgrp getuid killpg lchown
    mkfifo mknod nice posix_spawn pread pwrite sched_getaffinity sched_setaffinity sendfile
    setpgid setsid statvfs sync sysconf ttyname wait3 wait4
    O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK O_SYNC
""".split()  # noqa: SIM905 - a list of names would take a page
OF_SIGNAL = """
    SIGALRM SIGCHLD SIGHUP SIGPIPE SIGQUIT SIGUSR1 SIGUSR2 SIGWINCH
    alarm pause pthread_kill pthread_sigmask setitimer sigpending sigwait
""".split()  # noqa: SIM905 - a list of names would take a page


class Hidden(importlib.abc.MetaPathFinder):
    """Finds none of the modules."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def hide() -> None:
    """Take away what only POSIX has, once all of the standard library that needs it is there."""
    import asyncio  # noqa: F401
    import multiprocessing.util  # noqa: F401
    import subprocess  # noqa: F401

    for name in MODULES:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, Hidden())
    for module, names in ((os, OF_OS), (signal, OF_SIGNAL)):
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    os.kill = _kill(os.kill)
    locks = types.ModuleType("msvcrt")
    locks.LK_NBLCK, locks.locking = 2, lambda number, mode, size: None
    sys.modules["msvcrt"] = locks


def _kill(plain: Callable[[int, int], None]) -> Callable[[int, int], None]:
    """As `os.kill`, without signal 0, which is Ctrl-C on Windows and asks nothing."""

    def kill(process: int, number: int) -> None:
        if number == 0:
            raise AssertionError(f"Ctrl-C was sent to process {process}")
        plain(process, number)

    return kill


if __name__ == "__main__":
    hide()
    from pacl.cli import main

    sys.argv = ["pacl", *sys.argv[1:]]
    main()
