"""Windows to learn from, divided by patient: a set that leaks a patient is refused."""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from pacl import RRWindowSet
from pacl.cohort import EpisodesProtocol
from pacl.records import open_records
from pacl.records.simulate import write_cohort
from pacl.rr import audit_folder, prepare
from pacl.windows import LeakError, split_units

folder = Path(tempfile.mkdtemp())
write_cohort(folder / "cohort", patients=24, seed=0)  # your own cohort would already be there
reader, protocol = open_records(folder / "cohort"), EpisodesProtocol()

try:  # recordings divided at random: two of one patient may be in train and in test
    by_record = dict.fromkeys(reader.record_ids, "all")
    prepare(
        reader,
        folder / "leaking",
        protocol=protocol,
        divide=lambda strata, patients: split_units(by_record, seed=1, unit="record"),
    )
except LeakError as error:
    print(f"refused: {error}")

prepare(
    reader,
    folder / "windows",
    protocol=protocol,
    divide=lambda strata, patients: split_units(strata, seed=1, counts=(16, 4, 4)),
)
windows = RRWindowSet.open(folder / "windows")
findings = audit_folder(folder / "windows")  # what `pacl audit` says
print(windows, *findings, f"{sum(one.serious for one in findings)} serious findings", sep="\n")

plt.style.use("pacl.style")
figure, axes = plt.subplots(layout="constrained")
at = 0
for part in ("train", "validation", "test"):
    table = windows.part(part).table
    counts = np.zeros((2, len(table.patient.names)))
    np.add.at(counts, (table.rhythm, table.patient.codes), 1)
    counts = counts[:, counts.any(axis=0)]
    x = at + np.arange(counts.shape[1])
    axes.bar(x, counts[0], color="C0", label="_" * at + "sinus rhythm")
    axes.bar(x, counts[1], color="C1", bottom=counts[0], label="_" * at + "AF")
    axes.text(x.mean(), -0.05, part, ha="center", va="top", transform=axes.get_xaxis_transform())
    at = x[-1] + 3
axes.set(ylabel="windows", xticks=[], title="Each patient is in one part only")
axes.legend(loc="upper right")
figure.savefig("09_windows_without_leaks.png")
