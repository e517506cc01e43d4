import { eventually } from '../support/eventually';
import { inviteAsOperator, join } from '../system/team/fixture';
import type { TestProject, TestService } from '../support/service';

/** What a shop makes in the dashboard: team, links, labels, templates, scheduled and recurring messages, clients. */
export async function seedCampaigns(
  service: TestService,
  project: TestProject,
): Promise<{ recurringId: string; templateKey: string; batchId: string }> {
  await join(service, 'Olga', await inviteAsOperator(service, project, 'owner'));
  await join(service, 'Pavel', await inviteAsOperator(service, project, 'viewer'), 'max');
  const make = async (path: string, body: unknown): Promise<Record<string, string>> => {
    const { status, body: made } = await project.api('POST', path, body);
    if (status >= 300) throw new Error(`${path}: ${JSON.stringify(made)}`);
    return made as Record<string, string>;
  };
  const { body: subscribers } = await project.api('GET', '/v1/subscribers?limit=1');
  const subscriberId = subscribers.data[0].subscriber_id as string;
  await make('/v1/invitations', { role: 'support', name: 'Vera from the shop' });
  await make('/v1/permissions', { name: 'news', title_en: 'News', title_ru: 'Новости', default: true });
  await make('/v1/permissions', { name: 'offers', title_en: 'Offers and discounts', title_ru: 'Скидки' });
  await make('/v1/subscribe-links', { name: 'Till at the entrance', tags: ['vip'], permissions: ['news'] });
  await make('/v1/subscribe-links', { name: 'Anna’s own link', external_id: 'customer-42' });
  await make('/v1/subscribe-links', { tags: ['green tea'], max_uses: 500 });
  await make('/v1/templates', {
    key: 'order_shipped',
    name: 'Order on its way',
    format: 'markdown',
    variants: {
      en: {
        text: 'Hello {{first_name|friend}}, order **{{number}}** is on its way.',
        buttons: [[{ text: 'Track it', url: 'https://tea.example/track' }]],
      },
      ru: { text: 'Здравствуйте, {{first_name|друг}}! Заказ **{{number}}** уже в пути.' },
    },
  });
  await make('/v1/templates', { key: 'thanks', purpose: 'reply', variants: { en: { text: 'Thank you!' } } });
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  await make('/v1/scheduled', {
    name: 'Opening of the tea room',
    content: { text: 'We open at ten.' },
    audience: { tags_all: ['vip'] },
    scheduled_at: `${tomorrow}T09:00:00`,
    timezone: 'recipient',
  });
  await make('/v1/scheduled', {
    content: { template: 'order_shipped', vars: { number: 1042 } },
    subscriber_id: subscriberId,
    scheduled_at: `${tomorrow}T18:30:00Z`,
  });
  const recurring = await make('/v1/recurring', {
    name: 'Monday digest',
    content: { text: 'New this week: first flush Darjeeling.' },
    audience: { tags_any: ['vip', 'green tea'] },
    cron: '0 9 * * MON',
  });
  await project.api('POST', `/v1/recurring/${recurring['recurring_id']}/run`, {});
  const batch = await make('/v1/send/batch', {
    messages: Array.from({ length: 12 }, (_, n) => ({
      subscriber_id: subscriberId,
      text: `Order ${1042 + n} is ready.`,
    })),
  });
  await make('/v1/oidc/clients', {
    name: 'Tea forum',
    redirect_uris: ['https://forum.tea.example/auth/callback/herald'],
  });
  await make('/v1/oidc/clients', {
    name: 'Till app',
    type: 'public',
    device: true,
    redirect_uris: ['https://till.tea.example/callback'],
  });
  await eventually(
    async () => (await project.api('GET', `/v1/send/batch/${batch['batch_id']}`)).body.ended_at !== null,
    60_000,
  );
  return {
    recurringId: recurring['recurring_id'] ?? '',
    templateKey: 'order_shipped',
    batchId: batch['batch_id'] ?? '',
  };
}
