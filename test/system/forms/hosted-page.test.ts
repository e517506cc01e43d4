import type { Installation, TestProject } from '../../support/installation';
import { startReceiver } from '../../support/receiver';
import { useService } from '../../support/use-service';
import { subscribePerson } from '../messages/fixture';
import { forms, type CreatedForm } from './fixture';

let service: Installation;
let project: TestProject;
const { create, post, list } = forms(
  () => service,
  () => project,
);

beforeAll(async () => {
  service = await useService();
});
afterAll(() => service?.stop());
beforeEach(async () => {
  project = await service.createProject({ name: 'Green Shop' });
});

const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };
const pathOf = ({ form_id }: CreatedForm) => `/forms/${form_id}`;

async function linkOf({ form_id }: CreatedForm): Promise<string> {
  const person = await subscribePerson(service, project);
  const { body } = await project.api('GET', `/v1/forms/${form_id}/link?subscriber_id=${person.subscriberId}`);
  return (body.url as string).slice(service.url.length);
}

it('takes submissions from its own origin only, also through a signed link', async () => {
  const created = await create({ allowed_origins: ['*'] });
  const signed = await linkOf(created);
  for (const path of [pathOf(created), signed]) {
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'null', referer: `${service.url}${path}` },
      { origin: '', referer: 'https://evil.example/page' },
      { origin: '' },
      { origin: `${service.url}.evil.example` },
    ];
    for (const headers of foreign) {
      const refused = await post(path, 'size=M', { ...urlencoded, ...headers });
      expect([refused.status, await refused.json()]).toEqual([
        403,
        expect.objectContaining({ code: 'origin_not_allowed' }),
      ]);
    }
    expect((await post(path, 'size=M', urlencoded)).status).toBe(303);
    const byReferer = { origin: '', referer: `${service.url}${path}` };
    expect((await post(path, 'size=M', { ...urlencoded, ...byReferer })).status).toBe(303);
  }
  expect(await list(created)).toHaveLength(4);
});

it('makes browsers name its origin, and runs no foreign script', async () => {
  const created = await create({ redirect_url: 'https://shop.example/thanks' });
  const { headers } = await fetch(created.hosted_url);
  expect(headers.get('referrer-policy')).toBe('same-origin');
  const policy = (headers.get('content-security-policy') ?? '').split('; ');
  expect(policy).toContain("default-src 'self'");
  expect(policy.filter((each) => each.startsWith('script-src'))).toEqual([]);
});

it('is closed to visitors where the form has a captcha, and open to signed links', async () => {
  let asked = 0;
  const captcha = await startReceiver((res) => {
    asked++;
    res.end('{"success": true}');
  });
  const created = await create({ captcha: { verify_url: captcha.url, secret: 'secret' } });
  const path = pathOf(created);
  const page = await fetch(created.hosted_url);
  const text = await page.text();
  expect(page.status).toBe(403);
  expect(text).toContain('Green Shop takes answers on its own website only.');
  expect(text).not.toContain('<form');
  const russian = await fetch(`${created.hosted_url}?lang=ru`);
  expect(await russian.text()).toContain('«Green Shop» принимает ответы только на своём сайте.');
  for (const body of ['size=M', 'size=M&_captcha=solved', '']) {
    expect((await post(path, body, urlencoded)).status).toBe(403);
  }
  expect(await list(created)).toEqual([]);

  const signed = await linkOf(created);
  expect(await (await fetch(`${service.url}${signed}`)).text()).toContain('<form');
  expect((await post(signed, 'size=L', urlencoded)).status).toBe(303);
  expect(await list(created)).toEqual([expect.objectContaining({ source: 'hosted' })]);
  expect(asked).toBe(0);
  await captcha.close();
});
