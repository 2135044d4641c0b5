"""A Slurm cluster of one node: its daemons listen on 127.0.0.1 and keep all files in one folder."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

#: Programs that the test needs of Debian's slurm-wlm and munge; with accounting, also of slurmdbd and mariadb-server.
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue")
ACCOUNTING = ("slurmdbd", "sacctmgr", "mariadbd", "mariadb-install-db", "mariadb")

CONFIGURATION = """\
ClusterName=tiny
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/ctl.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
JobAcctGatherType=jobacct_gather/none
{accounting}
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory={memory} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""
KEPT = """\
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={ports[2]}
AccountingStoragePass={folder}/munge/socket
"""
DATABASE = """\
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
DbdHost={host}
DbdAddr=127.0.0.1
DbdPort={ports[2]}
SlurmUser=root
PidFile={folder}/dbd.pid
LogFile={folder}/dbd.log
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={ports[3]}
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm
CommunicationParameters=NoInAddrAny
"""


def lacking(programs: tuple[str, ...]) -> list[str]:
    """Return the programs that are not installed."""
    return [name for name in programs if shutil.which(name) is None]


def free_ports(count: int) -> list[int]:
    """Return free ports of 127.0.0.1."""
    with contextlib.ExitStack() as stack:
        found = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in found:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in found]


class Daemons:
    """The processes of a cluster, each started in the foreground of a log file and ended by its id.

    Parameters
    ----------
    folder : of all files; its path must be short, for it holds sockets.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
        self.running: list[subprocess.Popen[bytes]] = []

    def start(self, *command: str) -> None:
        """Start a program in the foreground."""
        with open(self.folder / f"{command[0]}.log", "wb") as log:
            self.running.append(subprocess.Popen(command, env=self.environment, stdout=log, stderr=subprocess.STDOUT))

    def answers(self, *command: str, seconds: float = 60.0) -> None:
        """Wait until a command succeeds."""
        end = time.monotonic() + seconds
        while True:
            done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
            if done.returncode == 0:
                return
            if time.monotonic() > end:
                logs = "".join(path.read_text(errors="replace")[-2000:] for path in self.folder.glob("*.log"))
                raise TimeoutError(f"{' '.join(command)}: {done.stdout}{done.stderr}\n{logs}")
            time.sleep(0.2)

    def end(self) -> None:
        """End all processes, the last one first."""
        for process in reversed(self.running):
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextlib.contextmanager
def cluster(folder: Path, *, accounting: bool) -> Iterator[dict[str, str]]:
    """Run a cluster in a ``with`` block; give the variables of the environment with which its commands reach it.

    Parameters
    ----------
    folder : an empty folder with a short path.
    accounting : whether jobs are kept in a database.
    """
    for name in ("munge", "state", "spool", "bin", "data"):
        (folder / name).mkdir(mode=0o700)
    ports, host, cores = free_ports(4), socket.gethostname().split(".")[0], os.cpu_count()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20 - 1000
    facts = {"folder": folder, "host": host, "ports": ports, "cores": cores, "memory": memory}
    facts["accounting"] = KEPT.format(**facts) if accounting else "AccountingStorageType=accounting_storage/none"
    (folder / "slurm.conf").write_text(CONFIGURATION.format(**facts), encoding="utf-8")
    (folder / "slurmdbd.conf").write_text(DATABASE.format(**facts), encoding="utf-8")
    (folder / "slurmdbd.conf").chmod(0o600)
    (folder / "munge/key").write_bytes(os.urandom(1024))
    (folder / "munge/key").chmod(0o400)
    # The plugin takes all variables of Slurm from a job's environment; srun then looks in /etc/slurm.
    (folder / "bin/srun").write_text(
        f'#!/bin/sh\nSLURM_CONF={folder}/slurm.conf exec {shutil.which("srun")} "$@"\n', encoding="utf-8"
    )
    (folder / "bin/srun").chmod(0o755)
    daemons = Daemons(folder)
    try:
        _start(daemons, ports, accounting)
        yield {"SLURM_CONF": str(folder / "slurm.conf"), "PATH": f"{folder}/bin:{os.environ['PATH']}"}
    finally:
        daemons.end()


def _start(daemons: Daemons, ports: list[int], accounting: bool) -> None:
    """Start the daemons of a cluster, each after the previous one responds."""
    folder = daemons.folder
    munge = {"key-file": "key", "socket": "socket", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
    files = [f"--{option}={folder}/munge/{name}" for option, name in munge.items()]
    daemons.start("munged", "--foreground", "--force", *files)
    daemons.answers("munge", "-n", f"--socket={folder}/munge/socket")
    if accounting:
        _start_database(daemons, ports[3])
        daemons.start("slurmdbd", "-D")
        daemons.answers("sacctmgr", "-i", "show", "cluster")
        daemons.answers("sacctmgr", "-i", "add", "cluster", "tiny")
    daemons.start("slurmctld", "-D", "-i")
    daemons.start("slurmd", "-D", "-N", socket.gethostname().split(".")[0])
    daemons.answers("srun", "-n1", "true")


def _start_database(daemons: Daemons, port: int) -> None:
    """Start a database server with a user and a database for the accounting."""
    data, reach = f"{daemons.folder}/data", f"{daemons.folder}/data/socket"
    install = ["mariadb-install-db", "--no-defaults", f"--datadir={data}", "--auth-root-authentication-method=normal"]
    subprocess.run(install, check=True, capture_output=True)
    where = [f"--datadir={data}", f"--socket={reach}", f"--pid-file={data}/pid", f"--port={port}"]
    daemons.start("mariadbd", "--no-defaults", "--user=root", "--bind-address=127.0.0.1", *where)
    user = "slurm@'127.0.0.1'"
    make = f"CREATE DATABASE slurm; CREATE USER {user} IDENTIFIED BY 'slurm'; GRANT ALL ON slurm.* TO {user}"
    daemons.answers("mariadb", "--no-defaults", f"--socket={reach}", "-uroot", "-e", "SELECT 1")
    daemons.answers("mariadb", "--no-defaults", f"--socket={reach}", "-uroot", "-e", make)
