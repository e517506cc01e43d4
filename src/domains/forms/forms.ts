import { linkFields } from '../bots';
import { isRenderable, type GivenContent, type TemplateVars } from '../../base/contract/content';
import { AppError, orNotFound } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import { startParameter } from '../../base/contract/start-parameters';
import type { Core } from '../../base/core';
import { withTransaction, type Db } from '../../base/db/pool';
import { findType } from '../helpdesk';
import type { Work } from '../../base/http/idempotency';
import { isoTime } from '../../base/lib/iso-time';
import { randomToken256 } from '../../base/lib/tokens';
import { storeContent } from '../messages';
import { resolveAndVet, vetUrl } from '../../base/outbound/addresses';
import { lockProject } from '../projects';
import { defineLabels } from '../subscribers';
import { resolveTemplate } from '../templates';
import { contentsOf, type Field, type FormRoute, type FormValues, type FormView } from './contract';
import { isLoopbackOrigin } from './origins';
import {
  countForms,
  findForm,
  insertForm,
  lockForm,
  replaceForm,
  type FormRow,
  type StoredForm,
} from './queries/forms';
import { undashed } from './signing';

export type FormDeps = Pick<Core, 'pool' | 'config' | 'cipher'>;

export const captchaPurpose = 'form_captcha';
export const signingPurpose = 'form_signing';

export async function createForm(
  deps: FormDeps,
  projectId: string,
  values: FormValues,
  work: Work,
): Promise<FormRow> {
  const { pool, cipher } = deps;
  const earlier = work.resumed ? await findForm(pool, projectId, work.id) : null;
  if (earlier) return earlier;
  await checkOutside(deps, projectId, values);
  const secret = values.captcha?.secret;
  return withTransaction(pool, async (db) => {
    // What the form names is not removed meanwhile, and forms are counted.
    await lockProject(db, projectId);
    if ((await countForms(db, projectId)) >= limits.forms) {
      throw new AppError('conflict', `A project can have up to ${limits.forms} forms.`);
    }
    await checkNames(db, projectId, values);
    return insertForm(db, projectId, {
      ...stored(work.id, values),
      captcha_sealed: secret === undefined ? null : cipher.encrypt(secret, captchaPurpose, work.id),
      signing_sealed: cipher.encrypt(randomToken256(), signingPurpose, work.id),
    });
  });
}

/** Replaces everything but the id. A captcha keeps its secret unless another one is given. */
export async function putForm(
  deps: FormDeps,
  projectId: string,
  id: string,
  values: FormValues,
): Promise<FormRow> {
  const { pool, cipher } = deps;
  await requireForm(pool, projectId, id);
  await checkOutside(deps, projectId, values);
  const secret = values.captcha?.secret;
  return withTransaction(pool, async (db) => {
    await lockProject(db, projectId);
    await checkNames(db, projectId, values);
    const before = orNotFound(await lockForm(db, projectId, id));
    // A secret never goes to another host than the one that it was given for.
    const kept = isSameHost(values.captcha?.verify_url, before.captcha_url) ? before.captcha_sealed : null;
    if (values.captcha && secret === undefined && kept === null) {
      throw new AppError('validation_failed', 'captcha.secret: is required');
    }
    return replaceForm(db, {
      ...stored(id, values),
      captcha_sealed: !values.captcha
        ? null
        : secret === undefined
          ? kept
          : cipher.encrypt(secret, captchaPurpose, id),
      signing_sealed: before.signing_sealed,
    });
  });
}

function isSameHost(one: string | undefined, other: string | null): boolean {
  return one !== undefined && other !== null && new URL(one).origin === new URL(other).origin;
}

function stored(id: string, values: FormValues): Omit<StoredForm, 'captcha_sealed' | 'signing_sealed'> {
  return {
    id,
    name: values.name,
    title_en: values.title_en ?? null,
    title_ru: values.title_ru ?? null,
    fields: values.fields,
    routes: values.routes,
    allowed_origins: values.allowed_origins,
    min_seconds: values.min_seconds,
    captcha_url: values.captcha?.verify_url ?? null,
    redirect_url: values.redirect_url ?? null,
    status: values.status,
  };
}

