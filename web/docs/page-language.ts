/** The language of the page, which the server has written into it. */
export function pageLanguage(): 'en' | 'ru' {
  return document.documentElement.lang === 'ru' ? 'ru' : 'en';
}
