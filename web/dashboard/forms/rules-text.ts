import { language } from '../texts';
import type { FieldDraft, RouteDraft, RuleDraft } from './draft';
import { needsValue } from '../rule-operator';
import { words } from './texts';

type Labelled = { label_en?: string | undefined; label_ru?: string | undefined };

/** A label in the reader's language, or in the other one. */
export function labelIn(lang: 'en' | 'ru', { label_en, label_ru }: Labelled): string {
  return (lang === 'ru' ? label_ru || label_en : label_en || label_ru) ?? '';
}

export const fieldLabel = (field: Labelled) => labelIn(language, field) || words().unnamedField;

/** What an action does, in words. */
export function actionText(route: RouteDraft): string {
  const { routeTexts } = words();
  switch (route.action) {
    case 'tag':
      return routeTexts.tag(route.tag || '…');
    case 'event':
      return routeTexts.event(route.event || '…');
    case 'message':
      return routeTexts.messageTo[route.to];
    case 'ticket':
      return routeTexts.ticket;
    case 'spam':
      return routeTexts.spam;
  }
}

/** When an action runs, in words. */
export function whenText({ rules, match }: RouteDraft, fields: FieldDraft[]): string {
  const w = words();
  if (rules.length === 0) return w.always;
  return w.ifText(rules.map((rule) => ruleText(rule, fields)).join(match === 'any' ? w.or : w.and));
}

function ruleText({ field, op, value }: RuleDraft, fields: FieldDraft[]): string {
  const w = words();
  const named = fields.find(({ key }) => key === field);
  const label = named ? w.quoted(fieldLabel(named)) : '…';
  const inText = { ...w.operators, ...w.operatorsInText };
  const compared = `${label} ${inText[op === 'eq' && named?.type === 'checkbox' ? 'checkbox' : op]}`;
  return needsValue(op) ? `${compared} ${named ? valueText(named, value) : value}` : compared;
}

function valueText(field: FieldDraft, value: string): string {
  const w = words();
  if (field.type === 'checkbox') return value === 'true' ? w.yes : w.no;
  const option = field.options.find((each) => each.value === value);
  return w.quoted(option ? labelIn(language, option) || value : value);
}
