#!/bin/sh
# Have programs on this machine: install the packages of those that are missing, or stop with the exact line to type.
# usage: tools/need.sh PROGRAM[/ANOTHER]:PACKAGE[,PACKAGE...] ...
# ANOTHER does as well where the packages of PROGRAM cannot be had.

# Where servers lie, which Debian keeps out of the PATH of users.
PATH="$PATH:/usr/sbin:/sbin"
has() { command -v "$1" >/dev/null 2>&1; }
can_install() { { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; } && apt-cache show "$1" >/dev/null 2>&1; }

missing=""
for pair in "$@"; do
    programs="${pair%%:*}"
    packages="$(echo "${pair#*:}" | tr ',' ' ')"
    has "${programs%%/*}" && continue
    has "${programs#*/}" && ! can_install "${packages%% *}" && continue
    missing="$missing $packages"
done
[ -z "$missing" ] && exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "Missing here:$missing. Install these with the package manager of this system, then type the command again." >&2
    exit 1
fi
install="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" = 0 ]; then
    as_root=""
elif sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    echo "Missing here:$missing. Type this, then the command again:  sudo sh -c 'apt-get update && $install'" >&2
    exit 1
fi
echo "Installing$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -q && $as_root $install
