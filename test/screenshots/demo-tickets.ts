import type { TestProject } from '../support/service';

/** A few requests of customers, one of them with a conversation. Returns its id. */
export async function seedTickets(project: TestProject, subscriberId: string): Promise<string> {
  const make = async (path: string, body: unknown): Promise<Record<string, string>> => {
    const { status, body: made } = await project.api('POST', `/v1/helpdesk/${path}`, body);
    if (status >= 300) throw new Error(`${path}: ${JSON.stringify(made)}`);
    return made as Record<string, string>;
  };
  await project.api('PATCH', '/v1/helpdesk', { enabled: true });
  const delivery = await make('types', { name_en: 'Delivery', name_ru: 'Доставка' });
  const refund = await make('types', { name_en: 'Refund', name_ru: 'Возврат', priority: 'high' });
  await make('tickets', {
    customer: { name: 'Ann', contact: 'ann@example.com' },
    text: 'The cup arrived with a crack. Can I have my money back?',
    type_id: refund['type_id'],
  });
  await make('tickets', {
    customer: { name: 'Tea room on the corner, wholesale', contact: 'orders@corner.example' },
    text: 'Do you have a hundred packs of oolong in stock?',
    subject: 'Oolong for the spring menu',
    priority: 'urgent',
  });
  const open = await make('tickets', {
    subscriber_id: subscriberId,
    text: 'Hello! My parcel has not arrived. It was promised for Monday.',
    subject: 'Parcel has not arrived',
    type_id: delivery['type_id'],
  });
  const messages = `tickets/${open['ticket_id']}/messages`;
  await make(messages, {
    content: { text: 'I have asked the courier, and will write as soon as they answer.' },
  });
  await make(messages, {
    internal: true,
    content: { text: 'The courier says tomorrow. Offer a voucher if not.' },
  });
  return open['ticket_id'] ?? '';
}