export async function requireForm(db: Db, projectId: string, id: string): Promise<FormRow> {
  return orNotFound(await findForm(db, projectId, id));
}

/** What other hosts and the settings say: before a transaction, which must not wait for them. */
async function checkOutside({ pool, config }: FormDeps, projectId: string, values: FormValues) {
  const policy = { allowLocal: config.allowLocalWebhooks };
  const { captcha, redirect_url, fields, routes } = values;
  if (captcha) {
    const vetted = vetUrl(captcha.verify_url, policy);
    if (!vetted.ok) throw new AppError('invalid_url', `captcha.verify_url: ${vetted.why}`);
    const resolved = await resolveAndVet(vetted.url.hostname, policy);
    if (!resolved.ok) throw new AppError('invalid_url', `captcha.verify_url: ${resolved.why}`);
  }
  if (redirect_url) {
    // A browser follows it, not Herald: every public address will do.
    const vetted = vetUrl(redirect_url.replace(/#.*$/, ''), policy);
    if (!vetted.ok) throw new AppError('invalid_url', `redirect_url: ${vetted.why}`);
  }
  values.allowed_origins.forEach((origin, index) => {
    if (config.development || !isLoopbackOrigin(origin)) return;
    throw new AppError('validation_failed', `allowed_origins[${index}]: must use https`);
  });
  for (const { path, content } of contentsOf(routes)) {
    await storeContent(pool, projectId, withAnswers(content, fields, {}), policy, { path });
  }
}

/** Under the project's lock: templates and types exist, and the tags that the routes add become the project's own. */
async function checkNames(
  db: Db,
  projectId: string,
  { fields, routes }: Pick<FormValues, 'fields' | 'routes'>,
): Promise<void> {
  for (const { path, content } of contentsOf(routes)) {
    const known = withAnswers(content, fields, {});
    if (isRenderable(known)) await resolveTemplate(db, projectId, known, path);
  }
  for (const [index, route] of routes.entries()) {
    if (route.action !== 'ticket' || route.type_id === undefined) continue;
    if (await findType(db, projectId, route.type_id)) continue;
    throw new AppError('not_found', `routes[${index}].type_id: there is no type with this id`);
  }
  await defineLabels(db, projectId, 'tags', [...new Set(tagsIn(routes))]);
}

export function tagsIn(routes: readonly FormRoute[]): string[] {
  return routes.flatMap((route) => (route.action === 'tag' ? [route.tag] : []));
}

/** A message of a route: its placeholders can name the fields of the form. Values that the route gives win. */
export function withAnswers(
  content: GivenContent,
  fields: readonly Field[],
  values: TemplateVars,
): GivenContent {
  return isRenderable(content)
    ? { ...content, vars: { ...answerVars(fields, values), ...content.vars } }
    : content;
}

/** A field without an answer is known and empty. Not what every object inherits: a field may be called `constructor`. */
export function answerVars(fields: readonly Field[], values: TemplateVars): TemplateVars {
  return Object.fromEntries(
    fields.map(({ key }) => [key, (Object.hasOwn(values, key) ? values[key] : undefined) ?? '']),
  );
}

export function presentForm(
  { messengers, publicUrl }: Pick<Core, 'messengers' | 'publicUrl'>,
  form: FormRow,
): FormView {
  const start = startParameter('form', undashed(form.id));
  return {
    form_id: form.id,
    name: form.name,
    title_en: form.title_en,
    title_ru: form.title_ru,
    fields: form.fields,
    routes: form.routes,
    allowed_origins: form.allowed_origins,
    min_seconds: form.min_seconds,
    captcha: form.captcha_url === null ? null : { verify_url: form.captcha_url },
    redirect_url: form.redirect_url,
    status: form.status,
    submit_url: `${publicUrl()}/f/${form.id}`,
    hosted_url: `${publicUrl()}/forms/${form.id}`,
    ...linkFields('link', (channel) => messengers.ofProject(form.project_id, channel)?.link(start) ?? null),
    created_at: isoTime(form.created_at),
    updated_at: isoTime(form.updated_at),
  };
}
