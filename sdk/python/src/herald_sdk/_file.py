from __future__ import annotations

from typing import AsyncIterator, Iterator

import httpx

from ._closing import AsyncClosing, Closing
from ._lines import LineSplitter


class _Response:
    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self.content_type: str = response.headers.get("content-type", "application/octet-stream")


class HeraldFile(_Response, Closing):
    """A response that is not JSON, such as a picture or a CSV export. Read it once; `with` closes it early."""

    def read(self) -> bytes:
        return self._response.read()

    def text(self) -> str:
        self._response.read()
        return self._response.text

    def stream(self) -> Iterator[bytes]:
        """For responses of any length."""
        return self._response.iter_bytes()

    def lines(self) -> Iterator[str]:
        splitter = LineSplitter()
        for text in self._response.iter_text():
            yield from splitter.add(text)
        yield from splitter.end()

    def close(self) -> None:
        self._response.close()


class AsyncHeraldFile(_Response, AsyncClosing):
    """As HeraldFile, for the asynchronous client."""

    async def read(self) -> bytes:
        return await self._response.aread()

    async def text(self) -> str:
        await self._response.aread()
        return self._response.text

    def stream(self) -> AsyncIterator[bytes]:
        """For responses of any length."""
        return self._response.aiter_bytes()

    async def lines(self) -> AsyncIterator[str]:
        splitter = LineSplitter()
        async for text in self._response.aiter_text():
            for line in splitter.add(text):
                yield line
        for line in splitter.end():
            yield line

    async def close(self) -> None:
        await self._response.aclose()
