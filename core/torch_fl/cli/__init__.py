"""The ``torch-fl`` command. docs/commands.md describes each verb."""

from __future__ import annotations

import typer

from torch_fl.cli import doctor, routes, run, setup

app = typer.Typer(
    help="See and check what runs where on the device flagos.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(doctor.doctor)
app.add_typer(routes.app, name="routes")
app.add_typer(setup.app, name="setup")
app.command(name="census", context_settings=run.PASS_ON)(run.census)
app.command(name="run", context_settings=run.PASS_ON)(run.run)


def main() -> None:
    """Entry point of the command."""
    app()
