"""AF in anybody's RR intervals with the bundled weights: no torch, no labels."""

import numpy as np
from onnxruntime import InferenceSession

from pacl.cohort import EveryProtocol
from pacl.detect import bundled_file
from pacl.records.simulate import simulate_cohort
from pacl.windows import cut_windows, gather

session = InferenceSession(bundled_file())
about = session.get_modelmeta().custom_metadata_map
print(about["name"], "learned from", about["data"].split(",")[0])

for record in (made.record for made in simulate_cohort(patients=3, seed=4)):
    # Windows of 200 plausible beats, in ms; the protocol also says which are in AF, to compare.
    cut = cut_windows(record, EveryProtocol().select(record), stride=200)
    rr_ms = gather(cut.rr_ms, cut.start, 200)
    probability = session.run(["probability"], {"rr": rr_ms})[0]
    called, truth = np.mean(probability >= 0.5), np.mean(cut.rhythm == 1)
    print(f"{record.record_id}: {called:.1%} of {len(rr_ms)} windows called AF, truly {truth:.1%}")
