from __future__ import annotations

import asyncio
import os
import random
import re
import time
import uuid
from typing import Any, Dict, Literal, Optional, Tuple, Union

import httpx

from ._errors import UNKNOWN, HeraldConnectionError, HeraldError, error_of
from ._file import AsyncHeraldFile, HeraldFile
from ._options import RequestOptions

DEFAULT_TIMEOUT = 30.0
DEFAULT_RETRIES = 3
DEFAULT_MAX_WAIT = 60.0
FIRST_BACKOFF = 0.5
MAX_BACKOFF = 8.0

Returns = Literal["json", "file", "nothing"]


class _Call:
    """One request of the API: what is sent, and how long to wait after each attempt that failed."""

    def __init__(
        self,
        settings: _Settings,
        method: str,
        path: str,
        *,
        query: Optional[Dict[str, Any]] = None,
        body: Optional[Any] = None,
        raw: Optional[Tuple[str, Union[str, bytes]]] = None,
        keyed: bool = False,
        idempotency_key: Optional[str] = None,
        returns: Returns = "json",
        options: Optional[RequestOptions] = None,
    ) -> None:
        options = options or {}
        key = (idempotency_key or str(uuid.uuid4())) if keyed else None
        # Without its key, a POST whose response was lost could happen twice.
        self.is_repeatable = method != "POST" or key is not None
        self.max_retries = options.get("max_retries", settings.max_retries)
        self.max_retry_wait = settings.max_retry_wait
        self.returns = returns
        self.retries = 0
        wait = (query or {}).get("wait") or 0
        headers: Dict[str, str] = {}
        if returns != "file":
            headers["accept"] = "application/json"
        if settings.api_key:
            headers["authorization"] = f"Bearer {settings.api_key}"
        if key is not None:
            headers["idempotency-key"] = key
        if raw is not None:
            headers["content-type"] = raw[0]
        headers.update(options.get("headers", {}))
        self.request: Dict[str, Any] = {
            "method": method,
            "url": settings.base_url + path,
            "params": {name: _query_value(value) for name, value in (query or {}).items() if value is not None},
            "headers": headers,
            "timeout": options.get("timeout", settings.timeout) + float(wait),
        }
        if raw is not None:
            self.request["content"] = raw[1].encode() if isinstance(raw[1], str) else raw[1]
        elif body is not None:
            self.request["json"] = body

    def wait_after(self, error: Exception) -> float:
        """Seconds until the next attempt; raises the error if there is none."""
        if self.retries >= self.max_retries:
            raise error
        pause = backoff(self.retries)
        self.retries += 1
        if isinstance(error, HeraldConnectionError):
            if self.is_repeatable:
                return pause
            raise error
        if not isinstance(error, HeraldError):
            raise error
        # `request_in_progress`: an earlier attempt of the same key is still being carried out.
        if not error.retryable and error.code != "request_in_progress":
            raise error
        # What is no envelope of Herald may come from a proxy that had passed the request on.
        if error.code == UNKNOWN and not self.is_repeatable:
            raise error
        if error.retry_after is None:
            return pause
        if error.retry_after > self.max_retry_wait:
            raise error
        return error.retry_after

    def result(self, response: httpx.Response) -> Any:
        if not response.is_success:
            raise error_of(response)
        if self.returns == "nothing":
            return None
        try:
            return response.json()
        except ValueError as error:
            message = "The response is not JSON: is base_url the URL of Herald?"
            raise HeraldConnectionError(message) from error


def backoff(retries: int) -> float:
    """Exponential, with jitter."""
    return min(MAX_BACKOFF, FIRST_BACKOFF * 2.0 ** min(retries, 10)) * (0.5 + random.random() / 2)


def _query_value(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class _Settings:
    def __init__(
        self,
        api_key: Optional[str],
        base_url: Optional[str],
        timeout: float,
        max_retries: int,
        max_retry_wait: float,
    ) -> None:
        base_url = base_url or os.environ.get("HERALD_URL")
        if not base_url:
            raise ValueError("Pass base_url, or set HERALD_URL: the URL of the Herald service.")
        self.base_url = base_url.rstrip("/")
        self.api_key = api_key or os.environ.get("HERALD_API_KEY")
        # Such as the ellipsis of a sample: no header can carry it.
        if self.api_key and not re.fullmatch(r"[\x21-\x7e]+", self.api_key):
            raise ValueError("The API key has characters that no key has. Put in your own key.")
        self.timeout = timeout
        self.max_retries = max_retries
        self.max_retry_wait = max_retry_wait


def _connection_error(error: httpx.TransportError) -> HeraldConnectionError:
    return HeraldConnectionError(f"The service could not be reached: {error or type(error).__name__}.")


class Transport:
    """Sends requests, and repeats those that a temporary fault stopped."""

    def __init__(self, settings: _Settings, client: Optional[httpx.Client]) -> None:
        self._settings = settings
        self._client = client or httpx.Client()

    def request(self, method: str, path: str, **request: Any) -> Any:
        """`request`: the keywords of _Call."""
        call = _Call(self._settings, method, path, **request)
        while True:
            try:
                return self._attempt(call)
            except (HeraldError, HeraldConnectionError) as error:
                time.sleep(call.wait_after(error))

    def _attempt(self, call: _Call) -> Any:
        try:
            request = self._client.build_request(**call.request)
            response = self._client.send(request, stream=True)
            if call.returns == "file" and response.is_success:
                return HeraldFile(response)
            try:
                response.read()
            finally:
                response.close()
        except httpx.TransportError as error:
            raise _connection_error(error) from error
        return call.result(response)

    def close(self) -> None:
        self._client.close()


class AsyncTransport:
    """As Transport, for the asynchronous client."""

    def __init__(self, settings: _Settings, client: Optional[httpx.AsyncClient]) -> None:
        self._settings = settings
        self._client = client or httpx.AsyncClient()

    async def request(self, method: str, path: str, **request: Any) -> Any:
        """`request`: the keywords of _Call."""
        call = _Call(self._settings, method, path, **request)
        while True:
            try:
                return await self._attempt(call)
            except (HeraldError, HeraldConnectionError) as error:
                await asyncio.sleep(call.wait_after(error))

    async def _attempt(self, call: _Call) -> Any:
        try:
            request = self._client.build_request(**call.request)
            response = await self._client.send(request, stream=True)
            if call.returns == "file" and response.is_success:
                return AsyncHeraldFile(response)
            try:
                await response.aread()
            finally:
                await response.aclose()
        except httpx.TransportError as error:
            raise _connection_error(error) from error
        return call.result(response)

    async def close(self) -> None:
        await self._client.aclose()
