from __future__ import annotations

from pathlib import Path

import pytest

from tests.data import NO_DATA, data_folder


@pytest.fixture(scope="session")
def shared_data() -> Path:
    folder = data_folder()
    if not folder.is_dir():
        pytest.skip(NO_DATA)
    return folder
