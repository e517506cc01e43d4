from __future__ import annotations

from types import TracebackType
from typing import AsyncIterator, Iterator, Optional, Type

import httpx


class HeraldFile:
    """A response that is not JSON, such as a picture or a CSV export. Read it once; `with` closes it early."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self.content_type: str = response.headers.get("content-type", "application/octet-stream")

    def read(self) -> bytes:
        return self._response.read()

    def text(self) -> str:
        self._response.read()
        return self._response.text

    def stream(self) -> Iterator[bytes]:
        """For responses of any length."""
        return self._response.iter_bytes()

    def close(self) -> None:
        self._response.close()

    def __enter__(self) -> HeraldFile:
        return self

    def __exit__(
        self,
        _type: Optional[Type[BaseException]],
        _error: Optional[BaseException],
        _traceback: Optional[TracebackType],
    ) -> None:
        self.close()


class AsyncHeraldFile:
    """As HeraldFile, for the asynchronous client."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self.content_type: str = response.headers.get("content-type", "application/octet-stream")

    async def read(self) -> bytes:
        return await self._response.aread()

    async def text(self) -> str:
        await self._response.aread()
        return self._response.text

    def stream(self) -> AsyncIterator[bytes]:
        """For responses of any length."""
        return self._response.aiter_bytes()

    async def close(self) -> None:
        await self._response.aclose()

    async def __aenter__(self) -> AsyncHeraldFile:
        return self

    async def __aexit__(
        self,
        _type: Optional[Type[BaseException]],
        _error: Optional[BaseException],
        _traceback: Optional[TracebackType],
    ) -> None:
        await self.close()
