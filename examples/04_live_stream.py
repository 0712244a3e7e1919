"""A live stream: intervals come one at a time, each beat is decided 60 to 70 beats later."""

import matplotlib.pyplot as plt

from pacl.detect import StreamDetector
from pacl.records.simulate import simulate_cohort

record = next(simulate_cohort(patients=1, seed=3)).record
stream = StreamDetector()  # its memory does not grow
heard_s, decisions, delays_s, before = 0.0, [], [], None
for rr_ms in record.rr_ms[48_500:60_500].astype(float):  # your strap would give them
    heard_s += rr_ms / 1000
    for one in stream.push(rr_ms):
        decisions.append(one)
        delays_s.append(heard_s - one.time_s)
        if one.af != before:  # print changes only
            rhythm = "AF" if one.af else "no AF"
            print(f"{one.start_s / 60:5.1f} min: {rhythm} {one.probability:.2f}")
            before = one.af
decisions += stream.finish()
print(f"decided {sum(delays_s) / len(delays_s):.0f} s after a beat, on average")

plt.style.use("pacl.style")
figure, (top, bottom) = plt.subplots(2, sharex=True, height_ratios=[2, 1], layout="constrained")
for name, colour, is_af in (("no AF", "C0", False), ("AF", "C1", True)):
    own = [one for one in decisions if one.af is is_af]
    rr_ms = [1000 * (one.time_s - one.start_s) for one in own]
    top.plot([one.start_s / 60 for one in own], rr_ms, colour + ".", ms=1.5, label=name)
bottom.plot([one.time_s / 60 for one in decisions[: len(delays_s)]], delays_s, "C2", lw=1)
top.set(ylabel="RR (ms)", ylim=(200, 1800), title="Each beat, as it was decided")
top.legend(loc="upper right", ncols=2, markerscale=6)
bottom.set(ylabel="delay (s)", ylim=(0, 100), xlabel="minutes since the stream began")
figure.savefig("04_live_stream.png")
