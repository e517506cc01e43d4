import { eventually } from '../support/eventually';
import type { TestProject } from '../support/service';

const ORIGIN = 'https://tea.example';

/** A form with answers of a subscriber, of a visitor of the site and of a machine. */
export async function seedForm(
  project: TestProject,
  subscriberId: string,
): Promise<{ formId: string; formUrl: string }> {
  const { body: form } = await project.api('POST', '/v1/forms', {
    name: 'Call me back',
    title_en: 'We will call you back',
    title_ru: 'Перезвоним вам',
    fields: [
      { key: 'name', type: 'text', label_en: 'Your name', label_ru: 'Как вас зовут?', required: true },
      { key: 'phone', type: 'phone', label_en: 'Phone', label_ru: 'Телефон', required: true },
      {
        key: 'topic',
        type: 'select',
        label_en: 'What is it about?',
        label_ru: 'О чём вопрос?',
        options: [
          { value: 'order', label_en: 'An order', label_ru: 'Заказ' },
          { value: 'wholesale', label_en: 'Wholesale', label_ru: 'Опт' },
        ],
      },
      { key: 'details', type: 'textarea', label_en: 'Details', label_ru: 'Подробности', max: 500 },
    ],
    routes: [
      { action: 'spam', when: { rules: [{ field: 'name', op: 'contains', value: 'http' }] } },
      {
        action: 'tag',
        tag: 'wholesale',
        when: { rules: [{ field: 'topic', op: 'eq', value: 'wholesale' }] },
      },
      {
        action: 'message',
        to: 'members',
        content: { text: 'Call {{name}}: {{phone}}', personalize: true },
      },
    ],
    allowed_origins: [ORIGIN],
  });
  const submit = (url: string, type: string, body: string, origin = ORIGIN) =>
    fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': type, origin },
      body,
    });
  for (const answers of [
    { name: 'Cheap pills http://spam.example', phone: '+1 555 010 0100' },
    { name: 'Boris', phone: '+1 555 010 0142', topic: 'order', details: 'Order 1042 came without the mint.' },
  ]) {
    await submit(form.submit_url as string, 'application/json', JSON.stringify(answers));
  }
  const link = await project.api('GET', `/v1/forms/${form.form_id}/link?subscriber_id=${subscriberId}`);
  const answers = new URLSearchParams({ name: 'Anna', phone: '+1 555 010 0199', topic: 'wholesale' });
  const url = link.body.url as string;
  await submit(url, 'application/x-www-form-urlencoded', String(answers), new URL(url).origin);
  await eventually(async () => {
    const { body } = await project.api('GET', `/v1/forms/${form.form_id}/submissions?status=new`);
    return body.data.length === 2 && body.data.every(({ routes }: { routes: [] }) => routes.length > 0);
  });
  return { formId: form.form_id as string, formUrl: form.hosted_url as string };
}
