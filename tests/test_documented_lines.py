"""Whatever the pages say to run works: their shell lines and their Python blocks, in order.

A page is run in a folder of its own, which has the files that its lines name. What cannot be run
here (a strap, a cluster, hours of training) is parsed alone: `pytest -rP` lists these lines, each
with its reason.
"""

import re
import sys

import pytest

from support.documented.limits import NOT_RUN, made_smaller, why_not_run
from support.documented.other_programs import faults_of
from support.documented.page_run import PageRun
from support.documented.pages import PAGES, SHELL, blocks
from support.documented.shell import commands

WITH_LINES = [page for page in PAGES if any(blocks(page))]
LINES = [line for page in PAGES for block in blocks(page, SHELL) for line in commands(block)]
OURS = [line for line in LINES if line.words[0] == "pacl"]


@pytest.mark.parametrize("page", WITH_LINES)
def test_the_lines_of_a_page_work(page, tmp_path):
    found = PageRun(page, tmp_path).run()
    for line in found.not_run:
        sys.stdout.write(f"not run: {line}\n")
    assert not found.faults, "\n".join(found.faults)


def test_lines_of_other_programs_name_what_is_there():
    others = [line for line in LINES if line.words[0] != "pacl"]
    assert [f"{line.place}: {fault}" for line in others for fault in faults_of(line.words)] == []


def test_most_lines_are_run_and_each_reason_is_needed():
    reasons = [why_not_run(line) for line in OURS]
    assert reasons.count(None) > len(OURS) / 2
    assert {one.why for one in NOT_RUN} == set(reasons) - {None}


PLANTED = """
```sh
pacl detect night.csv --operating-points sensitive
pacl detekt night.csv
pacl detect night.csv --format yaml
pacl detect gone.csv
pacl train windows -o run --encoder.widht 8
pacl reproduce -o study --encoder.name mlp
for worker in 1 2; do pacl simulate other --patient 3 & done; wait
```

- a list

    ```python
    from pacl.records import open_records

    open_records("night.csv").read_all()
    ```

```console
$ pacl audit --split gone.json \\
    --metadata gone.csv
pacl: this is printed
```
"""
FAULTS = """
3 has no option --operating-points
4 no command detekt
5 "yaml"
6 gone.csv
7 --encoder.widht
8 'mlp'
9 --patient
17 read_all
21 gone.
"""


def test_faults_are_found(tmp_path):
    (tmp_path / "page.md").write_text(PLANTED)
    (tmp_path / "run").mkdir()
    faults = PageRun(str(tmp_path / "page.md"), tmp_path / "run").run().faults
    expected = [line.partition(" ") for line in FAULTS.split("\n") if line]
    assert len(faults) == len(expected), faults
    for fault, (number, _, told) in zip(faults, expected, strict=True):
        assert re.search(rf"page\.md:{number}\b", fault), fault
        assert told in fault


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("pip install pacl[everything]", "no extra everything"),
        ("make everything", "no target everything"),
        ("python benchmarks/gone.py", "no benchmarks/gone.py"),
        ("apt-get install pacl", "apt-get is not known"),
    ],
)
def test_faults_of_other_programs_are_found(words, told):
    [fault] = faults_of(tuple(words.split()))
    assert told in fault


def test_smaller_settings_take_the_place_of_documented_ones():
    found = made_smaller(["tune", "windows", "--trials", "200", "--repeats=3", "--space", "full"])
    assert found[:4] == ["tune", "windows", "--space", "full"]
    assert "--trials=1" in found
    assert "200" not in found
