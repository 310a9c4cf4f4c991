"""`python -m fcoplint`: the same program as the console script."""

from fcoplint.cli import main

if __name__ == "__main__":
    main(prog_name="fcoplint")
