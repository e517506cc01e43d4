import type { Language } from '../../base/contract/common';
import { russian } from './russian';

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
/** A page that is not a guide. */
type GeneratedPage = Titles & { path: string };

/** Guides by their names in web/docs/guides; their titles are there. */
const groups: { title: Titles; pages: (string | GeneratedPage)[] }[] = [
  { title: { en: 'Get started', ru: 'Начало' }, pages: ['start', 'typescript', 'python'] },
  { title: { en: 'Login', ru: 'Вход' }, pages: ['login', 'embed', 'approvals'] },
  {
    title: { en: 'OpenID Connect', ru: 'OpenID Connect' },
    pages: [
      'openid-connect',
      'oidc-authjs',
      'oidc-keycloak',
      'oidc-supabase',
      'oidc-logto',
      'oidc-authentik',
      'oidc-oauth2-proxy',
      'oidc-grafana',
    ],
  },
  {
    title: { en: 'Webhooks', ru: 'Вебхуки' },
    pages: [
      'webhooks',
      { path: '/docs/events', en: 'Events', ru: 'События' },
      { path: '/docs/signature', en: 'Signature debugger', ru: 'Проверка подписи' },
      'publishing',
    ],
  },
  {
    title: { en: 'Messages', ru: 'Сообщения' },
    pages: [
      'subscribing',
      'sending',
      'own-bot',
      'campaigns',
      'tracking',
      'drip',
      'forms',
      'support',
      'team',
      'data',
      'agents',
    ],
  },
];

const referenceGroup: Titles = { en: 'API reference', ru: 'Справочник API' };
const overview: GeneratedPage = { path: '/docs/reference', en: 'Overview', ru: 'Обзор' };
const referencePages: (string | GeneratedPage)[] = [
  { path: '/docs/errors', en: 'Errors', ru: 'Ошибки' },
  'limits',
];

/** The guides in the order of the menu. */
export const guideOrder = [...groups.flatMap(({ pages }) => pages), ...referencePages].filter(
  (page) => typeof page === 'string',
);

/** A path of the English documentation in a language: every page exists in both. */
export function localPath(path: string, language: Language): string {
  return language === 'ru' ? path.replace(/^\/docs(?=[/#]|$)/, '/docs/ru') : path;
}

/** The menu in a language. */
export function menu(
  language: Language,
  resources: string[],
  guides: { slug: string; language: Language; menu: string }[],
): MenuGroup[] {
  const entry = (page: string | GeneratedPage): MenuEntry => {
    if (typeof page !== 'string') return { path: localPath(page.path, language), title: page[language] };
    const guide = guides.find((each) => each.slug === page && each.language === language);
    if (!guide) throw new Error(`the menu has the unknown guide ${page}`);
    return { path: guidePath(guide), title: guide.menu };
  };
  return [
    ...groups.map(({ title, pages }) => ({ title: title[language], entries: pages.map(entry) })),
    {
      title: referenceGroup[language],
      entries: [
        entry(overview),
        ...resources.map((tag) => ({
          path: resourcePath(tag, language),
          title: resourceTitle(tag, language),
        })),
        ...referencePages.map(entry),
      ],
    },
  ];
}

export function guidePath({ slug, language }: { slug: string; language: Language }): string {
  return localPath(slug === 'start' ? '/docs' : `/docs/${slug}`, language);
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
  return language === 'ru' ? russian.resource(tag) : tag;
}
