import { AppError } from '../../base/contract/errors';
import {
  isRenderable,
  isTemplated,
  type GivenContent,
  type InlineContent,
  type PersonalContent,
  type RenderableContent,
  type TemplateContent,
  type TemplateVars,
} from '../../base/contract/content';
import type { Db } from '../../base/db/pool';
import { findProject } from '../projects';
import type { TemplateSource } from './contract';
import { findTemplate, findTemplates, type NamedTemplate } from './queries';
import { compileTemplate, type RenderedContent, type Template } from './template';
import {
  type FurtherNames,
  refuseMissing,
  type TemplateRecipient,
  type ValueContext,
  valuesFor,
} from './values';

/** A template as it was when a request was accepted, with the request's values. It is stored with a broadcast. */
export interface FixedTemplate {
  /** Its key; null for a text that the request gave in full. */
  template: string | null;
  version: number;
  vars: TemplateVars;
  source: TemplateSource;
}

/** A template that a request names, compiled and checked against the request's values. */
export interface ResolvedTemplate {
  fixed: FixedTemplate;
  compiled: Template;
  /** The project's name at the request. */
  project: string;
}

/** Throws `not_found` for an unknown key, `template_variable_missing` for a name without a value. */
export async function resolveTemplate(
  db: Db,
  projectId: string,
  content: RenderableContent,
  path = '',
  further: readonly FurtherNames[] = [],
): Promise<ResolvedTemplate> {
  if (!isTemplated(content)) {
    return personal(content, await projectName(db, projectId), { path, further });
  }
  const found = await findTemplate(db, projectId, content.template);
  return resolved(found, content, { path, further });
}

/** As `resolveTemplate`, for many contents with one query. `null` where the content is given in full. */
export async function resolveTemplates(
  db: Db,
  projectId: string,
  contents: GivenContent[],
  pathOf: (index: number) => string,
): Promise<(ResolvedTemplate | null)[]> {
  const keys = [...new Set(contents.flatMap((content) => (isTemplated(content) ? [content.template] : [])))];
  if (!contents.some(isRenderable)) return contents.map(() => null);
  const templates = keys.length > 0 ? await findTemplates(db, projectId, keys) : [];
  const found = new Map(templates.map((template) => [template.key, template]));
  const isPersonal = (content: GivenContent) => isRenderable(content) && !isTemplated(content);
  const project = contents.some(isPersonal) ? await projectName(db, projectId) : '';
  const compiled = new Map<string, Template>();
  return contents.map((content, index) => {
    if (!isRenderable(content)) return null;
    if (!isTemplated(content)) return personal(content, project, { path: pathOf(index) });
    const template = found.get(content.template) ?? null;
    const ready = compiled.get(content.template);
    const result = resolved(template, content, { path: pathOf(index), ready });
    compiled.set(content.template, result.compiled);
    return result;
  });
}

function resolved(
  found: NamedTemplate | null,
  { template: key, vars }: TemplateContent,
  {
    path,
    further = [],
    ready,
  }: { path: string; further?: readonly FurtherNames[]; ready?: Template | undefined },
): ResolvedTemplate {
  if (!found) throw new AppError('not_found', `${path}template: there is no template with the key "${key}"`);
  const source = sourceOf(found);
  const compiled = ready ?? compileTemplate(source);
  refuseMissing(compiled, vars, path, further);
  return {
    fixed: { template: key, version: found.version, vars, source },
    compiled,
    project: found.project_name,
  };
}

function personal(
  content: PersonalContent,
  project: string,
  { path, further = [] }: { path: string; further?: readonly FurtherNames[] },
): ResolvedTemplate {
  const { vars } = content;
  const source = inlineSource(content);
  const compiled = compileTemplate(source, path);
  refuseMissing(compiled, vars, path, further);
  return { fixed: { template: null, version: 0, vars, source }, compiled, project };
}

/** One variant for all languages; without `personalize` nothing of it is rendered. */
export function inlineSource(content: InlineContent | PersonalContent): TemplateSource {
  const { text, format, buttons, media } = content;
  return {
    format,
    default_lang: 'en',
    variants: { en: { text, buttons, media } },
    inline: 'personalize' in content ? 'personal' : 'literal',
  };
}

async function projectName(db: Db, projectId: string): Promise<string> {
  return (await findProject(db, projectId))?.name ?? '';
}

export function sourceOf({ format, default_lang, variants }: TemplateSource): TemplateSource {
  return { format, default_lang, variants };
}

/** The message for one recipient. */
export function renderFor(
  { fixed, compiled, project }: ResolvedTemplate,
  recipient: TemplateRecipient,
  context: Omit<ValueContext, 'vars' | 'project'>,
): RenderedContent {
  return compiled.render(recipient.lang, valuesFor(recipient, { ...context, project, vars: fixed.vars }));
}
