"""A live stream: intervals come one at a time, each beat is decided 60 to 70 beats later."""

from pacl.detect import StreamDetector
from pacl.records.simulate import simulate_cohort

record = next(iter(simulate_cohort(patients=1, seed=4))).record
detector = StreamDetector()  # its memory does not grow
before = None
for rr_ms in record.rr_ms[:20_000].tolist():
    for decision in detector.push(float(rr_ms)):
        if decision.af != before:  # print changes only
            rhythm = "AF begins" if decision.af else "no AF"
            print(f"{decision.start_s / 3600:6.2f} h  {rhythm}  {decision.probability:.2f}")
            before = decision.af
print(f"{len(detector.finish())} more beats were decided when the stream ended")
