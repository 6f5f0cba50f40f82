"""Image, compose file, manifests, unit and proxies keep the rules that docs/deployment.md promises."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from arena.cluster.lease import LASTS_S
from arena.management.commands.worker import Command
from arena.protocols import protocols

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "docs" / "deploy"
DOORS = sorted(adapter.port for adapter in protocols().values())
# With any of these of systemd, bubblewrap cannot make the namespaces in which bots run.
IN_THE_WAY = (
    *("ProtectHostname", "ProtectKernelTunables", "ProtectKernelLogs", "ProtectProc", "ProcSubset"),
    *("ProtectControlGroups", "RestrictNamespaces", "SystemCallFilter", "MemoryDenyWriteExecute"),
)

Values = dict[str, Any]


@pytest.fixture(scope="module")
def compose() -> Values:
    return dict(yaml.safe_load((ROOT / "compose.yaml").read_text()))


@pytest.fixture(scope="module")
def manifests() -> list[Values]:
    return list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()))


def instructions() -> list[tuple[str, str]]:
    """The lines of the Dockerfile as (instruction, arguments)."""
    text = re.sub(r"\\\n\s*", "", re.sub(r"(?m)^#.*\n", "", (ROOT / "Dockerfile").read_text()))
    return [(name, said) for name, _, said in (line.partition(" ") for line in text.splitlines() if line)]


def numbers(text: str) -> set[int]:
    """`4200-4206 4242` → each port of them."""
    found: set[int] = set()
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", text):
        found |= set(range(int(first), int(last or first) + 1))
    return found


def ports_of_bots() -> set[int]:
    """Those that a server opens where nothing else is set."""
    known = dict(re.findall(r"(?m)^#(ARENA_\w+_PORTS)=(.+)$", (ROOT / ".env.example").read_text()))
    return {*DOORS, *numbers(known["ARENA_SEAT_PORTS"]), *numbers(known["ARENA_BOT_PORTS"])}


# -- the image ---------------------------------------------------------------------------------------------------------


def test_the_image_runs_without_root_and_is_asked_whether_it_is_well() -> None:
    said = instructions()
    last = dict(said[max(n for n, (name, _) in enumerate(said) if name == "FROM") :])
    assert last["USER"].startswith("10001")
    assert last["VOLUME"] == "/data" and "ARENA_DATA=/data" in last["ENV"]
    assert "/readyz" in last["HEALTHCHECK"]
    assert last["ENTRYPOINT"] == '["tini", "--", "arena"]', "signals reach the server, and somebody reaps orphans"
    assert numbers(last["EXPOSE"]) == {8000, *ports_of_bots()}


def test_the_image_is_made_of_all_that_the_package_needs_and_of_nothing_else() -> None:
    copied = {
        source
        for name, said in instructions()
        if name == "COPY" and "--from" not in said
        for source in said.split()[:-1]
    }
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert copied == let_in and all((ROOT / source).exists() for source in copied)
    project = (ROOT / "pyproject.toml").read_text()
    included = re.search(r"force-include\]\n((?:\".+\n)+)", project)
    assert included is not None
    assert {line.split('"')[1] for line in included[1].splitlines()} | {"arena", "games"} <= copied


def test_every_package_of_the_image_is_pinned_by_its_hash() -> None:
    installs = [said for name, said in instructions() if name == "RUN" and "pip install" in said]
    assert [("--require-hashes" in said, "--no-deps" in said) for said in installs] == [(True, False), (False, True)]


# -- compose -----------------------------------------------------------------------------------------------------------


def servers(compose: Values) -> dict[str, Values]:
    return {name: each for name, each in compose["services"].items() if each.get("image") == "arena"}


def test_one_server_starts_without_anything_that_was_set(compose: Values) -> None:
    started = [name for name, each in compose["services"].items() if "profiles" not in each]
    assert started == ["arena"]
    arena = compose["services"]["arena"]
    assert arena["volumes"] == ["arena:/data"]
    published = [entry for entry in arena["ports"] if "8000" not in entry]
    assert set().union(*(numbers(entry.split(":")[0]) for entry in published)) == ports_of_bots()
    assert "127.0.0.1:8000:8000" in arena["ports"], "without TLS pages are for this machine"
    needed = re.findall(r"\$\{[A-Z_]+(?!:-)[^}]*\}", (ROOT / "compose.yaml").read_text())
    assert [entry for entry in needed if ":-" not in entry] == []


def test_servers_have_no_rights_they_do_not_need(compose: Values) -> None:
    assert sorted(servers(compose)) == ["arena", "one", "tables", "three", "two"]
    for server in servers(compose).values():
        assert server["read_only"] and server["cap_drop"] == ["ALL"] and server["tmpfs"] == ["/tmp"]
        assert server["security_opt"] == ["no-new-privileges:true"]
        assert all(volume.endswith(":/data") for volume in server["volumes"])


def test_a_cluster_waits_for_its_tables_and_they_for_the_database(compose: Values) -> None:
    services = compose["services"]
    assert services["tables"]["command"] == ["migrate", "--noinput"]
    for name in ("one", "two", "three"):
        waits = services[name]["depends_on"]
        assert waits["tables"]["condition"] == "service_completed_successfully"
        assert waits["postgres"]["condition"] == waits["redis"]["condition"] == "service_healthy"
        assert services[name]["volumes"] == [f"{name}:/data"]
        assert services[name]["networks"] == {"default": {"aliases": ["servers"]}}, "nginx knows them by this name"
    for name in ("pages", "bots"):
        assert set(services[name]["depends_on"]) == {"one", "two", "three"}
    assert "--host=127.0.0.1" in services["postgres"]["healthcheck"]["test"], "ready only once others can reach it"
    assert set(compose["volumes"]) == {"arena", "one", "two", "three", "postgres"}


def test_every_setting_that_is_passed_on_is_one(compose: Values) -> None:
    known = set(re.findall(r"^#([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    # What the image and the published ports say, or what is no matter of the server.
    fixed = {"ARENA_BOTS", "ARENA_BOT_PORTS", "ARENA_DATA", "ARENA_SEAT_PORTS", "DEBUG", "PORT"}
    for server in servers(compose).values():
        assert set(server["environment"]) == known - fixed, "in `.env` the others would have no effect"
    handbook = (ROOT / "docs" / "deployment.md").read_text()
    (block,) = re.findall(r"```\n(ALLOWED_HOSTS=.+?)```", handbook, re.DOTALL)
    shown = {line.split("=")[0] for line in block.splitlines()}
    assert shown <= set(compose["services"]["one"]["environment"]) | {"POSTGRES_PASSWORD"}


# -- Kubernetes --------------------------------------------------------------------------------------------------------


def pods(manifests: list[Values]) -> Iterator[Values]:
    for each in manifests:
        if each["kind"] in ("StatefulSet", "Deployment"):
            yield each["spec"]["template"]["spec"]


def the(manifests: list[Values], kind: str, name: str) -> Values:
    (found,) = [each for each in manifests if (each["kind"], each["metadata"]["name"]) == (kind, name)]
    return found


def test_no_pod_may_do_more_than_it_must(manifests: list[Values]) -> None:
    assert len(list(pods(manifests))) == 2
    for pod in pods(manifests):
        assert pod["securityContext"]["runAsNonRoot"] and not pod["automountServiceAccountToken"]
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in [*pod.get("initContainers", []), *pod["containers"]]:
            rights = container["securityContext"]
            assert rights["readOnlyRootFilesystem"] and not rights["allowPrivilegeEscalation"]
            assert rights["capabilities"] == {"drop": ["ALL"]}


def test_a_server_without_its_database_gets_no_pages_but_is_not_started_again(manifests: list[Values]) -> None:
    (server,) = the(manifests, "StatefulSet", "arena")["spec"]["template"]["spec"]["containers"]
    ready, alive = server["readinessProbe"]["httpGet"], server["livenessProbe"]["httpGet"]
    assert ready["path"] == server["startupProbe"]["httpGet"]["path"] == "/readyz"
    assert (ROOT / alive["path"].removeprefix("/")).exists(), "a file, which needs neither database nor host"
    host = the(manifests, "ConfigMap", "arena")["data"]["ALLOWED_HOSTS"]
    for probe in (ready, alive):
        assert {"name": "Host", "value": host} in probe["httpHeaders"], "others are refused"
        assert {"name": "X-Forwarded-Proto", "value": "https"} in probe["httpHeaders"], "else it is led to https"


def test_bots_are_let_in_at_every_port_that_a_server_opens(manifests: list[Values]) -> None:
    data = the(manifests, "ConfigMap", "arena")["data"]
    expected = {*DOORS, *numbers(data["ARENA_SEAT_PORTS"]), *numbers(data["ARENA_BOT_PORTS"])}
    service = the(manifests, "Service", "bots")["spec"]["ports"]
    assert {each["port"] for each in service} == expected
    balancer = the(manifests, "ConfigMap", "bots")["data"]["haproxy.cfg"]
    assert set().union(*map(numbers, re.findall(r"bind :(\S+)", balancer))) == expected
    known = set(re.findall(r"^#([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert set(data) <= known


def test_everything_selected_is_there(manifests: list[Values]) -> None:
    labels = [
        each["spec"]["template"]["metadata"]["labels"] for each in manifests if "template" in each.get("spec", {})
    ]
    for each in manifests:
        if each["kind"] == "Service":
            assert each["spec"]["selector"] in labels
        if each["kind"] in ("StatefulSet", "Deployment"):
            assert each["spec"]["selector"]["matchLabels"] in labels
    assert the(manifests, "StatefulSet", "arena")["spec"]["serviceName"] in {
        each["metadata"]["name"] for each in manifests if each["kind"] == "Service"
    }


# -- the unit and the proxies ------------------------------------------------------------------------------------------


def test_the_unit_is_hardened_and_leaves_the_sandbox_what_it_needs() -> None:
    lines = [line for line in (DEPLOY / "arena.service").read_text().splitlines() if "=" in line and line[0] != "#"]
    unit = dict(line.split("=", 1) for line in lines)
    assert [name for name in IN_THE_WAY if name in unit] == []
    assert unit["NoNewPrivileges"] == unit["ProtectHome"] == unit["PrivateTmp"] == unit["Delegate"] == "yes"
    assert unit["KillMode"] == "mixed", "a bot that is told to stop as well has lost"
    assert (unit["ProtectSystem"], unit["CapabilityBoundingSet"], unit["User"]) == ("strict", "", "arena")
    assert "AF_NETLINK" in unit["RestrictAddressFamilies"], "bubblewrap sets its loopback device up with it"
    assert f"/var/lib/{unit['StateDirectory']}" == unit["Environment"].removeprefix("ARENA_DATA=")


def test_nginx_takes_its_file(tmp_path: Path) -> None:
    make = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=x", "-keyout", "privkey.pem")
    subprocess.run([*make, "-out", "fullchain.pem"], cwd=tmp_path, check=True, capture_output=True)
    text = (DEPLOY / "nginx.conf").read_text().replace("/etc/nginx/tls", str(tmp_path))
    # Only root may have the ports.
    text = f"pid {tmp_path}/pid;\n" + text.replace("listen 80 ", "listen 8080 ").replace("listen 443 ", "listen 8443 ")
    (tmp_path / "nginx.conf").write_text(text)
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    said = subprocess.run([program, "-t", "-c", tmp_path / "nginx.conf"], capture_output=True, text=True)
    assert said.returncode == 0 and "test is successful" in said.stderr, said.stderr


def test_haproxy_leads_every_port_of_bots_to_the_host() -> None:
    text = (DEPLOY / "haproxy.cfg").read_text()
    assert set().union(*map(numbers, re.findall(r"bind :(\S+)", text))) == ports_of_bots()
    assert re.findall(r"(?m)^    server (\w+) \1$", text) == ["one", "two", "three"]
    assert "GET uri /readyz" in text and "expect rstring ^ready" in text


def test_a_host_that_answers_slowly_keeps_its_bots_as_long_as_its_lease(manifests: list[Values]) -> None:
    for text in ((DEPLOY / "haproxy.cfg").read_text(), the(manifests, "ConfigMap", "bots")["data"]["haproxy.cfg"]):
        (seconds,), (failed,) = re.findall(r"timeout check (\d+)s", text), re.findall(r" fall (\d+)", text)
        assert int(seconds) * int(failed) >= LASTS_S, "it closes connections when its checks have failed"


# -- the handbook of workers -------------------------------------------------------------------------------------------


def test_what_the_handbook_gives_for_workers_is_what_the_programs_read(tmp_path: Path) -> None:
    unit, service, manifest = blocks_for_workers()
    lines = dict(line.split("=", 1) for line in unit.splitlines() if "=" in line)
    assert lines["KillMode"] == "mixed", "else the grace of a worker is none for its bots"
    assert f"ARENA_DATA=/var/lib/{lines['StateDirectory']}" == lines["Environment"], "a folder that systemd makes"
    text = (ROOT / "compose.yaml").read_text()
    compose = yaml.safe_load(text.replace("\nservices:\n", f"\nservices:\n{service}"))["services"]["worker"]
    assert compose["profiles"] == ["workers"], "`docker compose up` alone starts none"
    assert compose["healthcheck"] == {"disable": True}, "it has no pages to be asked for"
    pod = yaml.safe_load(manifest)["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert "command" not in container and "entrypoint" not in compose, (
        "the image knows the program, and nothing else does"
    )
    program = lines["ExecStart"].split()
    assert program[0].endswith("python") and program[1].endswith("manage.py")
    for name, *words in (compose["command"], container["args"], program[2:]):
        assert name == "worker"
        assert Command().create_parser("manage.py", name).parse_args(words).grace < 40, "it is killed then"
    assert lines["TimeoutStopSec"] == "40" and compose["stop_grace_period"] == "40s"
    assert pod["terminationGracePeriodSeconds"] == 40
    if verify := shutil.which("systemd-analyze"):
        (tmp_path / "worker.service").write_text(re.sub(r"ExecStart=\S+", f"ExecStart={sys.executable}", unit))
        done = subprocess.run([verify, "verify", "./worker.service"], cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")


def blocks_for_workers() -> list[str]:
    """The unit, the service for compose and the manifest of docs/cluster.md."""
    blocks = re.findall(r"(?s)```\n(.*?)```", (ROOT / "docs" / "cluster.md").read_text())
    heads = ("[Unit]", "  worker:", "apiVersion:")
    return [next(block for block in blocks if block.startswith(head)) for head in heads]


def test_an_image_for_workers_has_what_they_need(compose: Values) -> None:
    said = instructions()
    assert ("ARG", "REQUIREMENTS=requirements.lock") in said, "and only who asks for more gets it"
    assert any("-r $REQUIREMENTS" in words for name, words in said if name == "RUN")
    handbook = (ROOT / "docs" / "cluster.md").read_text()
    (lock,) = set(re.findall(r"REQUIREMENTS=(requirements\S+\.lock)", handbook))
    assert re.search(r"(?m)^procrastinate==", (ROOT / lock).read_text())
    assert any(lock in words for name, words in said if name == "COPY")
    for server in servers(compose).values():
        assert server["build"]["args"] == {"REQUIREMENTS": "${REQUIREMENTS:-requirements.lock}"}
