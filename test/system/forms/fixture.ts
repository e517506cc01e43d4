import { randomInt } from 'node:crypto';
import { eventually } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';

export const field = (key: string, more: object = {}) => ({ key, type: 'text', label_en: key, ...more });

export interface CreatedForm {
  form_id: string;
  submit_url: string;
  hosted_url: string;
}

export interface Submission {
  submission_id: string;
  status: 'new' | 'spam';
  answers: Record<string, unknown>;
  subscriber_id: string | null;
  source: string;
  routes: { index: number; action: string; status: string; reason: string | null }[];
}

/** Each submission from an address of its own, unless the limit by address is what a test is about. */
export const someAddress = () => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;

export function forms(service: () => Installation, project: () => TestProject) {
  async function create(form: object = {}): Promise<CreatedForm> {
    const { status, body } = await project().api('POST', '/v1/forms', {
      name: 'Form',
      fields: [field('size')],
      allowed_origins: ['*'],
      ...form,
    });
    expect([status, body]).toEqual([201, expect.anything()]);
    return body as CreatedForm;
  }

  const submit = (
    { form_id }: Pick<CreatedForm, 'form_id'>,
    body: object,
    headers: Record<string, string> = {},
  ) => post(`/f/${form_id}`, JSON.stringify(body), { 'content-type': 'application/json', ...headers });

  const post = (path: string, body: string, headers: Record<string, string>) =>
    fetch(`${service().url}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'x-forwarded-for': someAddress(),
        ...(path.startsWith('/forms/') ? { origin: service().url } : {}),
        ...headers,
      },
      body,
    });

  async function list({ form_id }: CreatedForm, query = ''): Promise<Submission[]> {
    return (await project().api('GET', `/v1/forms/${form_id}/submissions${query}`)).body.data;
  }

  /** Waits until this many routes of a submission have run. */
  const routesOf = (id: string, count: number) =>
    eventually(async () => {
      const { body } = await project().api('GET', `/v1/submissions/${id}`);
      return body.routes.length >= count ? (body as Submission).routes : undefined;
    });

  return { create, submit, post, list, routesOf };
}
