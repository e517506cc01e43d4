import type { Language } from '../../contract/common';

/** The words around the pages, in each language of the guides. */
export interface Texts {
  skip: string;
  menu: string;
  navigation: string;
  search: string;
  searchLabel: string;
  noResults: string;
  results: string;
  dashboard: string;
  language: string;
  otherLanguage: string;
  onThisPage: string;
  copy: string;
  copied: string;
  request: string;
  response: string;
  example: string;
}

export const texts: Record<Language, Texts> = {
  en: {
    skip: 'Skip to content',
    menu: 'Menu',
    navigation: 'Documentation',
    search: 'Search',
    searchLabel: 'Search the documentation',
    noResults: 'Nothing found for “{query}”. Try another word, an HTTP status or an error code.',
    results: 'Results: {count}',
    dashboard: 'Dashboard',
    language: 'language',
    otherLanguage: 'По-русски',
    onThisPage: 'On this page',
    copy: 'Copy',
    copied: 'Copied',
    request: 'Request',
    response: 'Response',
    example: 'Example',
  },
  ru: {
    skip: 'К содержанию',
    menu: 'Меню',
    navigation: 'Документация',
    search: 'Поиск',
    searchLabel: 'Поиск по документации',
    noResults: 'По запросу «{query}» ничего не нашлось. Попробуйте другое слово, HTTP-статус или код ошибки.',
    results: 'Найдено: {count}',
    dashboard: 'Кабинет',
    language: 'язык',
    otherLanguage: 'In English',
    onThisPage: 'На этой странице',
    copy: 'Копировать',
    copied: 'Скопировано',
    request: 'Запрос',
    response: 'Ответ',
    example: 'Пример',
  },
};
