"""Workers and schedulers that are named on the command line are those that do the work."""

from pacl.cli.tables import WorkerOptions
from pacl.work import Here, Processes
from support.in_process import pacl
from support.signals import ring_of_sensors
from support.small_runs import small_windows

NOBODY = "tcp://127.0.0.1:9"


def test_as_many_processes_as_asked_for():
    with WorkerOptions(workers=2).open() as workers:
        assert isinstance(workers, Processes)
    with WorkerOptions(workers=1).open() as workers:
        assert isinstance(workers, Here)


def asks_the_scheduler(*words) -> bool:
    said = pacl(*words, "--device=cpu", "--quiet", "--scheduler", NOBODY)
    assert said.returncode == 2
    return f"--scheduler {NOBODY}: cannot be reached" in said.stderr


def test_the_papers_study_asks_its_scheduler(tmp_path, monkeypatch):
    monkeypatch.setattr("pacl.work.connection.CONNECT_S", 0.2)
    small = ("--seeds=1", "--sampler.patients=3", "--sampler.windows=4", "--train.epochs=1")
    given = ("--data", small_windows(), "-o", tmp_path / "out")
    assert asks_the_scheduler("reproduce", *given, *small)


def test_a_study_of_systems_asks_its_scheduler(tmp_path, monkeypatch):
    monkeypatch.setattr("pacl.work.connection.CONNECT_S", 0.2)
    ring_of_sensors().write(tmp_path / "windows")
    small = ("--systems=lda", "--seeds=1", "--folds=2")
    assert asks_the_scheduler("systems", tmp_path / "windows", "-o", tmp_path / "out", *small)
