from __future__ import annotations

from types import TracebackType
from typing import Optional, Type, TypeVar

_Self = TypeVar("_Self")


class Closing:
    """Closed at the end of `with`."""

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(
        self,
        _type: Optional[Type[BaseException]],
        _error: Optional[BaseException],
        _traceback: Optional[TracebackType],
    ) -> None:
        self.close()


class AsyncClosing:
    """Closed at the end of `async with`."""

    async def close(self) -> None:
        raise NotImplementedError

    async def __aenter__(self: _Self) -> _Self:
        return self

    async def __aexit__(
        self,
        _type: Optional[Type[BaseException]],
        _error: Optional[BaseException],
        _traceback: Optional[TracebackType],
    ) -> None:
        await self.close()
