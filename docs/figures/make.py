"""Everything the documentation shows that is made from recordings."""

import architecture
import calibration
import cohorts
import commands
import gallery
import notebooks
import pictures
import reproducibility
import sections

import adaptation
import records

if __name__ == "__main__":
    adaptation.main()
    architecture.main()
    commands.main()
    records.main()
    cohorts.main()
    pictures.main()
    calibration.main()
    gallery.main()
    notebooks.main()
    reproducibility.main()
    sections.main()
