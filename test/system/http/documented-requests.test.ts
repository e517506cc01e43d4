import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { callWithCurl } from '../../support/curl';
import { png } from '../../support/png';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import { forms, type Submission } from '../forms/fixture';
import { attachFile } from '../helpdesk/fixture';
import { confirmedSession, createSession } from '../login/fixture';
import { freshName, subscribePerson } from '../messages/fixture';
import { languages, runScript, typescript } from '../sdk/fixture';
import { insertMemberRow } from '../team/fixture';

interface Documented {
  id: string;
  method: string;
  path: string;
  curl: string;
  typescript: string;
  python: string;
  go: string;
  php: string;
}

function unescaped(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll(/&#(?:39|x27);/g, "'")
    .replaceAll('&amp;', '&');
}

/** Reads the samples as a person would: from the pages of the reference. */
async function documentedRequests(url: string): Promise<Documented[]> {
  const index = await (await fetch(`${url}/docs/reference`)).text();
  const pages = new Set([...index.matchAll(/href="(\/docs\/reference\/[a-z-]+)/g)].map(([, path]) => path));
  const found: Documented[] = [];
  for (const page of pages) {
    const html = await (await fetch(url + page)).text();
    for (const section of html.split('<section class="entry"').slice(1)) {
      const sample = (language: string) =>
        unescaped(
          new RegExp(`<pre[^>]*data-language="${language}"[^>]*>(.*?)</pre>`, 's').exec(section)?.[1] ?? '',
        );
      const [, id = ''] = /data-anchor="([^"]+)"/.exec(section) ?? [];
      const [, method = '', path = ''] =
        /class="method[^"]*">(\w+)<\/span>\s*<code>([^<]+)<\/code>/.exec(section) ?? [];
      const samples = {
        curl: sample('curl'),
        typescript: sample('typescript'),
        python: sample('python'),
        go: sample('go'),
        php: sample('php'),
      };
      found.push({ id, method, path, ...samples });
    }
  }
  return found;
}

describe('the requests of the reference', () => {
  let service: Installation;
  let project: TestProject;
  let requests: Documented[];
  const form = forms(
    () => service,
    () => project,
  );

  beforeAll(async () => {
    service = await useService();
    project = await service.createProject({
      callback_url: 'https://shop.example.com/callback',
      plan: 'basic',
    });
    requests = await documentedRequests(service.url);
  });
  afterAll(() => service?.stop());

  const idIn = async (method: string, path: string, body?: object) => {
    const created = await project.api<{ id: string }>(method, path, body);
    expect(created.status).toBeLessThan(300);
    return created.body.id;
  };

  /** Ids of this project for the placeholders of a path. */
  async function placeholders(path: string): Promise<Record<string, string>> {
    if (path.startsWith('/v1/auth/session')) {
      const { session_id } = await createSession(project);
      return { id: session_id, session_id };
    }
    if (path.startsWith('/v1/auth/requests/')) {
      const { subscriberId } = await subscribePerson(service, project);
      const body = { subscriber_id: subscriberId, message: 'Approve?' };
      const request = await project.api<{ request_id: string }>('POST', '/v1/auth/requests', body);
      return { id: request.body.request_id };
    }
    if (path.startsWith('/v1/subscribe-links/')) {
      const link = await project.api<{ link_id: string }>('POST', '/v1/subscribe-links', {});
      return { link_id: link.body.link_id };
    }
    if (path.startsWith('/v1/channels/')) return { channel: 'telegram' };
    if (path.startsWith('/v1/oidc/clients/')) {
      const client = await project.api<{ client_id: string }>('POST', '/v1/oidc/clients', {
        name: 'Shop',
        redirect_uris: ['https://shop.example.com/callback'],
      });
      return { client_id: client.body.client_id };
    }
    if (path.startsWith('/v1/tags/') || path.startsWith('/v1/permissions/')) {
      const [, , kind = ''] = path.split('/');
      const name = freshName(kind);
      await project.api('POST', `/v1/${kind}`, { name });
      return { name };
    }
    if (path.startsWith('/v1/subscribers/')) {
      return { id: (await subscribePerson(service, project)).subscriberId };
    }
    if (path.startsWith('/v1/webhooks/') || path.startsWith('/v1/deliveries/')) {
      const endpoint = await idIn('POST', '/v1/webhooks', { url: 'https://shop.example.com/webhooks' });
      const sent = await project.api<{ delivery_id: string }>('POST', `/v1/webhooks/${endpoint}/test`, {});
      const isDelivery = path.startsWith('/v1/deliveries/');
      return { id: isDelivery ? sent.body.delivery_id : endpoint, delivery_id: sent.body.delivery_id };
    }
    if (path.startsWith('/v1/messages')) {
      const { subscriberId } = await subscribePerson(service, project);
      const sent = await project.api<{ details: { delivery_id: string }[] }>('POST', '/v1/send', {
        subscriber_id: subscriberId,
        text: 'Hello',
      });
      return { subscriber_id: subscriberId, delivery_id: sent.body.details[0]?.delivery_id ?? '' };
    }
    if (path.startsWith('/v1/members/')) {
      return { id: (await insertMemberRow(service, project, 'viewer')).memberId };
    }
    if (path.startsWith('/v1/invitations/')) {
      const invited = await project.api<{ invitation_id: string }>('POST', '/v1/invitations', {
        role: 'viewer',
      });
      return { id: invited.body.invitation_id };
    }
    if (path.startsWith('/v1/templates/')) {
      const variants = { en: { text: 'Hello' } };
      await project.api('POST', '/v1/templates', { key: 'documented', variants });
      return { key: 'documented' };
    }
    if (path.startsWith('/v1/scheduled/')) {
      const entry = await project.api<{ scheduled_id: string }>('POST', '/v1/scheduled', {
        content: { text: 'Hello' },
        external_id: 'nobody',
        scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
      });
      return { id: entry.body.scheduled_id };
    }
    if (path.startsWith('/v1/drip-chains/')) {
      const chain = await project.api<{ drip_id: string }>('POST', '/v1/drip-chains', {
        name: 'Hello',
        trigger: { type: 'manual' },
        steps: [{ id: 'wait', type: 'delay', minutes: 60 }],
        status: 'active',
      });
      return { drip_id: chain.body.drip_id };
    }
    if (path.startsWith('/v1/recurring/')) {
      const request = { name: 'Hello', content: { text: 'Hello' }, audience: {}, cron: '0 9 * * MON' };
      const entry = await project.api<{ recurring_id: string }>('POST', '/v1/recurring', request);
      return { id: entry.body.recurring_id };
    }
    if (path.startsWith('/v1/send/batch/')) {
      const messages = [{ external_id: 'nobody', text: 'Hello' }];
      const batch = await project.api<{ batch_id: string }>('POST', '/v1/send/batch', { messages });
      return { batch_id: batch.body.batch_id };
    }
    if (path.startsWith('/v1/broadcast/')) {
      await subscribePerson(service, project);
      const job = await project.api<{ job_id: string }>('POST', '/v1/broadcast', { text: 'Hello' });
      return { job_id: job.body.job_id };
    }
    if (path.startsWith('/v1/import/{')) {
      const type = { 'content-type': 'text/csv' };
      const created = await project.api<{ import_id: string }>(
        'POST',
        '/v1/import/subscribers',
        'external_id\n',
        type,
      );
      return { id: created.body.import_id };
    }
    if (path.startsWith('/v1/forms/{') || path.startsWith('/v1/submissions/')) {
      const created = await form.create();
      const { submission_id } = (await (await form.submit(created, { size: 'M' })).json()) as Submission;
      const { subscriberId } = await subscribePerson(service, project);
      return { form_id: created.form_id, id: submission_id, subscriber_id: subscriberId };
    }
    if (path.startsWith('/v1/helpdesk/types/')) {
      const type = await project.api<{ type_id: string }>('POST', '/v1/helpdesk/types', {
        name_en: freshName(),
        name_ru: freshName(),
      });
      return { id: type.body.type_id };
    }
    if (path.startsWith('/v1/helpdesk/tickets/')) {
      await project.api('PATCH', '/v1/helpdesk', { enabled: true });
      const ticket = await project.api<{ ticket_id: string }>('POST', '/v1/helpdesk/tickets', {
        customer: { name: 'Ann' },
        text: 'Hello',
      });
      const id = ticket.body.ticket_id;
      const attachment_id = path.includes('{attachment_id}') ? await attachFile(service, id) : '';
      return { id, ticket_id: id, attachment_id };
    }
    return {};
  }

  async function cleanUp(): Promise<void> {
    const { body } = await project.api<{ data: { id: string }[] }>('GET', '/v1/webhooks');
    for (const { id } of body.data) await project.api('DELETE', `/v1/webhooks/${id}`);
  }

  async function filled(request: Documented, more: Record<string, string> = {}): Promise<string> {
    const values = { ...(await placeholders(request.path)), ...more };
    return Object.entries(values).reduce(
      (text, [name, value]) => text.replaceAll(`<${name}>`, value),
      request.curl,
    );
  }

  const execute = (script: string) =>
    callWithCurl(
      script,
      { HERALD_API_KEY: project.api_key },
      { 'logo.png': png(2, 2, () => [0, 0, 0, 255]) },
    );

  it('are those of every operation', async () => {
    const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
      paths: Record<string, object>;
    };
    const operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(requests.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(operations.sort());
  });

  it('read what they say they read', async () => {
    const reads = requests.filter(({ method, path }) => method === 'GET' && path.startsWith('/v1/'));
    expect(reads.length).toBeGreaterThan(12);
    for (const request of reads) {
      const { status, body } = await execute(await filled(request));
      expect({ id: request.id, status, body: status < 300 ? '' : body }).toEqual({
        id: request.id,
        status: 200,
        body: '',
      });
      await cleanUp();
    }
  }, 300_000);

  it('log a person in: session, status, code', async () => {
    const find = (id: string) => requests.find((request) => request.id === id) as Documented;
    const created = await execute(find('post_v1_auth_session').curl);
    expect(created).toMatchObject({ status: 201, body: expect.stringContaining('hosted_url') });
    const { status } = await confirmedSession(service, project, 'documented');
    const verify = find('post_v1_auth_verify').curl.replace('<code>', status.code ?? '');
    expect(await execute(verify)).toMatchObject({
      status: 200,
      body: expect.stringContaining('subscriber_id'),
    });
  });

  it('have bodies that the API accepts', async () => {
    const person = await subscribePerson(service, project);
    const writes = requests.filter(
      ({ curl, path }) => / (-d|--data-binary) /.test(curl) && path.startsWith('/v1/'),
    );
    expect(writes.length).toBeGreaterThan(8);
    for (const request of writes) {
      const { status, body } = await execute(
        await filled(request, {
          subscriber_id: person.subscriberId,
          time: new Date().toISOString(),
          later: new Date(Date.now() + 3_600_000).toISOString(),
        }),
      );
      expect({ id: request.id, status, body }).toEqual({
        id: request.id,
        status: expect.any(Number),
        body: expect.not.stringMatching(/validation_failed|bad_request|unsupported_media_type|"not_found"/),
      });
      await cleanUp();
    }
  }, 300_000);

  it.each(languages)('work in $name as well', async ({ name, prepare }) => {
    const sample = requests.find(({ id }) => id === 'get_v1_project') as Documented;
    const isPython = name === 'Python';
    const prepared = prepare({
      file: isPython ? 'sample.py' : 'sample.ts',
      text: isPython ? sample.python : sample.typescript,
    });
    const lines: string[] = [];
    await runScript(prepared, { HERALD_API_KEY: project.api_key }, (line) => void lines.push(line));
    prepared.remove();
    expect(lines.join('\n')).toContain(project.slug);
  });

  it.each([
    { language: 'go' as const, file: 'main.go', version: ['version'], run: ['run', 'main.go'] },
    { language: 'php' as const, file: 'main.php', version: ['--version'], run: ['main.php'] },
  ])(
    'run in $language',
    async ({ language, file, version, run }) => {
      if (spawnSync(language, version, { stdio: 'ignore' }).status !== 0) {
        process.stderr.write(`${language} is not installed here: its samples are not run.\n`);
        return;
      }
      const folder = mkdtempSync(path.join(tmpdir(), `herald-${language}-`));
      const execute = (sample: string) => {
        writeFileSync(path.join(folder, file), sample);
        const env = { ...process.env, HERALD_API_KEY: project.api_key, GO111MODULE: 'off' };
        return promisify(execFile)(language, run, { cwd: folder, env });
      };
      try {
        const find = (id: string) => requests.find((request) => request.id === id) as Documented;
        expect((await execute(find('get_v1_project')[language])).stdout).toContain(project.slug);
        expect((await execute(find('post_v1_auth_session')[language])).stdout).toContain('hosted_url');
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    240_000,
  );

  it('are correct by the types of the TypeScript SDK', () => {
    const importLine = /^import .*$/gm;
    const imports = new Set(requests.flatMap(({ typescript: sample }) => sample.match(importLine) ?? []));
    const bodies = requests.map(({ typescript: sample }) => sample.replaceAll(importLine, ''));
    const text = bodies.map((body, index) => `export async function sample${index}() {${body}}`).join('\n');
    const prepared = typescript.prepare({
      file: 'samples.ts',
      text: `${[...imports].join('\n')}\n${text}`,
    });
    prepared.remove();
  });
});
