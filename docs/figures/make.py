"""Everything the documentation shows that is made from recordings."""

import calibration
import pictures

import records

if __name__ == "__main__":
    records.main()
    pictures.main()
    calibration.main()
