from __future__ import annotations

from typing import List


class LineSplitter:
    """Splits text into lines at `\\n` and `\\r\\n` only: `str.splitlines` and httpx also split at characters that JSON
    contains as they are, such as U+2028."""

    def __init__(self) -> None:
        self._rest: List[str] = []

    def add(self, text: str) -> List[str]:
        """The lines that end in this part of the text."""
        *lines, rest = text.split("\n")
        if lines:
            lines[0] = "".join(self._rest) + lines[0]
            self._rest = []
        self._rest.append(rest)
        return [line.removesuffix("\r") for line in lines]

    def end(self) -> List[str]:
        """The last line, if no line break follows it."""
        rest = "".join(self._rest)
        return [] if rest == "" else [rest]
