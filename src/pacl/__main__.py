"""`python -m pacl` is the `pacl` command."""

from pacl.cli import main

if __name__ == "__main__":
    main()
