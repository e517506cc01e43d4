/** What the keys of all drafts begin with. */
export const DRAFTS = 'herald.draft.';

export function stored(key: string): object | null {
  for (const storage of storages()) {
    try {
      const text = storage.getItem(key);
      if (text !== null) return JSON.parse(text) as object;
    } catch {
      // Not readable: as if there were none.
    }
  }
  return null;
}

export function store(key: string, draft: object | null): void {
  for (const storage of storages()) {
    try {
      if (draft === null) storage.removeItem(key);
      else storage.setItem(key, JSON.stringify(draft));
    } catch {
      // A browser that stores nothing: the draft lasts as long as the page.
    }
  }
}

/** Drafts of versions that are no longer there to be edited. */
export function removeVersions(family: string): void {
  removeAll(`${family}.`);
}

export const hasDrafts = () =>
  storages().some((storage) => Object.keys(storage).some((key) => key.startsWith(DRAFTS)));

/** They hold texts and names: who signs out of a shared browser leaves none of them behind. */
export const removeDrafts = () => removeAll(DRAFTS);

function removeAll(beginning: string): void {
  for (const storage of storages()) {
    for (const key of Object.keys(storage)) {
      if (key.startsWith(beginning)) storage.removeItem(key);
    }
  }
}

/** Of the tab, then of the browser. */
function storages(): Storage[] {
  try {
    return [sessionStorage, localStorage];
  } catch {
    return [];
  }
}
