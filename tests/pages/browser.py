"""A headless Chromium that a test drives through a pair of pipes: it opens, clicks and reads pages."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
#: Seconds after which a browser that says nothing counts as lost.
_PATIENCE = 240
#: Path of the browser; None where none is installed.
BROWSER = next((path for name in NAMES if (path := shutil.which(name))), None)


def _above(file: int) -> int:
    """Return a copy of a file's number that neither 3 nor 4 is, and close the file."""
    copied = fcntl.fcntl(file, fcntl.F_DUPFD, 10)
    os.close(file)
    return copied


class Browser:
    """One page of a headless Chromium; commands of its DevTools protocol go through a pair of pipes."""

    def __init__(self, program: str, profile: Path) -> None:
        commands, self._commands = map(_above, os.pipe())
        self._answers, answers = map(_above, os.pipe())
        # The browser reads commands from file 3 and writes answers to file 4.
        script = f'exec "$@" 3<&{commands} 4>&{answers}'
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe"]
        self._process = subprocess.Popen(
            ["bash", "-c", script, "browser", program, *options, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(commands, answers),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        self._buffer, self._count, self._session = b"", 0, ""
        self._events: list[dict[str, Any]] = []
        page = next(one for one in self._ask("Target.getTargets")["targetInfos"] if one["type"] == "page")
        self._session = self._ask("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        self._ask("Page.enable")

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            if not select.select([self._answers], [], [], _PATIENCE)[0]:
                raise RuntimeError(f"the browser said nothing for {_PATIENCE} seconds")
            part = os.read(self._answers, 1 << 16)
            if not part:
                raise RuntimeError("the browser ended")
            self._buffer += part
        first, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(first))

    def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._count += 1
        session = {"sessionId": self._session} if self._session else {}
        command = {"id": self._count, "method": method, "params": params, **session}
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        while (answer := self._message()).get("id") != self._count:
            self._events.append(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return dict(answer["result"])

    def _await(self, event: str) -> None:
        while True:
            while self._events:
                if self._events.pop(0).get("method") == event:
                    return
            self._events.append(self._message())

    def window(self, width: int, height: int = 900, *, dark: bool = False) -> None:
        """Give the page a window of this size, light or dark."""
        self._ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._ask("Emulation.setEmulatedMedia", features=[scheme])

    def open(self, address: str) -> None:
        """Open a page and wait until it is loaded."""
        self._events.clear()
        self._ask("Page.navigate", url="about:blank")
        self._await("Page.loadEventFired")
        self._ask("Page.navigate", url=address)
        self._await("Page.loadEventFired")

    def run(self, script: str) -> Any:
        """Return the value of an expression of JavaScript in the page; a promise is waited for."""
        done = self._ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in done:
            raise RuntimeError(str(done["exceptionDetails"]))
        return done["result"].get("value")

    def click(self, selector: str) -> None:
        """Click in the middle of the first line of the element that a selector names, and wait where it leads."""
        element = f"document.querySelector({json.dumps(selector)})"
        here = self.run(f"{element}?.scrollIntoView({{block: 'center'}}), location.href")
        place = self.run(f"(r => [r.x + r.width / 2, r.y + r.height / 2])({element}.getClientRects()[0])")
        target = self.run(f"{element}.href ?? ''")
        self._events.clear()
        for kind in ("mousePressed", "mouseReleased"):
            mouse = {"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1}
            self._ask("Input.dispatchMouseEvent", **mouse)
        if target and target.partition("#")[0] != here.partition("#")[0]:
            self._await("Page.loadEventFired")

    def in_sight(self, selector: str) -> bool:
        """Return whether the top of the element that a selector names stands in the window."""
        top = f"document.querySelector({json.dumps(selector)})?.getBoundingClientRect().top"
        return bool(self.run(f"(top => top >= -1 && top < innerHeight)({top})"))

    def text(self, selector: str) -> str:
        """Return the text that the element shows which a selector names."""
        return " ".join(str(self.run(f"document.querySelector({json.dumps(selector)}).innerText")).split())

    def close(self) -> None:
        self._session = ""
        with contextlib.suppress(RuntimeError, OSError):
            self._ask("Browser.close")
        self._process.wait(20)
        os.close(self._answers)
        os.close(self._commands)


@contextlib.contextmanager
def browser(program: str, profile: Path) -> Iterator[Browser]:
    """Start a browser with a profile of its own, and end it."""
    started = Browser(program, profile)
    try:
        yield started
    finally:
        started.close()
