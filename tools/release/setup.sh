#!/bin/sh
# Make the environment .venv anew with what the site needs: `tools/release/setup.sh python3.12`. Or add a lock to it:
# `tools/release/setup.sh .venv/bin/python requirements.txt`. Make calls both.
# uv installs the locks: the one on the path, else the locked one. Where it cannot be had or fails, pip does.

python=$1 lock=${2:-requirements-site.txt}
name_one="install Python 3.11, 3.12 or 3.13 and name it, as in: make setup PYTHON=python3.12"
again="then run the same command again"

tell() { echo "setup: $1" >&2; }
stop() { tell "$1"; exit 1; }

version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])') || stop "$python does not run; $name_one"
case $version in
    3.11 | 3.12 | 3.13) ;;
    2.* | 3.? | 3.10) stop "Python $version is too old for the course; $name_one" ;;
    *) stop "Python $version is too new for the course; $name_one" ;;
esac
base=$("$python" -c 'import sys; print(sys._base_executable)') # also where an active environment gives the Python

uv=$(command -v uv || ls .venv/bin/uv 2>/dev/null)
if [ "$2" ]; then
    true
elif tell "making the environment .venv with Python $version"; rm -rf .venv; uv=$(command -v uv); then
    "$uv" venv --quiet --python "$base" .venv
elif "$base" -c 'import ensurepip, venv' 2>/dev/null; then
    "$base" -m venv .venv
else
    stop "this Python $version has no venv module; install it (on Debian: apt-get install python$version-venv), or install uv, $again"
fi || stop "the environment .venv could not be made; check that this folder can be written to and the disk is not full, $again"

venv=.venv/bin/python
pip() { $venv -m pip --disable-pip-version-check "$@"; }
install() {
    [ "$uv" ] && "$uv" pip install --quiet --compile-bytecode --python $venv "$@" && return
    [ "$uv" ] && tell "uv failed; pip tries, which takes a minute or more"
    uv=
    $venv -m ensurepip >/dev/null 2>&1 # uv makes environments without pip
    pip install --quiet "$@"
}
[ "$uv" ] || {
    tell "fetching uv"
    sed -n '/^uv==/,/[^\\]$/p' requirements.txt | pip install --quiet --require-hashes -r /dev/stdin && uv=.venv/bin/uv
}
cache=${UV_CACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/nowhere}/.cache}/uv} # where it cannot be written, uv has none
mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ] || export UV_NO_CACHE=1
export UV_DEFAULT_INDEX="${UV_DEFAULT_INDEX:-${PIP_INDEX_URL:-$(pip config get global.index-url 2>/dev/null)}}"
tell "installing $(sed -n 's/^\([a-z0-9._-]*\).*==.*/\1/p' "$lock" | sort -u | wc -l) packages"
install --require-hashes -r "$lock" ||
    stop "installing $lock failed, the reason stands above; check the network or your mirror's address (PIP_INDEX_URL), $again"
[ "$2" ] && touch .venv/made && tell "the environment .venv is complete" && exit
install --no-deps --no-build-isolation -e . ||
    stop "installing calibration_lessons failed, the reason stands above; mend pyproject.toml, $again"
echo "$PWD $1" >.venv/site
tell "the environment .venv is ready"
