"""Make the environment .venv: the locked requirements, and the package in editable form.

    python tools/setup_env.py            make or repair the environment
    python tools/setup_env.py --suits    say by the exit status whether this Python suits the course

Progress goes to standard error. A failure prints one line on standard output that names the step and what
to do; the Makefile ends with that line. The syntax stays old on purpose: a Python too old for the course must
still be able to read this file and say so.
"""

import hashlib
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
STAMP = os.path.join(VENV, "made-for")
OLDEST, NEWEST = (3, 11), (3, 13)
NAME_A_PYTHON = "install Python 3.11, 3.12 or 3.13 and name it, as in: make setup PYTHON=python3.12"


class Stop(Exception):
    """A step failed; the message names it and says what to do."""


def suits(version):
    """Return whether the course runs on this version of Python."""
    return OLDEST <= tuple(version[:2]) <= NEWEST


def check_version(version):
    """Stop when Python is too old or too new."""
    if not suits(version):
        fault = "old" if tuple(version[:2]) < OLDEST else "new"
        number = "%d.%d" % (version[0], version[1])
        raise Stop("setup: Python %s is too %s for the course; %s" % (number, fault, NAME_A_PYTHON))


def check_venv_module(uv):
    """Stop when neither uv nor the venv module is there to make an environment."""
    if uv or venv_module_found():
        return
    number = "%d.%d" % sys.version_info[:2]
    raise Stop(
        "setup: this Python %s has no venv module; install it (on Debian: apt-get install python%s-venv), "
        "or install uv, then run the same command again" % (number, number)
    )


def venv_module_found():
    """Return whether this Python can make an environment by itself (Debian splits that off)."""
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        return False
    return True


def base_key():
    """Return what an environment cannot outlive: its Python and its place."""
    return "%d.%d.%d %s" % (sys.version_info[:3] + (ROOT,))


def content_key():
    """Return a digest of what is installed into the environment."""
    digest = hashlib.sha256()
    for name in ("requirements.txt", "pyproject.toml"):
        with open(os.path.join(ROOT, name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def read_stamp():
    """Return the base key and the content key of the last complete set-up, or two empty strings."""
    if not os.path.exists(STAMP) or subprocess.call([venv_python(), "-c", ""], stderr=subprocess.DEVNULL):
        return "", ""
    with open(STAMP) as file:
        base, _, content = file.read().partition("\n")
    return base, content


def venv_python():
    """Return the path of the environment's own Python."""
    return os.path.join(VENV, *(("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")))


def run(what, advice, command):
    """Run one step, its output on standard error; stop with the advice when it fails."""
    sys.stderr.write("setup: %s\n" % what)
    sys.stderr.flush()
    try:
        status = subprocess.call(command, cwd=ROOT, stdout=sys.stderr)
    except OSError as error:
        sys.stderr.write("%s\n" % error)
        status = 1
    if status:
        raise Stop("setup: %s failed, the reason stands above; %s" % (what, advice))


def make_environment(uv):
    """Make a fresh .venv, in place of a broken, foreign or half-made one."""
    shutil.rmtree(VENV, ignore_errors=True)
    python = getattr(sys, "_base_executable", None) or sys.executable
    command = [uv, "venv", "--python", python] if uv else [python, "-m", "venv"]
    advice = "check that the folder can be written and the disk is not full, then run the same command again"
    run("making the environment .venv with " + python, advice, command + [VENV])


def install(uv):
    """Install the lock, then the package without its dependencies, which the lock holds."""
    pip = [venv_python(), "-m", "pip", "--disable-pip-version-check", "install"]
    tool = [uv, "pip", "install", "--python", venv_python()] if uv else pip
    name = "uv" if uv else "pip"
    advice = (
        "check the network or your mirror's address (PIP_INDEX_URL for pip, UV_DEFAULT_INDEX for uv), "
        "then run the same command again"
    )
    lock = ["--require-hashes", "-r", "requirements.txt"]
    run("installing requirements.txt with " + name, advice, tool + lock)
    advice = "check your changes to pyproject.toml, then run the same command again"
    package = ["--no-deps", "--no-build-isolation", "-e", "."]
    run("installing the package calibration_lessons", advice, tool + package)


def main():
    """Bring the environment up to date, or do nothing when it is."""
    check_version(sys.version_info)
    base, content = read_stamp()
    if (base, content) == (base_key(), content_key()):
        return
    uv = shutil.which("uv")
    check_venv_module(uv)
    if base == base_key():
        os.remove(STAMP)
    else:
        make_environment(uv)
    install(uv)
    with open(STAMP, "w") as file:
        file.write(base_key() + "\n" + content_key())
    sys.stderr.write("setup: the environment .venv is ready\n")


if __name__ == "__main__":
    if "--suits" in sys.argv:
        sys.exit(not suits(sys.version_info))
    try:
        main()
    except Stop as stop:
        print(stop)
        sys.exit(1)
