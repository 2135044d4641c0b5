"""An object store on 127.0.0.1, for runs whose results lie in a bucket."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.workflow.slurm import free_ports
from tests.workflow.tiny import Clone

#: Packages that the tests need beside the lock: pip install 'moto[server]' snakemake-storage-plugin-s3
PACKAGES = ("moto", "flask", "snakemake_storage_plugin_s3")
PREFIX = "run/"


def lacking() -> list[str]:
    """Return the packages that are not installed."""
    return [name for name in PACKAGES if find_spec(name) is None]


@dataclass(frozen=True)
class Store:
    """A bucket of a server at an address."""

    address: str
    name: str = "textmix"

    @property
    def options(self) -> list[str]:
        """The options of Snakemake that put results into the bucket."""
        return ["--default-storage-provider", "s3", "--default-storage-prefix", f"s3://{self.name}/{PREFIX}"]

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which Snakemake finds the server."""
        where = {"ENDPOINT_URL": self.address, "ACCESS_KEY": "none", "SECRET_KEY": "none"}
        return {f"SNAKEMAKE_STORAGE_S3_{name}": value for name, value in where.items()}

    @property
    def objects(self) -> dict[str, Any]:
        """The objects of the run in the bucket, by their paths from the folder of a run."""
        import boto3

        keys = {"aws_access_key_id": "none", "aws_secret_access_key": "none", "region_name": "us-east-1"}
        bucket = boto3.resource("s3", endpoint_url=self.address, **keys).Bucket(self.name)
        return {one.key.removeprefix(PREFIX): one.Object() for one in bucket.objects.filter(Prefix=PREFIX)}

    def copy_to(self, clone: Clone) -> None:
        """Copy all that is in the bucket into the folder of a clone."""
        for name, one in self.objects.items():
            path = clone.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            one.download_file(str(path))


@contextlib.contextmanager
def served(log: Path) -> Iterator[Store]:
    """Run a server in a ``with`` block."""
    port = free_ports(1)[0]
    address = f"http://127.0.0.1:{port}"
    with open(log, "wb") as told:
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
        process = subprocess.Popen(command, stdout=told, stderr=subprocess.STDOUT)
    try:
        _wait(address, log)
        yield Store(address)
    finally:
        process.terminate()
        process.wait()


def _wait(address: str, log: Path, seconds: float = 120.0) -> None:
    """Wait until the server answers."""
    end = time.monotonic() + seconds
    while True:
        try:
            urllib.request.urlopen(f"{address}/moto-api/").close()
            return
        except OSError:
            if time.monotonic() > end:
                raise TimeoutError(log.read_text(errors="replace")) from None
            time.sleep(0.2)
