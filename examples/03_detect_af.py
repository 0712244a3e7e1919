"""AF in RR intervals with the bundled detector: no torch, no labels."""

from pacl.detect import Detector
from pacl.records import Rhythm
from pacl.records.simulate import simulate_cohort

detector = Detector()  # loads the weights once
print(f"{detector.judge.name} needs {detector.judge.needed_beats} plausible beats in a row")

for record in (made.record for made in simulate_cohort(patients=3, seed=4)):
    found = detector.detect(record)  # or plain intervals, in ms or s
    af_s = sum(
        record.seconds(one.start, one.stop) for one in record.spans if one.rhythm is Rhythm.AF
    )
    print(
        f"{record.record_id}: {found.verdict}, {len(found.episodes)} episodes, AF burden "
        f"{found.af_burden:.1%}, truly {af_s / record.duration_s:.1%}"
    )
