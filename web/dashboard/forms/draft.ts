import { limits } from '../../../src/base/contract/limits';
import { contentDraft, contentOf, emptyContent, type ContentDraft } from '../message/content';
import { operatorOf, type Operator } from '../rule-operator';
import { latinOf } from '../slug';
import type { FormsTexts } from '../texts/forms-en';
import type { Field, FieldType, FormDefinition, FormRoute, FormView } from './api';

type Bound = keyof FormsTexts['bounds']['length'];

/** What `min` and `max` of a field mean. */
export const boundKinds: Record<FieldType, 'length' | 'value' | 'count' | null> = {
  text: 'length',
  textarea: 'length',
  email: 'length',
  phone: 'length',
  number: 'value',
  date: null,
  select: null,
  multiselect: 'count',
  checkbox: null,
};
export const fieldTypes = Object.keys(boundKinds) as FieldType[];
/** The two bounds of a field. */
export const bounds = Object.keys({ min: true, max: true } satisfies Record<Bound, true>) as Bound[];
export const hasOptions = (type: FieldType) => type === 'select' || type === 'multiselect';

export interface OptionDraft {
  key: number;
  value: string;
  label_en: string;
  label_ru: string;
}

/** A field as it is typed. */
export interface FieldDraft {
  /** Stays the same while fields are moved and renamed; rules name it. */
  key: number;
  name: string;
  /** The name follows the label until the author types one, or the form is stored. */
  isNamed: boolean;
  type: FieldType;
  label_en: string;
  label_ru: string;
  required: boolean;
  min: string;
  max: string;
  options: OptionDraft[];
}

export interface RuleDraft {
  key: number;
  /** The key of a field's draft; null until one is chosen, and after that one was removed. */
  field: number | null;
  op: Operator;
  value: string;
}

export type Action = FormRoute['action'];

/** An action with all that any of them needs. */
export interface RouteDraft {
  key: number;
  action: Action;
  tag: string;
  event: string;
  ticketType: string;
  priority: string;
  to: 'submitter' | 'members';
  content: ContentDraft;
  match: 'all' | 'any';
  rules: RuleDraft[];
}

export interface FormDraft {
  name: string;
  title_en: string;
  title_ru: string;
  fields: FieldDraft[];
  routes: RouteDraft[];
  origins: string;
  minSeconds: string;
  hasCaptcha: boolean;
  captchaUrl: string;
  redirect: string;
  isActive: boolean;
}

export const nextKey = (rows: readonly { key: number }[]) => 1 + Math.max(-1, ...rows.map(({ key }) => key));

export function newField(fields: readonly FieldDraft[], type: FieldType): FieldDraft {
  return {
    key: nextKey(fields),
    name: freeName(fields, type),
    isNamed: false,
    type,
    label_en: '',
    label_ru: '',
    required: false,
    min: '',
    max: '',
    options: hasOptions(type) ? [newOption([])] : [],
  };
}

export const newOption = (options: readonly OptionDraft[]): OptionDraft => ({
  key: nextKey(options),
  value: '',
  label_en: '',
  label_ru: '',
});

export const newRule = (rules: readonly RuleDraft[], field: FieldDraft | undefined): RuleDraft => ({
  key: nextKey(rules),
  field: field?.key ?? null,
  op: field ? operatorsOf(field.type)[0]! : 'eq',
  value: field?.type === 'checkbox' ? 'true' : '',
});

export const newRoute = (routes: readonly RouteDraft[], action: Action): RouteDraft => ({
  key: nextKey(routes),
  action,
  tag: '',
  event: '',
  ticketType: '',
  priority: '',
  to: 'members',
  content: emptyContent,
  match: 'all',
  rules: [],
});

const FIRST: FieldDraft = { ...newField([], 'text'), name: 'name', required: true };

/** A form that is begun: people have a name and a phone. */
export const emptyForm: FormDraft = {
  name: '',
  title_en: '',
  title_ru: '',
  fields: [
    { ...FIRST, label_en: 'Your name', label_ru: 'Как вас зовут?' },
    { ...newField([FIRST], 'phone'), name: 'phone', label_en: 'Phone', label_ru: 'Телефон', required: true },
  ],
  routes: [],
  origins: '',
  minSeconds: '0',
  hasCaptcha: false,
  captchaUrl: '',
  redirect: '',
  isActive: true,
};

/** What can be asked about the answer to a field. */
export function operatorsOf(type: FieldType): Operator[] {
  switch (type) {
    case 'number':
    case 'date':
      return ['eq', 'ne', 'gt', 'lt', 'exists', 'missing'];
    case 'select':
      return ['eq', 'ne', 'exists', 'missing'];
    case 'multiselect':
      return ['contains', 'exists', 'missing'];
    case 'checkbox':
      return ['eq', 'missing'];
    default:
      return ['contains', 'eq', 'ne', 'exists', 'missing'];
  }
}

/** A name for an answer: the words of the label, or the type, and a number where it is taken. */
export function freeName(others: readonly FieldDraft[], label: string): string {
  const base =
    latinOf(label)
      .replaceAll('-', '_')
      .slice(0, 40)
      .replaceAll(/^_+|_+$/g, '') || 'field';
  const taken = new Set(others.map(({ name }) => name));
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? base : `${base}_${n}`;
    if (!taken.has(name)) return name;
  }
}

/** A stored form, to be edited. */
export function draftOf(form: FormView): FormDraft {
  const fields = form.fields.map((field, key) => fieldDraft(field, key));
  return {
    name: form.name,
    title_en: form.title_en ?? '',
    title_ru: form.title_ru ?? '',
    fields,
    routes: form.routes.map((route, key) => routeDraft(route, key, fields)),
    origins: form.allowed_origins.join('\n'),
    minSeconds: String(form.min_seconds),
    hasCaptcha: form.captcha !== null,
    captchaUrl: form.captcha?.verify_url ?? '',
    redirect: form.redirect_url ?? '',
    isActive: form.status === 'active',
  };
}

