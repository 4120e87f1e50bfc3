"""The ``torch-fl`` command. docs/commands.md describes each verb."""

from __future__ import annotations

from typing import Annotated

import typer

from torch_fl.cli import ab, doctor, output, routes, run, setup, survey, tune

app = typer.Typer(
    help="See and check what runs where on the device flagos.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            output.console.print(f"torch-fl {version('torch-fl-core')}", highlight=False)
        except PackageNotFoundError:
            output.fail("torch-fl-core is not installed as a distribution", 2)
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version, and end.")
    ] = False,
) -> None:
    """See and check what runs where on the device flagos."""


app.command()(doctor.doctor)
app.add_typer(routes.app, name="routes")
app.add_typer(setup.app, name="setup")
app.command(name="census", context_settings=run.PASS_ON)(run.census)
app.command(name="run", context_settings=run.PASS_ON)(run.run)
app.command()(survey.survey)
app.command()(ab.ab)
app.command()(tune.tune)


def main() -> None:
    """Entry point of the command."""
    app()
