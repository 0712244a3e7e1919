"""The command itself: which commands there are, and how an error reaches the person."""

import sys

from cyclopts import App, CycloptsError, Parameter

import pacl
from pacl.errors import PaclError

app = App(
    name="pacl",
    help="Subject-aware representation learning on physiological signals.",
    version=pacl.__version__,
    help_format="markdown",
    default_parameter=Parameter(negative=""),
)
# Named by path, so that only the command that runs is imported.
app.command(
    "pacl.cli.inspect:inspect", name="inspect", help="Count what recordings hold, and draw one."
)
app.command(
    "pacl.cli.simulate:simulate", name="simulate", help="Write a cohort of made-up patients."
)
app.command("pacl.cli.download:download", name="download", help="Fetch IRIDIA-AF, LTAFDB or AFDB.")


def main() -> None:
    """Run the command line.

    Anything the person can put right, in the command or in the data, is told on standard error
    and ends with status 2; status 1 is left to commands that look for faults and found some.
    """
    try:
        app(exit_on_error=False)
    except CycloptsError:
        sys.exit(2)
    except PaclError as error:
        print(f"pacl: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("pacl: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
