import type { Texts } from './en';

export type Language = 'en' | 'ru';
export type { Texts };

const STORED = 'herald.language';
/** Only the language that is shown is loaded. */
const catalogues: Record<Language, () => Promise<Texts>> = {
  en: async () => (await import('./en')).en,
  ru: async () => (await import('./ru')).ru,
};
const locales: Record<Language, string> = { en: 'en-GB', ru: 'ru-RU' };

export let language: Language = chosen() ?? preferred();
/** The texts of the page's language. Read it while rendering, never at the top of a module: the language can change. */
export let t: Texts = await catalogues[language]();
/** Dates and numbers are written in the page's language, not in the browser's. */
export let locale: string = locales[language];
document.documentElement.lang = language;

const listeners = new Set<() => void>();

/** Calls the listener after the language has changed; the whole page is then rendered again, and no input is lost. */
export function listenForLanguage(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export async function setLanguage(next: Language): Promise<void> {
  t = await catalogues[next]();
  language = next;
  locale = locales[next];
  document.documentElement.lang = next;
  try {
    localStorage.setItem(STORED, next);
  } catch {
    // A browser that stores nothing: the choice lasts until the next page load.
  }
  for (const listener of listeners) listener();
}

function chosen(): Language | null {
  try {
    const stored = localStorage.getItem(STORED);
    return stored === 'en' || stored === 'ru' ? stored : null;
  } catch {
    return null;
  }
}

/** The first of the browser's languages that there are texts in. */
function preferred(): Language {
  for (const tag of navigator.languages) {
    const base = tag.slice(0, 2).toLowerCase();
    if (base === 'en' || base === 'ru') return base;
  }
  return 'en';
}
