from __future__ import annotations

from typing import Any

from ._generated import types


class HasEvent:
    """An event as endpoints and streams get it."""

    body: types.WebhookEvent

    @property
    def event(self) -> str:
        return self.body["event"]

    @property
    def data(self) -> Any:
        return self.body["data"]
