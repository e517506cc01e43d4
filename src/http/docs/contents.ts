import type { Language } from '../../contract/common';
import { russianResources } from './ru/resources';

/** A page of the documentation in the menu. */
export interface MenuEntry {
  path: string;
  title: string;
}

export interface MenuGroup {
  title: string;
  entries: MenuEntry[];
}

type Titles = Record<Language, string>;

const groups: { title: Titles; pages: (Titles & { path: string })[] }[] = [
  {
    title: { en: 'Get started', ru: 'Начало' },
    pages: [
      { path: '/docs', en: 'Quick start', ru: 'Быстрый старт' },
      { path: '/docs/typescript', en: 'Five minutes: TypeScript', ru: 'За пять минут: TypeScript' },
      { path: '/docs/python', en: 'Five minutes: Python', ru: 'За пять минут: Python' },
    ],
  },
  {
    title: { en: 'Login', ru: 'Вход' },
    pages: [
      { path: '/docs/login', en: 'Login flows', ru: 'Вход через мессенджер' },
      { path: '/docs/embed', en: 'Login button', ru: 'Кнопка входа' },
      { path: '/docs/approvals', en: 'Step-up and approvals', ru: 'Подтверждение действий' },
    ],
  },
  {
    title: { en: 'OpenID Connect', ru: 'OpenID Connect' },
    pages: [
      { path: '/docs/openid-connect', en: 'Login for any platform', ru: 'Вход для любой платформы' },
      { path: '/docs/oidc-authjs', en: 'Auth.js', ru: 'Auth.js' },
      { path: '/docs/oidc-keycloak', en: 'Keycloak', ru: 'Keycloak' },
      { path: '/docs/oidc-supabase', en: 'Supabase', ru: 'Supabase' },
      { path: '/docs/oidc-logto', en: 'Logto', ru: 'Logto' },
      { path: '/docs/oidc-authentik', en: 'authentik', ru: 'authentik' },
      { path: '/docs/oidc-oauth2-proxy', en: 'oauth2-proxy', ru: 'oauth2-proxy' },
      { path: '/docs/oidc-grafana', en: 'Grafana', ru: 'Grafana' },
    ],
  },
  {
    title: { en: 'Webhooks', ru: 'Вебхуки' },
    pages: [
      { path: '/docs/webhooks', en: 'Receiving webhooks', ru: 'Приём вебхуков' },
      { path: '/docs/events', en: 'Events', ru: 'События' },
      { path: '/docs/signature', en: 'Signature debugger', ru: 'Проверка подписи' },
      { path: '/docs/publishing', en: 'Publishing events', ru: 'Публикация событий' },
    ],
  },
  {
    title: { en: 'Messages', ru: 'Сообщения' },
    pages: [
      { path: '/docs/subscribing', en: 'Subscribing', ru: 'Подписка' },
      { path: '/docs/sending', en: 'Sending messages', ru: 'Отправка сообщений' },
      { path: '/docs/own-bot', en: 'Your own bot', ru: 'Свой бот' },
      { path: '/docs/campaigns', en: 'Templates, batches, schedules', ru: 'Шаблоны, пакеты, расписания' },
      { path: '/docs/tracking', en: 'Tracking events', ru: 'События пользователей' },
      { path: '/docs/drip', en: 'Drip chains', ru: 'Цепочки сообщений' },
      { path: '/docs/forms', en: 'Forms', ru: 'Формы' },
      { path: '/docs/support', en: 'Support in ten minutes', ru: 'Поддержка за десять минут' },
      { path: '/docs/team', en: 'Team and roles', ru: 'Команда и роли' },
      { path: '/docs/data', en: 'CSV and privacy', ru: 'CSV и личные данные' },
      { path: '/docs/agents', en: 'Agents (MCP)', ru: 'Агенты (MCP)' },
    ],
  },
];

const referenceGroup: Titles = { en: 'API reference', ru: 'Справочник API' };
const referencePages: (Titles & { path: string })[] = [
  { path: '/docs/reference', en: 'Overview', ru: 'Обзор' },
  { path: '/docs/errors', en: 'Errors', ru: 'Ошибки' },
  { path: '/docs/limits', en: 'Limits', ru: 'Лимиты' },
];

/** A path of the English documentation in a language: every page exists in both. */
export function localPath(path: string, language: Language): string {
  return language === 'ru' ? path.replace(/^\/docs(?=[/#]|$)/, '/docs/ru') : path;
}

/** The menu in a language. */
export function menu(language: Language, resources: string[]): MenuGroup[] {
  const entry = (page: Titles & { path: string }): MenuEntry => ({
    path: localPath(page.path, language),
    title: page[language],
  });
  const [overview, ...others] = referencePages.map(entry);
  return [
    ...groups.map(({ title, pages }) => ({ title: title[language], entries: pages.map(entry) })),
    {
      title: referenceGroup[language],
      entries: [
        ...(overview ? [overview] : []),
        ...resources.map((tag) => ({
          path: resourcePath(tag, language),
          title: resourceTitle(tag, language),
        })),
        ...others,
      ],
    },
  ];
}

/** The page of a resource of the API. */
export function resourcePath(tag: string, language: Language): string {
  return localPath(`/docs/reference/${resourceAnchor(tag)}`, language);
}

export function resourceAnchor(tag: string): string {
  return tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

/** The name of a resource for readers. */
export function resourceTitle(tag: string, language: Language): string {
  return language === 'ru' ? (russianResources[tag] ?? tag) : tag;
}
