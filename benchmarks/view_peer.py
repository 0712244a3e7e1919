"""The same beats drawn by Plotly, in a page that needs no other files."""

import numpy as np
from numpy.typing import NDArray

from pacl.detect import Detection
from pacl.records import Record
from pacl.report.recording.decisions import (
    DECISION_COLOURS,
    DECISION_NAMES,
    Decision,
    beat_decisions,
)

MARK = 'performance.mark("pacl-first-picture")'
WAYS = {"Plotly, WebGL": "scattergl", "Plotly, SVG": "scatter"}


def plotly_page(record: Record, detection: Detection, kind: str) -> str:
    """Intervals over time, coloured by decision; wheel and pointer zoom and pan as in ours."""
    import plotly.graph_objects as go
    from plotly.io import to_html

    draw = {"scattergl": go.Scattergl, "scatter": go.Scatter}[kind]
    hours = (record.onset_s() / 3600).astype(np.float32)
    decided: NDArray[np.int8] = beat_decisions(record, detection)
    figure = go.Figure()
    for decision in Decision:
        chosen = decided == decision
        figure.add_trace(
            draw(
                x=hours[chosen],
                y=record.rr_ms[chosen].astype(np.float32),
                mode="markers",
                name=DECISION_NAMES[decision],
                marker={"size": 2, "color": DECISION_COLOURS[decision]},
            )
        )
    figure.update_layout(dragmode="pan", yaxis={"range": [200, 2000], "fixedrange": True})
    return str(
        to_html(
            figure,
            include_plotlyjs=True,
            config={"scrollZoom": True},
            post_script=MARK,
            default_height="430px",
        )
    )
