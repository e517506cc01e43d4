from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass
from typing import AsyncGenerator, Awaitable, Callable, Iterator, List, Optional

import httpx

from ._errors import HeraldConnectionError, HeraldError
from ._file import AsyncHeraldFile, HeraldFile
from ._event import HasEvent
from ._generated import types
from ._options import RequestOptions
from ._transport import backoff

SILENT_SECONDS = 45.0
"""The service sends something at least every 15 seconds."""

_TEMPORARY = (HeraldError, HeraldConnectionError, httpx.TransportError)


@dataclass(frozen=True)
class StreamedEvent(HasEvent):
    event_id: str
    """Pass it as `last_event_id` to go on after this event."""
    body: types.WebhookEvent
    """`body["event"]` says which type `body["data"]` has."""
    raw_body: str
    """The text that endpoints get."""
    test: bool
    """A test event: its data is a sample."""
    created_at: str


class _StreamState:
    """State that both clients share: the last event id, the lines read so far, and the backoff."""

    def __init__(
        self,
        options: Optional[RequestOptions],
        last_event_id: Optional[str],
        on_gap: Optional[Callable[[], None]],
    ) -> None:
        self._options = options or {}
        self._last_id = last_event_id
        self._received_id = last_event_id
        self._on_gap = on_gap
        self._failures = 0
        self._type = "message"
        self._data: List[str] = []

    def options(self) -> RequestOptions:
        self._type, self._data, self._received_id = "message", [], self._last_id
        headers = {**self._options.get("headers", {}), "accept": "text/event-stream"}
        if self._last_id is not None:
            headers["last-event-id"] = self._last_id
        return {**self._options, "headers": headers, "timeout": SILENT_SECONDS}

    def opened(self) -> None:
        self._failures = 0

    def read(self, line: str) -> Optional[StreamedEvent]:
        """The event that ends with this line."""
        if line.startswith("event: "):
            self._type = line[len("event: ") :]
        elif line.startswith("data: "):
            self._data.append(line[len("data: ") :])
        elif line.startswith("id: "):
            # Also without data: to resume here after a while without events.
            self._received_id = line[len("id: ") :]
        if line != "":
            return None
        kind, data = self._type, "\n".join(self._data)
        self._last_id = self._received_id
        self._type, self._data = "message", []
        if kind == "gap" and self._on_gap is not None:
            self._on_gap()
        if kind != "message" or data == "":
            return None
        message = json.loads(data)
        return StreamedEvent(
            event_id=message["event_id"],
            body=json.loads(message["body"]),
            raw_body=message["body"],
            test=message["test"],
            created_at=message["created_at"],
        )

    def pause(self, error: Optional[BaseException] = None) -> float:
        """Seconds until the stream is opened again; raises an error that another try will not change."""
        if isinstance(error, HeraldError) and not error.retryable:
            raise error
        seconds = backoff(self._failures)
        self._failures += 1
        return seconds


def follow_events(
    open_stream: Callable[[RequestOptions], HeraldFile],
    options: Optional[RequestOptions],
    last_event_id: Optional[str],
    on_gap: Optional[Callable[[], None]],
) -> Iterator[StreamedEvent]:
    """Events as they happen, without an end: a lost connection is opened again and goes on after the last event."""
    state = _StreamState(options, last_event_id, on_gap)
    while True:
        failure: Optional[BaseException] = None
        try:
            with open_stream(state.options()) as file:
                state.opened()
                for line in file.lines():
                    event = state.read(line)
                    if event is not None:
                        yield event
        except _TEMPORARY as error:
            failure = error
        time.sleep(state.pause(failure))


async def follow_events_async(
    open_stream: Callable[[RequestOptions], Awaitable[AsyncHeraldFile]],
    options: Optional[RequestOptions],
    last_event_id: Optional[str],
    on_gap: Optional[Callable[[], None]],
) -> AsyncGenerator[StreamedEvent, None]:
    state = _StreamState(options, last_event_id, on_gap)
    while True:
        failure: Optional[BaseException] = None
        try:
            async with await open_stream(state.options()) as file:
                state.opened()
                async for line in file.lines():
                    event = state.read(line)
                    if event is not None:
                        yield event
        except _TEMPORARY as error:
            failure = error
        await asyncio.sleep(state.pause(failure))
