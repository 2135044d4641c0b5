"""A profile whose executor plugin is not installed ends Snakemake with one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from snakemake_logger_plugin_textmix.profiles import check_executor


@pytest.fixture
def profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("SNAKEMAKE_PROFILE", raising=False)
    (tmp_path / "config.yaml").write_text("# a comment\nexecutor: not-installed\njobs: 5\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("form", ["--profile {}", "--profile={}", "--workflow-profile {}"])
def test_missing_plugin_is_reported_with_the_command_that_installs_it(profile: Path, form: str) -> None:
    arguments = ["--cores", "1", *form.format(profile).split()]
    with pytest.raises(SystemExit) as caught:
        check_executor(arguments)
    message = str(caught.value)
    assert str(profile / "config.yaml") in message
    assert message.endswith("-m pip install snakemake-executor-plugin-not-installed")


def test_profile_of_the_environment_is_checked(profile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNAKEMAKE_PROFILE", str(profile))
    with pytest.raises(SystemExit):
        check_executor([])


@pytest.mark.parametrize("executor", ["executor: local\n", "jobs: 5\n"])
def test_built_in_executors_need_no_plugin(profile: Path, executor: str) -> None:
    (profile / "config.yaml").write_text(executor, encoding="utf-8")
    check_executor(["--profile", str(profile)])


def test_profile_that_does_not_exist_is_left_to_snakemake(profile: Path) -> None:
    check_executor(["--profile", str(profile / "none"), "--profile"])
