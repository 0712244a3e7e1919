"""The figures of a study: each computed as plain data, then drawn, in one style.

`study_figures` finds all modules that state a `FIGURE`: a new figure needs no entry here.
"""

from pacl.report.figures.study_figure import Section, StudyData, StudyFigure, study_figures

__all__ = ["Section", "StudyData", "StudyFigure", "study_figures"]
