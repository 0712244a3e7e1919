"""Tasks for workers in other processes: functions that they can import."""

import os
import signal
import time
from pathlib import Path

from pacl.errors import PaclError
from pacl.work.processes import ONE_THREAD


def double(task, say):
    say(f"doubling {task}")
    return 2 * task


def fail_if_odd(task, say):
    if task % 2:
        raise PaclError(f"{task} is odd; give an even number")
    return task


def break_off(task, say):
    raise TypeError("a fault of the program")


def slow(task, say):
    """Note that the task was begun, in a file of its own, and take a moment."""
    folder, number, seconds = task
    with (Path(folder) / f"{number}.begun").open("a") as file:
        file.write(f"{os.getpid()}\n")
    time.sleep(seconds)
    return number


def die_once(task, say):
    """End the process at the first attempt."""
    mark = Path(task)
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def die(task, say):
    os.kill(os.getpid(), signal.SIGKILL)


def threads(task, say):
    return [os.environ.get(name) for name in ONE_THREAD]
