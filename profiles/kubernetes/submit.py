#!/usr/bin/env python3
"""Submit a job script of Snakemake as a Job of Kubernetes, and print the name of the Job.

The pod mounts the claim TEXTMIX_CLAIM at the path TEXTMIX_VOLUME, under which the run was started, and runs the script
in the image TEXTMIX_IMAGE.  A Job is tried once: Snakemake repeats a failed one with more memory and time.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

#: Seconds after its end at which the cluster forgets a Job.
FORGOTTEN = 24 * 60 * 60
#: Variables of the environment that jobs read.
PASSED = ("TEXTMIX_MIRROR", "TEXTMIX_CACHE")


def setting(name: str) -> str:
    """Return a variable of the environment; without it the run ends."""
    if not os.environ.get(name):
        sys.exit(f"{name} is not set: export TEXTMIX_IMAGE, TEXTMIX_CLAIM and TEXTMIX_VOLUME (profiles/kubernetes)")
    return os.environ[name]


def variables(folder: Path) -> dict[str, str]:
    """Return the variables of a pod's environment: the code of the checkout runs, not that of the image."""
    passed = {name: os.environ[name] for name in PASSED if name in os.environ}
    return {"PYTHONPATH": str(folder / "src"), **passed}


def manifest(script: Path, folder: Path, threads: int, megabytes: int, minutes: int) -> dict[str, Any]:
    """Describe the Job that runs ``script`` in ``folder`` within its memory and time."""
    volume = Path(setting("TEXTMIX_VOLUME"))
    for path in (script, folder):
        if not path.is_relative_to(volume):
            sys.exit(f"{path} is not below TEXTMIX_VOLUME={volume}: start the run in a folder of the volume")
    needs = {"cpu": str(threads), "memory": f"{megabytes}M"}
    container = {
        "name": "job",
        "image": setting("TEXTMIX_IMAGE"),
        "command": ["sh", str(script)],
        "workingDir": str(folder),
        "env": [{"name": name, "value": value} for name, value in variables(folder).items()],
        "resources": {"requests": needs, "limits": {"memory": needs["memory"]}},
        "volumeMounts": [{"name": "work", "mountPath": str(volume)}],
    }
    pod = {
        "restartPolicy": "Never",
        "containers": [container],
        "volumes": [{"name": "work", "persistentVolumeClaim": {"claimName": setting("TEXTMIX_CLAIM")}}],
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"generateName": "textmix-", "labels": {"app.kubernetes.io/name": "textmix"}},
        "spec": {
            "backoffLimit": 0,
            "activeDeadlineSeconds": 60 * minutes,
            "ttlSecondsAfterFinished": FORGOTTEN,
            "template": {"spec": pod},
        },
    }


def main() -> None:
    """Create the Job by kubectl."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    for name in ("threads", "megabytes", "minutes"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("script", type=Path)
    asked = parser.parse_args()
    job = manifest(asked.script.resolve(), Path.cwd(), asked.threads, asked.megabytes, asked.minutes)
    kubectl = shutil.which("kubectl") or sys.exit("kubectl is not on the PATH: install it where the run is started")
    made = subprocess.run(  # noqa: S603 - no shell, and the job's description goes in by standard input
        [kubectl, "create", "--filename", "-", "--output", "jsonpath={.metadata.name}"],
        input=json.dumps(job),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if made.returncode:
        sys.exit(f"kubectl create ended with exit code {made.returncode}; its message stands above")
    print(made.stdout)


if __name__ == "__main__":
    main()