function fieldDraft(field: Field, key: number): FieldDraft {
  return {
    key,
    name: field.key,
    isNamed: true,
    type: field.type,
    label_en: field.label_en ?? '',
    label_ru: field.label_ru ?? '',
    required: field.required ?? false,
    min: field.min === undefined ? '' : String(field.min),
    max: field.max === undefined ? '' : String(field.max),
    options: (field.options ?? []).map((option, place) => ({
      key: place,
      value: option.value,
      label_en: option.label_en ?? '',
      label_ru: option.label_ru ?? '',
    })),
  };
}

function routeDraft(route: FormView['routes'][number], key: number, fields: FieldDraft[]): RouteDraft {
  return {
    ...newRoute([], route.action),
    key,
    ...(route.action === 'tag' ? { tag: route.tag } : {}),
    ...(route.action === 'event' ? { event: route.name } : {}),
    ...(route.action === 'ticket' ? { ticketType: route.type_id ?? '', priority: route.priority ?? '' } : {}),
    ...(route.action === 'message' ? { to: route.to, content: contentDraft(route.content) } : {}),
    match: route.when?.match ?? 'all',
    rules: (route.when?.rules ?? []).map(({ field, op, value }, place) => ({
      key: place,
      field: fields.find(({ name }) => name === field)?.key ?? null,
      op: operatorOf({ op, value }),
      value: op === 'exists' || value === undefined ? '' : String(value),
    })),
  };
}

/** What a form is replaced by. The secret is no part of the draft, which the browser keeps. */
export function definitionOf(draft: FormDraft, captchaSecret: string): FormDefinition {
  const text = (typed: string) => (typed.trim() === '' ? null : typed.trim());
  const secret = captchaSecret === '' ? {} : { secret: captchaSecret };
  return {
    name: draft.name,
    title_en: text(draft.title_en),
    title_ru: text(draft.title_ru),
    fields: draft.fields.map(fieldOf),
    routes: draft.routes.map((route) => routeOf(route, draft.fields)),
    allowed_origins: originsOf(draft.origins),
    min_seconds: Number(draft.minSeconds),
    captcha: draft.hasCaptcha ? { verify_url: draft.captchaUrl.trim(), ...secret } : null,
    redirect_url: text(draft.redirect),
    status: draft.isActive ? 'active' : 'disabled',
  };
}

export const originsOf = (typed: string) => typed.split(/[\s,]+/).filter((origin) => origin !== '');

function labels({ label_en, label_ru }: { label_en: string; label_ru: string }) {
  return {
    ...(label_en.trim() === '' ? {} : { label_en: label_en.trim() }),
    ...(label_ru.trim() === '' ? {} : { label_ru: label_ru.trim() }),
  };
}

export function fieldOf(draft: FieldDraft): Field {
  const bounded = boundKinds[draft.type] !== null;
  return {
    key: draft.name,
    type: draft.type,
    ...labels(draft),
    ...(draft.required ? { required: true } : {}),
    ...(bounded && draft.min !== '' ? { min: Number(draft.min) } : {}),
    ...(bounded && draft.max !== '' ? { max: Number(draft.max) } : {}),
    ...(hasOptions(draft.type)
      ? { options: draft.options.map((option) => ({ value: option.value.trim(), ...labels(option) })) }
      : {}),
  };
}

function routeOf(route: RouteDraft, fields: FieldDraft[]): NonNullable<FormDefinition['routes']>[number] {
  const rules = route.rules.map((rule) => ruleOf(rule, fields));
  const when =
    rules.length === 0 ? {} : { when: { ...(rules.length > 1 ? { match: route.match } : {}), rules } };
  switch (route.action) {
    case 'tag':
      return { action: 'tag', tag: route.tag.trim(), ...when };
    case 'event':
      return { action: 'event', name: route.event.trim(), ...when };
    case 'ticket':
      return {
        action: 'ticket',
        ...(route.ticketType === '' ? {} : { type_id: route.ticketType }),
        ...(route.priority === ''
          ? {}
          : { priority: route.priority as 'low' | 'normal' | 'high' | 'urgent' }),
        ...when,
      };
    case 'message':
      return { action: 'message', to: route.to, content: contentOf(route.content), ...when };
    case 'spam':
      return { action: 'spam', ...when };
  }
}

/** A value of another type than the answer compares false: it gets the type of the field. */
function ruleOf({ field, op, value }: RuleDraft, fields: FieldDraft[]) {
  const named = fields.find(({ key }) => key === field);
  const name = named?.name ?? '';
  if (op === 'exists') return { field: name, op };
  if (op === 'missing') return { field: name, op: 'exists' as const, value: false };
  const typed =
    named?.type === 'number' ? Number(value) : named?.type === 'checkbox' ? value === 'true' : value;
  return { field: name, op, value: typed };
}

/** Moves a row by one place; the same list if it is at the end. */
export function shifted<R extends { key: number }>(rows: R[], key: number, step: -1 | 1): R[] {
  const from = rows.findIndex((row) => row.key === key);
  const to = from + step;
  if (from < 0 || to < 0 || to >= rows.length) return rows;
  const changed = [...rows];
  [changed[from], changed[to]] = [changed[to]!, changed[from]!];
  return changed;
}

/** A form can have no more of them. */
export const isFull = ({ fields, routes }: FormDraft) => ({
  fields: fields.length >= limits.formFields,
  routes: routes.length >= limits.formRoutes,
});
