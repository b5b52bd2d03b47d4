"""The parts of following events that do no I/O to the API."""

from __future__ import annotations

import os
from typing import Any, Dict, Iterable, Optional, Protocol

from .errors import ApiError

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
WAIT = 25  # seconds that the API holds an empty answer back: less than the timeout of an attempt


class CursorStore(Protocol):
    """Where a program keeps the cursor up to which it has handled events: a file, or a row of its own database."""

    def read(self) -> Optional[str]: ...
    def write(self, cursor: str) -> None: ...


class CursorFile:
    """Keeps the cursor in a file, which is replaced as a whole."""

    def __init__(self, path: str) -> None:
        self._path = path

    def read(self) -> Optional[str]:
        try:
            with open(self._path, encoding="utf-8") as file:
                return file.read().strip() or None
        except FileNotFoundError:
            return None

    def write(self, cursor: str) -> None:
        with open(f"{self._path}.new", "w", encoding="utf-8") as file:
            file.write(f"{cursor}\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(f"{self._path}.new", self._path)


class Place:
    """What to ask for next, and how long to wait after a failure."""

    def __init__(self, store: Optional[CursorStore], types: Optional[Iterable[str]], start: str) -> None:
        self._store, self._types = store, None if types is None else list(types)
        self._after = (store.read() if store else None) or ("now" if start == "now" else None)
        self._failures = 0

    def query(self) -> Dict[str, Any]:
        return {"limit": 500, "wait": WAIT, "after": self._after, "type": self._types}

    def handled(self, cursor: str) -> None:
        self._failures = 0
        if cursor != self._after and self._store:
            self._store.write(cursor)
        self._after = cursor

    def failed(self, error: ApiError) -> float:
        """Seconds to wait. Raises an error that would come again."""
        if error.status is not None and 300 <= error.status < 500 and error.status != 429:
            raise error
        self._failures += 1
        return min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(self._failures - 1, 10))
