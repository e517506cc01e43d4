from __future__ import annotations

import asyncio
import math
import time
from typing import Any, Awaitable, Callable, Optional

import httpx

from ._closing import AsyncClosing, Closing
from ._generated import types
from ._generated.api import HeraldApi
from ._generated.async_api import AsyncHeraldApi
from ._transport import (
    DEFAULT_MAX_WAIT,
    DEFAULT_RETRIES,
    DEFAULT_TIMEOUT,
    AsyncTransport,
    Transport,
    _Settings,
)

LONGEST_POLL = 25
"""The longest poll that the service takes, in seconds."""


class _Wait:
    """Repeats a long poll until its status is not `pending` or the time is up."""

    def __init__(self, timeout: Optional[float]) -> None:
        self._ends_at = math.inf if timeout is None else time.monotonic() + timeout
        self._polled_at = 0.0

    def next_poll(self) -> int:
        self._polled_at = time.monotonic()
        remaining = min(LONGEST_POLL, self._ends_at - self._polled_at)
        return max(0, math.ceil(remaining))

    def is_over(self, polled: Any) -> bool:
        return bool(polled["status"] != "pending" or time.monotonic() >= self._ends_at)

    def pause(self) -> float:
        """A service that stops ends its long polls early."""
        now = time.monotonic()
        return max(0.0, min(1.0 - (now - self._polled_at), self._ends_at - now))


def _wait(poll: Callable[[int], Any], timeout: Optional[float]) -> Any:
    wait = _Wait(timeout)
    while True:
        polled = poll(wait.next_poll())
        if wait.is_over(polled):
            return polled
        time.sleep(wait.pause())


async def _wait_async(poll: Callable[[int], Awaitable[Any]], timeout: Optional[float]) -> Any:
    wait = _Wait(timeout)
    while True:
        polled = await poll(wait.next_poll())
        if wait.is_over(polled):
            return polled
        await asyncio.sleep(wait.pause())


class Herald(HeraldApi, Closing):
    """A client of one project. Use it as a context manager, or call close().

    `api_key` and `base_url` default to the environment variables HERALD_API_KEY and HERALD_URL. A Retry-After above
    `max_retry_wait` seconds is not waited for: the error is raised.
    """

    def __init__(
        self,
        api_key: Optional[str] = None,
        base_url: Optional[str] = None,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        max_retries: int = DEFAULT_RETRIES,
        max_retry_wait: float = DEFAULT_MAX_WAIT,
        http_client: Optional[httpx.Client] = None,
    ) -> None:
        settings = _Settings(api_key, base_url, timeout, max_retries, max_retry_wait)
        self._transport = Transport(settings, http_client)
        super().__init__(self._transport)

    def wait_for_session(
        self, session_id: str, *, timeout: Optional[float] = None
    ) -> types.AuthGetSessionStatusResponse:
        """Waits until the user has answered or the session has ended, by long polls.

        The response has the code once `status` is `confirmed`; check that its `state` belongs to the browser before you
        redeem the code. After `timeout` seconds it returns what is there, even if it is still pending.
        """
        polled: types.AuthGetSessionStatusResponse = _wait(
            lambda wait: self.auth.get_session_status(session_id, wait=wait), timeout
        )
        return polled

    def wait_for_request(
        self, request_id: str, *, timeout: Optional[float] = None
    ) -> types.AuthGetRequestResponse:
        """Waits until an approval is decided or has ended, by long polls."""
        polled: types.AuthGetRequestResponse = _wait(
            lambda wait: self.auth.get_request(request_id, wait=wait), timeout
        )
        return polled

    def close(self) -> None:
        self._transport.close()


class AsyncHerald(AsyncHeraldApi, AsyncClosing):
    """As Herald, for asyncio."""

    def __init__(
        self,
        api_key: Optional[str] = None,
        base_url: Optional[str] = None,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        max_retries: int = DEFAULT_RETRIES,
        max_retry_wait: float = DEFAULT_MAX_WAIT,
        http_client: Optional[httpx.AsyncClient] = None,
    ) -> None:
        settings = _Settings(api_key, base_url, timeout, max_retries, max_retry_wait)
        self._transport = AsyncTransport(settings, http_client)
        super().__init__(self._transport)

    async def wait_for_session(
        self, session_id: str, *, timeout: Optional[float] = None
    ) -> types.AuthGetSessionStatusResponse:
        """As Herald.wait_for_session."""
        polled: types.AuthGetSessionStatusResponse = await _wait_async(
            lambda wait: self.auth.get_session_status(session_id, wait=wait), timeout
        )
        return polled

    async def wait_for_request(
        self, request_id: str, *, timeout: Optional[float] = None
    ) -> types.AuthGetRequestResponse:
        """As Herald.wait_for_request."""
        polled: types.AuthGetRequestResponse = await _wait_async(
            lambda wait: self.auth.get_request(request_id, wait=wait), timeout
        )
        return polled

    async def close(self) -> None:
        await self._transport.close()
