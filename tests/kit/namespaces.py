"""A network namespace for a program, from which only the given ports of this machine can be reached."""

from __future__ import annotations

import asyncio
import ctypes
import socket
import subprocess
import threading
from collections.abc import Iterable
from pathlib import Path

from tests.kit.deadline import DEADLINE_S
from tests.kit.until import until
from tools.soak._proxy import Proxy

_CLONE_NEWNET = 0x40000000


def may_be_made() -> bool:
    """Whether this machine allows it."""
    return subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False).returncode == 0


class NetworkNamespace:
    """`prefix` stands before the command of a program that shall run in there."""

    def __init__(self) -> None:
        # It keeps the namespace, and ends with this process.
        keeper = ["unshare", "--net", "sh", "-c", "ip link set lo up && echo up && exec cat"]
        self._keeper = subprocess.Popen(keeper, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._proxies: list[Proxy] = []
        self.prefix = ["nsenter", "-t", str(self._keeper.pid), "--net"]

    async def start(self, ports: Iterable[int]) -> None:
        """Lead connections in there to 127.0.0.1 at one of these ports to ours."""
        assert self._keeper.stdout is not None, "it is a pipe"
        await asyncio.to_thread(self._keeper.stdout.readline)
        for port in ports:
            proxy = Proxy("127.0.0.1", port)
            await proxy.start(await self._listening(port))
            self._proxies.append(proxy)

    async def stop(self) -> None:
        for proxy in self._proxies:
            await proxy.stop()
        self._keeper.kill()
        await asyncio.to_thread(self._keeper.communicate)

    async def _listening(self, port: int) -> socket.socket:
        """A socket belongs to the namespace where it was made, and only a thread that ends has entered this one."""
        made: list[socket.socket] = []

        def enter() -> None:
            with Path(f"/proc/{self._keeper.pid}/ns/net").open("rb") as namespace:
                if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), _CLONE_NEWNET):
                    raise OSError(ctypes.get_errno(), "the namespace cannot be entered")
            made.append(socket.create_server(("127.0.0.1", port)))

        thread = threading.Thread(target=enter)
        thread.start()
        await until(lambda: not thread.is_alive())
        thread.join(DEADLINE_S)
        (listening,) = made
        return listening
