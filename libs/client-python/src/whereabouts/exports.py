from __future__ import annotations

import hashlib
from typing import Any, BinaryIO, Callable, Dict, List, Optional

from .calls import Calls, Steps
from .types import Export, ExportDetail, ExportFile

PAGE = 200
PIECE = 4 * 2**20  # bytes of one request


class ExportFailed(Exception):
    """The rows of an export could not be made into files. The message says what to do."""


def list_all(calls: Calls) -> Steps[List[Export]]:
    """See `exports.list` of the clients."""
    found: List[Export] = []
    while True:
        page = yield from calls.call("GET", "/api/v1/exports", {"limit": PAGE, "offset": len(found)})
        found += page["data"]
        if not page["data"] or len(found) >= page["total_count"]:
            return found


def wait_for(
    calls: Calls, export_id: int, on_progress: Optional[Callable[[ExportDetail], object]], interval: float
) -> Steps[ExportDetail]:
    """See `exports.wait` of the clients."""
    while True:
        state: ExportDetail = yield from calls.data("GET", f"/api/v1/exports/{export_id}")
        if on_progress:
            on_progress(state)
        if state["status"] == "failed":
            raise ExportFailed(state["problem"] or "The export failed.")
        if state["finished_at"] is not None:
            return state
        yield float(interval)


def download(calls: Calls, file: ExportFile, target: BinaryIO) -> Steps[None]:
    """See `exports.download` of the clients. Piece by piece: so a connection that breaks costs one piece."""
    digest, size = hashlib.sha256(), file["bytes"]
    for first in range(0, size, PIECE):
        last = min(first + PIECE, size) - 1
        headers: Dict[str, str] = {"range": f"bytes={first}-{last}", "if-range": f'"{file["sha256"]}"'}
        response: Any = yield from calls.link(file["url"], headers)
        if response.status_code != 206 or len(response.content) != last - first + 1:
            raise ValueError(f"{file['name']} is not the file of the export any more. Read the export again.")
        digest.update(response.content)
        target.write(response.content)
    if digest.hexdigest() != file["sha256"]:
        raise ValueError(f"{file['name']} does not have the checksum of the export. Download it again.")
