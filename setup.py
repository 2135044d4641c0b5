"""Copies the registries of data sets and methods into the package; all else about the build is in pyproject.toml."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithRegistries(build_py):
    """The usual build of the modules, and the two files of ``config/`` that the installed package reads."""

    def run(self) -> None:
        """Build; an editable installation reads the files where they are."""
        super().run()
        if not self.editable_mode:
            target = Path(self.build_lib, "textmix", "config")
            target.mkdir(parents=True, exist_ok=True)
            for name in ("datasets.yaml", "methods.yaml"):
                self.copy_file(f"config/{name}", str(target / name))


setup(cmdclass={"build_py": BuildWithRegistries})
