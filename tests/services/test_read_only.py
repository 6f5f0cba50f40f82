"""A server as in its container: without root and capabilities, on a file system of which only its data is writable.

It gets the settings of the manifests and is asked by the very checks of Dockerfile, manifests and HAProxy.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.kit.clients import Droidcon
from tests.kit.deadline import DEADLINE_S
from tests.kit.server import ROOT, TABLES, Server, seed_files, tables

pytestmark = pytest.mark.service

DEPLOY = ROOT / "docs" / "deploy"
DOCKERFILE = (ROOT / "Dockerfile").read_text()
MANIFESTS: list[dict[str, Any]] = list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()))


def confined(data: Path) -> tuple[str, ...]:
    """What stands before a command that may do no more than in the container."""
    (user,) = re.findall(r"^USER (\d+):", DOCKERFILE, re.MULTILINE)
    tree = ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp")
    rights = ("--unshare-user", "--uid", user, "--gid", user, "--cap-drop", "ALL", "--die-with-parent")
    return ("bwrap", *tree, "--ro-bind", str(ROOT), str(ROOT), "--bind", str(data), str(data), *rights, "--")


def the(kind: str, name: str) -> dict[str, Any]:
    (found,) = [each for each in MANIFESTS if (each["kind"], each["metadata"]["name"]) == (kind, name)]
    return found


def asked(port: int, path: str, **headers: str) -> tuple[int, str]:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE_S)) as connection:
        connection.request("GET", path, headers=headers)
        with connection.getresponse() as answer:
            return answer.status, answer.read().decode()


def probes(port: int) -> dict[str, tuple[int, str]]:
    """What each probe of the manifests is answered."""
    (container,) = the("StatefulSet", "arena")["spec"]["template"]["spec"]["containers"]
    asks = {name: container[name]["httpGet"] for name in ("startupProbe", "readinessProbe", "livenessProbe")}
    said = {name: {each["name"]: each["value"] for each in ask["httpHeaders"]} for name, ask in asks.items()}
    return {name: asked(port, ask["path"], **said[name]) for name, ask in asks.items()}


def health_check(port: int) -> int:
    """The exit code of the image's own."""
    (words,) = re.findall(r"HEALTHCHECK .*\\\n +CMD (\[.+\])", DOCKERFILE)
    program, *arguments = json.loads(words)
    assert program == "python" and ":8000/" in arguments[-1]
    command = [sys.executable, *arguments[:-1], arguments[-1].replace(":8000/", f":{port}/")]
    return subprocess.run(command, stderr=subprocess.DEVNULL, timeout=DEADLINE_S).returncode


def check_of_haproxy(port: int) -> tuple[int, str]:
    """What leads bots to the host."""
    (words,) = re.findall(r"http-check send (.+)", the("ConfigMap", "bots")["data"]["haproxy.cfg"])
    (path,) = re.findall(r"uri (\S+)", words)
    return asked(port, path, **dict(re.findall(r"hdr (\S+) (\S+)", words)))


async def test_it_serves_plays_and_is_found_well(tmp_path: Path) -> None:
    shutil.copy(tables(), tmp_path / TABLES)
    seed_files(tmp_path)
    forbidden = subprocess.run([*confined(tmp_path), "touch", str(ROOT / "written")], capture_output=True)
    assert b"Read-only file system" in forbidden.stderr
    (words,) = re.findall(r"^CMD (\[.+\])", DOCKERFILE, re.MULTILINE)
    serve, *arguments = json.loads(words)
    server = Server(tmp_path, **the("ConfigMap", "arena")["data"], PYTHONDONTWRITEBYTECODE="1")
    server.program, server.arguments = (*confined(tmp_path), sys.executable, "manage.py"), tuple(arguments)
    assert serve == "serve" and await asyncio.to_thread(health_check, server.port) != 0, "nobody serves yet"
    await server.start()
    try:
        assert await asyncio.to_thread(health_check, server.port) == 0
        answered = await asyncio.to_thread(probes, server.port)
        assert {name: status for name, (status, _) in answered.items()} == dict.fromkeys(answered, 200), answered
        assert await asyncio.to_thread(check_of_haproxy, server.port) == (200, answered["readinessProbe"][1])
        assert answered["readinessProbe"][1].startswith("ready")
        door = server.doors["droidcon"]
        async with Droidcon.to(door) as ada, Droidcon.to(door) as bob:
            await ada.enter("ada", "lab")
            await bob.enter("bob", "lab")
            async with asyncio.timeout(DEADLINE_S):
                await asyncio.gather(ada.play_anything(), bob.play_anything())
    finally:
        await server.stop()
    assert server.complaints == [] and "Read-only" not in server.said and "Permission" not in server.said
