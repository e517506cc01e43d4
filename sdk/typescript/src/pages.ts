interface Page<Item> {
  data: Item[];
  next_cursor?: string | null | undefined;
}

/** The entries of all pages, from `cursor` on; a page is fetched when the one before it is used up. */
export async function* allPages<Item>(
  fetchPage: (cursor: string | undefined) => Promise<Page<Item>>,
  cursor: string | undefined,
): AsyncGenerator<Item, void, undefined> {
  for (let next: string | null | undefined = cursor; ;) {
    const page: Page<Item> = await fetchPage(next);
    yield* page.data;
    next = page.next_cursor;
    if (!next) return;
  }
}
