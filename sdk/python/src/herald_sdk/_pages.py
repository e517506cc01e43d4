from __future__ import annotations

from typing import Any, AsyncIterator, Awaitable, Callable, Iterator


def all_pages(fetch_page: Callable[[Any], Any], cursor: Any) -> Iterator[Any]:
    """The entries of all pages, from `cursor` on; a page is fetched when the one before it is used up."""
    while True:
        page = fetch_page(cursor)
        yield from page["data"]
        cursor = page.get("next_cursor")
        if not cursor:
            return


async def all_pages_async(fetch_page: Callable[[Any], Awaitable[Any]], cursor: Any) -> AsyncIterator[Any]:
    while True:
        page = await fetch_page(cursor)
        for entry in page["data"]:
            yield entry
        cursor = page.get("next_cursor")
        if not cursor:
            return
