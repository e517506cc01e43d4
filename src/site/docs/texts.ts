import type { Language } from '../../base/contract/common';

/** The words around the pages, in each language. */
export interface Texts {
  skip: string;
  menu: string;
  docs: string;
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
  allOperations: string;
  description: string;
  meaning: string;
  required: string;
  oneOf: string;
  always: string;
  values: (count: number) => string;
  body: string;
  fileBody: (types: string[]) => string;
  pathParameters: string;
  queryParameters: string;
  headers: string;
  errors: string;
  commonErrors: string;
  onlyCommonErrors: string;
  returns: (status: number, mediaTypes: string[]) => string;
  retryable: string;
  notRetryable: string;
}

export const texts: Record<Language, Texts> = {
  en: {
    skip: 'Skip to content',
    menu: 'Menu',
    docs: 'Docs',
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
    allOperations: 'All operations',
    description: 'Description',
    meaning: 'Meaning',
    required: 'required',
    oneOf: 'One of',
    always: 'Always',
    values: (count) => `${count} values`,
    body: 'Body',
    fileBody: (types) => `The body is the file itself: ${types.join(', ')}.`,
    pathParameters: 'Path parameters',
    queryParameters: 'Query parameters',
    headers: 'Headers',
    errors: 'Errors',
    commonErrors: 'Errors of every request',
    onlyCommonErrors: 'Errors: only those of every request',
    returns: (status, mediaTypes) =>
      `Returns ${status}${mediaTypes.length > 0 ? ` with ${mediaTypes.join(' or ')}` : ''}.`,
    retryable: 'retryable',
    notRetryable: 'not retryable',
  },
  ru: {
    skip: 'К содержанию',
    menu: 'Меню',
    docs: 'Документация',
    navigation: 'Документация',
    search: 'Поиск',
    searchLabel: 'Поиск по документации',
    noResults: 'По запросу «{query}» ничего не нашлось. Попробуйте другое слово, HTTP-статус или код ошибки.',
    results: 'Найдено: {count}',
    dashboard: 'Панель',
    language: 'язык',
    otherLanguage: 'In English',
    onThisPage: 'На этой странице',
    copy: 'Копировать',
    copied: 'Скопировано',
    request: 'Запрос',
    response: 'Ответ',
    example: 'Пример',
    allOperations: 'Все операции',
    description: 'Описание',
    meaning: 'Что это значит',
    required: 'обязательно',
    oneOf: 'Одно из:',
    always: 'Всегда',
    values: (count) => `Значений: ${count}`,
    body: 'Тело запроса',
    fileBody: (types) => `Тело запроса — сам файл: ${types.join(', ')}.`,
    pathParameters: 'Параметры пути',
    queryParameters: 'Параметры запроса',
    headers: 'Заголовки',
    errors: 'Ошибки',
    commonErrors: 'Ошибки, общие для всех запросов',
    onlyCommonErrors: 'Ошибки: только общие для всех запросов',
    returns: (status, mediaTypes) =>
      `Ответ ${status}${mediaTypes.length > 0 ? `, ${mediaTypes.join(' или ')}` : ''}.`,
    retryable: 'можно повторить',
    notRetryable: 'повторять бесполезно',
  },
};
