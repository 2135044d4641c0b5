"""A worker that does as it is told: it answers, sleeps, dies, or does not hear a signal."""

import json
import os
import signal
import sys
import time

if os.path.exists(os.path.join(sys.argv[1], "refuse")):
    sys.exit("no such package")
print(json.dumps({"ready": True, "cpu_seconds": 0.0}), flush=True)
for line in sys.stdin:
    order = json.loads(line)
    if order["do"] == "die":
        os._exit(1)
    if order["do"] == "be deaf":
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
    if order["do"] in ("sleep", "be deaf"):
        time.sleep(60)
    print(json.dumps({"value": order["do"], "seconds": 0.0, "cpu_seconds": 0.25}), flush=True)
