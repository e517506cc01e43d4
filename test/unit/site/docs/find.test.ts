import '../../../../src/domains/bots/registry';
import { listOperations } from '../../../../src/site/docs/operations';
import { searchIndex } from '../../../../src/site/docs/search-index';
import { createWebhookRoutes } from '../../../../src/domains/webhooks/routes';
import { find } from '../../../../web/docs/find';

/** The routes are only described here, so that their dependencies are never used. */
const routes = createWebhookRoutes({ config: {} } as Parameters<typeof createWebhookRoutes>[0]);
const operations = listOperations(routes);
const guide = {
  slug: 'webhooks',
  language: 'en' as const,
  title: 'Receiving webhooks',
  menu: 'Receiving webhooks',
  rows: [],
  intro: 'Herald sends each event as a POST.',
  sections: [
    {
      id: 'what-a-receiver-does',
      title: 'What a receiver does',
      depth: 2,
      text: 'Deduplicate by delivery id.',
      facts: [],
    },
  ],
};
const index = searchIndex([guide], operations, 'en');
const found = (query: string) => find(index, query, 10).map(({ url }) => url);
const russian = {
  ...guide,
  language: 'ru' as const,
  title: 'Приём вебхуков',
  intro: 'О событиях Herald сообщает запросом POST.',
  sections: [{ ...guide.sections[0]!, title: 'Что делает получатель', text: 'Отсеивает повторы.' }],
};
const russianIndex = searchIndex([guide, russian], operations, 'ru');
const foundInRussian = (query: string) => find(russianIndex, query, 10).map(({ url }) => url);

describe('the search', () => {
  it('finds an error by its HTTP status', () => {
    expect(found('402')).toContain('/docs/errors#billing_blocked');
    expect(found('429').every((url) => /errors|limits/.test(url))).toBe(true);
  });

  it('finds by words that readers use instead of ours', () => {
    expect(found('dedupe')).toContain('/docs/webhooks#what-a-receiver-does');
    expect(found('dedupe')).toContain('/docs/errors#idempotency_conflict');
    expect(found('rotate')).toContain('/docs/reference/webhooks#post_v1_webhooks_id_rotate_secret');
    expect(found('rotation')).toContain('/docs/reference/webhooks#post_v1_webhooks_id_rotate_secret');
    expect(found('hmac')).toContain('/docs/signature');
  });

  it('puts an exact title first', () => {
    expect(found('code_expired')[0]).toBe('/docs/errors#code_expired');
    expect(found('auth.completed')[0]).toBe('/docs/events#auth.completed');
  });

  it('finds nothing where no word matches, and nothing for no word', () => {
    expect(found('zeppelin')).toEqual([]);
    expect(found('rotate zeppelin')).toEqual([]);
    expect(found('  ')).toEqual([]);
  });

  it('finds operations by their parameters, headers and fields', () => {
    const rotate = '/docs/reference/webhooks#post_v1_webhooks_id_rotate_secret';
    expect(found('retry_policy')[0]).toMatch(/^\/docs\/reference\/webhooks#/);
    expect(find(index, 'idempotency-key', index.length).map(({ url }) => url)).toContain(rotate);
  });

  it('finds in Russian, by any form of a word, and leads to Russian pages', () => {
    expect(foundInRussian('получателя')).toContain('/docs/ru/webhooks#what-a-receiver-does');
    expect(foundInRussian('подпись')).toContain('/docs/ru/signature');
    expect(foundInRussian('подписи')).toContain('/docs/ru/signature');
    expect(foundInRussian('402')).toContain('/docs/ru/errors#billing_blocked');
    expect(russianIndex.filter(({ url }) => !url.startsWith('/docs/ru/'))).toEqual([]);
  });
});
