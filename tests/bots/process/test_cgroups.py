"""Where control groups are, and what is written into them; `test_launch.py` bounds real bots with real ones."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from arena.bots.process.cgroups import NEEDED, CgroupFolder, Events, Groups, delegate, find, locate

MIB = 1 << 20

VERSION_1 = """\
31 23 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs rw
34 31 0:29 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
35 31 0:30 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
36 31 0:31 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd
"""


def test_version_1_has_a_folder_for_each_controller() -> None:
    own = "5:pids:/\n4:memory:/user/alice\n1:name=systemd:/x\n0::/\n"
    assert locate(own, VERSION_1) == {
        "memory": CgroupFolder(1, Path("/sys/fs/cgroup/memory/user/alice")),
        "pids": CgroupFolder(1, Path("/sys/fs/cgroup/pids")),
    }


def test_a_container_that_sees_a_part_of_the_hierarchy() -> None:
    mounts = VERSION_1.replace("0:29 / ", "0:29 /docker/c1 ")
    own = "5:pids:/elsewhere/c1\n4:memory:/docker/c1/server\n"
    assert locate(own, mounts)["memory"].folder == Path("/sys/fs/cgroup/memory/server")
    mounts = VERSION_1.replace("0:30 / ", "0:30 /docker/c1 ")
    assert locate(own, mounts)["pids"].folder == Path("/sys/fs/cgroup/pids"), "a path that lies outside"


def test_of_two_mounts_the_system_s_own_counts() -> None:
    of_another_root = VERSION_1.replace("/sys/fs/cgroup", "/srv/root/sys/fs/cgroup")
    assert locate("5:pids:/\n4:memory:/\n", VERSION_1 + of_another_root) == locate("5:pids:/\n4:memory:/\n", VERSION_1)


def test_version_2_has_one_folder_with_the_controllers_it_offers(tmp_path: Path) -> None:
    mounts = f"30 23 0:26 / {tmp_path} rw,nosuid - cgroup2 cgroup2 rw\n"
    folder = tmp_path / "arena.service"
    folder.mkdir()
    (folder / "cgroup.controllers").write_text("cpu memory pids\n")
    assert locate("0::/arena.service\n", mounts) == dict.fromkeys(NEEDED, CgroupFolder(2, folder))
    (folder / "cgroup.controllers").write_text("hugetlb\n")
    assert locate("0::/arena.service\n", mounts) == {}


@pytest.fixture
def service(tmp_path: Path) -> Path:
    """The files of a delegated group of version 2, with this process in it."""
    folder = tmp_path / "arena.service"
    folder.mkdir()
    (folder / "cgroup.controllers").write_text("cpu io memory pids\n")
    (folder / "cgroup.subtree_control").write_text("\n")
    (folder / "cgroup.procs").write_text(f"{os.getpid()}\n")
    return folder


def test_the_server_moves_into_a_leaf_and_its_group_hands_limits_on(service: Path) -> None:
    with subprocess.Popen(["sleep", "600"]) as child:
        (service / "cgroup.procs").write_text(f"{child.pid}\n{os.getpid()}\n")
        assert delegate(service) == service
        child.kill()
    assert (service / "arena" / "cgroup.procs").read_text() == str(os.getpid()), "written one by one, the last stays"
    assert (service / "cgroup.subtree_control").read_text() == "+memory +pids +cpu"


def test_a_group_that_hands_on_already_is_taken_as_it_is(service: Path) -> None:
    (service / "cgroup.subtree_control").write_text("memory pids\n")
    assert delegate(service) == service
    assert delegate(service / "arena") == service, "from a process that has moved"


def test_a_group_with_other_processes_is_left_alone(service: Path) -> None:
    (service / "cgroup.procs").write_text(f"1\n{os.getpid()}\n")
    with pytest.raises(OSError, match="other processes too, for example 1"):
        delegate(service)
    assert not (service / "arena").exists()


def test_the_limits_and_the_events_of_version_2(service: Path) -> None:
    group = Groups(2, dict.fromkeys(NEEDED, service)).make("7", 64 * MIB, 10)
    folder = service / f"arena-{os.getpid()}-7"
    assert (folder / "memory.max").read_text() == str(64 * MIB)
    assert (folder / "pids.max").read_text() == "10"
    assert group.doors == (str(folder / "cgroup.procs"),)
    assert group.events() == Events()
    (folder / "memory.events").write_text("low 0\noom 3\noom_kill 2\n")
    (folder / "pids.events").write_text("max 5\n")
    assert group.events() == Events(2, 5)


def test_what_a_killed_server_left_is_removed(service: Path) -> None:
    with subprocess.Popen(["true"]) as gone:
        pass
    for name in (f"arena-{gone.pid}-3", f"arena-{os.getpid()}-3", "arena"):
        (service / name).mkdir()
    Groups(2, dict.fromkeys(NEEDED, service)).sweep()
    left = {path.name for path in service.iterdir() if path.is_dir()}
    assert left == {f"arena-{os.getpid()}-3", "arena"}


def test_this_machine_makes_groups_or_says_why_not() -> None:
    try:
        groups = find()
    except OSError as why:
        assert str(why)
        return
    group = groups.make("test", 64 * MIB, 10)
    try:
        assert group.events() == Events()
        with subprocess.Popen(["sh", "-c", f"echo $$ > {group.doors[0]} && exec sleep 600"]) as child:
            while str(child.pid) not in Path(group.doors[0]).read_text().split():
                assert child.poll() is None
            group.kill()
    finally:
        while not group.remove():
            pass
    assert not any(folder.exists() for folder in group.folders.values())
