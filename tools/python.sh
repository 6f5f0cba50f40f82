#!/bin/sh
# Name the Python to make the environment of: `python3`, or the system's own of the same version, if `python3` was built
# without optimizations, as pyenv does by default, and takes 1.4 times as long for the same work.
# usage: tools/python.sh [SYSTEMS_PYTHON]

system="${1:-/usr/bin/python3}"
own="$(command -v python3)"
version() { "$1" -c "import ensurepip, sys; print(*sys.version_info[:2])" 2>/dev/null; }
optimized() { "$1" -c "import sysconfig; print(sysconfig.get_config_var('CONFIG_ARGS'))" | grep -q enable-optimizations; }

if [ -z "$own" ] || [ "$own" -ef "$system" ] || optimized "$own" || [ "$(version "$own")" != "$(version "$system")" ]; then
    echo python3
else
    echo "Using $system: $own was built without optimizations. To use it all the same: make PYTHON=python3" >&2
    echo "$system"
fi
