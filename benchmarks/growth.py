"""How cost grows with windows, patients, the size of a batch and the number of runs.

    python benchmarks/growth.py WINDOWS -o growth.json [--device cuda] [--parts windows runs]

Seconds are the best of a few passes; of a pass that lasts long there is one. On the CPU each point
has a process of its own with two threads, and memory is the peak above what its input takes; on
the GPU it is all that torch had allocated at its peak. `growth_plot.py` draws the result.
"""

import argparse
import json
import os
import platform
from pathlib import Path
from typing import Any

import growth_cpu
import numpy as np
import torch
from growth_lines import Line, markdown

PARTS = ("windows", "patients", "batch", "runs")


def main() -> None:
    """Measure the parts, print a table of each, and write them all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("windows", type=Path, help="a window set")
    parser.add_argument("-o", "--output", type=Path, required=True, help="JSON to write")
    parser.add_argument("--device", choices=("cuda", "cpu"), help="a GPU where there is one")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--quick", action="store_true", help="the three smallest sizes only")
    chosen = parser.parse_args()
    device = chosen.device or ("cuda" if torch.cuda.is_available() else "cpu")
    most = 3 if chosen.quick else None
    found: dict[str, Any] = {"machine": _machine(device), "skipped": [], "parts": {}}
    for part in chosen.parts:
        lines: list[Line] = []
        if part != "runs":  # a fleet on a CPU gains nothing
            lines += getattr(growth_cpu, part)(chosen.windows, most)
        if part != "patients" and device == "cuda":
            import growth_gpu

            lines += getattr(growth_gpu, part)(chosen.windows, most)
        told = markdown(part, lines) if lines else f"{part}: skipped, it needs a GPU"
        print(f"\n{told}", flush=True)
        found["parts"][part] = [line.to_dict() for line in lines]
        if not lines:
            found["skipped"].append(part)
        chosen.output.write_text(json.dumps(found, indent=1) + "\n")


def _machine(device: str) -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
        "cores": len(os.sched_getaffinity(0)),
        "cpu_threads": growth_cpu.THREADS,
        "gpu": torch.cuda.get_device_name() if device == "cuda" else None,
    }


if __name__ == "__main__":
    main()
