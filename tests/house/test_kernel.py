"""The kernel that `make test` starts for a notebook."""

import socket
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import KernelManager
from nbval import kernel

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.kernel
def test_a_kernel_whose_port_another_process_took_is_started_again(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    collector = request.config.pluginmanager.get_plugin(str(ROOT / "conftest.py")).Notebook
    notebook = collector.from_parent(request.session, path=ROOT / "book/uncertainty/coin.ipynb")
    with socket.create_server(("127.0.0.1", 0)) as other:
        ports = [{}, {"cache_ports": False, "shell_port": other.getsockname()[1]}]

        def start(**options: Any) -> KernelManager:
            return KernelManager(**options, **ports.pop())

        monkeypatch.setattr(kernel, "KernelManager", start)
        notebook.setup()
    assert not ports and notebook.kernel.is_alive()
    notebook.teardown()
