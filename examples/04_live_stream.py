"""A live stream: intervals come one at a time, a decision every 50 beats, memory that stays."""

from pacl.detect import StreamDetector
from pacl.records.simulate import simulate_cohort

record = next(iter(simulate_cohort(patients=1, seed=4))).record
detector = StreamDetector()
before = None
for rr_ms in record.rr_ms[:60_000].tolist():
    decision = detector.push(float(rr_ms))
    if decision is not None and decision.af != before:  # tell changes alone
        hours = decision.time_s / 3600
        print(
            f"{hours:6.2f} h  {'AF begins' if decision.af else 'no AF'}  {decision.probability:.2f}"
        )
        before = decision.af
