import type pg from 'pg';
import { isRenderable, isTemplated, normalContent, type TemplateVars } from '../../base/contract/content';
import { AppError, orNotFound } from '../../base/contract/errors';
import type { SubscriberIdFormat } from '../../base/contract/ids';
import { limits } from '../../base/contract/limits';
import { withTransaction, type Db } from '../../base/db/pool';
import type { Work } from '../../base/http/idempotency';
import { isoTime } from '../../base/lib/iso-time';
import { findProject, lockProject } from '../projects';
import { requireSubscriber } from '../subscribers';
import type {
  NewTemplate,
  PreviewRequest,
  PreviewResult,
  TemplateDefinition,
  TemplatePurpose,
  TemplateSource,
  TemplateView,
  Variant,
  VariantView,
} from './contract';
import { inlineSource, sourceOf } from './fixed';
import {
  countTemplates,
  deleteTemplate,
  findTemplate,
  findTemplateById,
  insertTemplate,
  replaceTemplate,
  type TemplateRow,
  type TemplateValues,
} from './queries';
import { compileTemplate } from './template';
import { findTemplateUses } from './uses';
import { missingNames, valuesFor } from './values';

/** The project's lock serializes changes of templates with the definitions that name them. */
export async function createTemplate(
  pool: pg.Pool,
  projectId: string,
  request: NewTemplate,
  work: Work,
): Promise<TemplateRow> {
  const values = valuesOf(request);
  return withTransaction(pool, async (db) => {
    await lockProject(db, projectId);
    const earlier = work.resumed ? await findTemplateById(db, projectId, work.id) : null;
    if (earlier) return earlier;
    if ((await countTemplates(db, projectId)) >= limits.templates) {
      throw new AppError('conflict', `A project can have up to ${limits.templates} templates.`);
    }
    const template = await insertTemplate(db, projectId, { id: work.id, key: request.key, ...values });
    if (!template) throw new AppError('conflict', `The key "${request.key}" is taken.`);
    return template;
  });
}

export async function changeTemplate(
  pool: pg.Pool,
  projectId: string,
  key: string,
  definition: TemplateDefinition,
): Promise<TemplateRow> {
  const values = valuesOf(definition);
  const compiled = compileTemplate(values);
  return withTransaction(pool, async (db) => {
    await lockProject(db, projectId);
    const template = orNotFound(await replaceTemplate(db, projectId, key, values));
    for (const { vars, further, what } of await findTemplateUses(db, projectId, key)) {
      const missing = missingNames(compiled, vars, further);
      if (missing.length > 0) {
        throw new AppError(
          'template_variable_missing',
          `variants: ${what} uses this template without ${missing.length > 1 ? 'values' : 'a value'} for ${missing.join(', ')}`,
        );
      }
    }
    return template;
  });
}

export function removeTemplate(pool: pg.Pool, projectId: string, key: string): Promise<void> {
  return withTransaction(pool, async (db) => {
    await lockProject(db, projectId);
    orNotFound(await findTemplate(db, projectId, key));
    const [use] = await findTemplateUses(db, projectId, key);
    if (use) throw new AppError('conflict', `This template is used by ${use.what}.`);
    await deleteTemplate(db, projectId, key);
  });
}

function valuesOf(definition: TemplateDefinition, path = ''): TemplateValues {
  const { name, purpose, format, variants } = definition;
  const default_lang = definition.default_lang ?? (variants.en ? 'en' : 'ru');
  const source: TemplateSource = { format, default_lang, variants };
  // Refuses malformed placeholders.
  compileTemplate(source, path);
  return { name: name ?? null, purpose, format, default_lang, variants };
}

export function presentTemplate(template: TemplateRow): TemplateView {
  const { key, name, purpose, format, default_lang, variants, version } = template;
  return {
    key,
    name,
    purpose,
    format,
    default_lang,
    variants: {
      ...(variants.en && { en: presentVariant(variants.en) }),
      ...(variants.ru && { ru: presentVariant(variants.ru) }),
    },
    variables: compileTemplate(sourceOf(template)).names,
    version,
    created_at: isoTime(template.created_at),
    updated_at: isoTime(template.updated_at),
  };
}

function presentVariant({ buttons, ...variant }: Variant): VariantView {
  return buttons.length === 0 ? variant : { ...variant, buttons };
}

export async function previewTemplate(
  db: Db,
  projectId: string,
  request: PreviewRequest,
  format: SubscriberIdFormat,
): Promise<PreviewResult> {
  const { source, purpose, vars, path = '' } = await previewed(db, projectId, request);
  const { subscriber_id, lang } = request;
  const subscriber =
    subscriber_id === undefined ? null : await requireSubscriber(db, projectId, subscriber_id);
  const compiled = compileTemplate(source, path);
  const wanted = lang ?? subscriber?.lang ?? null;
  const chosen = source.inline ? (wanted ?? source.default_lang) : compiled.langFor(wanted);
  const project = (await findProject(db, projectId))?.name ?? '';
  const content = compiled.render(chosen, valuesFor(subscriber, { vars, project, format }));
  return {
    lang: chosen,
    text: content.text,
    format: content.format,
    buttons: content.buttons,
    media: content.media ?? null,
    missing: missingNames(compiled, vars, purpose === 'reply' ? ['event', 'reply'] : ['event']),
  };
}

interface Previewed {
  source: TemplateSource;
  purpose: TemplatePurpose;
  vars: TemplateVars;
  /** Of its texts in the request. */
  path?: string;
}

/** A template that is saved, one that is not, or the content of a message. */
async function previewed(
  db: Db,
  projectId: string,
  { key, template, content: asGiven, vars = {} }: PreviewRequest,
): Promise<Previewed> {
  const content = asGiven && normalContent(asGiven);
  if (template) return { source: valuesOf(template, 'template.'), purpose: template.purpose, vars };
  if (content && !isTemplated(content)) {
    const given = isRenderable(content) ? content.vars : {};
    return {
      source: inlineSource(content),
      purpose: 'message',
      vars: { ...given, ...vars },
      path: 'content.',
    };
  }
  const named = content?.template ?? key ?? '';
  const found = await findTemplate(db, projectId, named);
  const field = content ? 'content.template' : 'key';
  if (!found) throw new AppError('not_found', `${field}: there is no template with the key "${named}"`);
  return { source: sourceOf(found), purpose: found.purpose, vars: { ...content?.vars, ...vars } };
}
