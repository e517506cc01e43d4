import { AppError } from '../../base/contract/errors';
import type { TemplateVars } from '../../base/contract/content';
import { formatSubscriberId, type SubscriberIdFormat } from '../../base/contract/ids';
import type { SubscriberRecord } from '../subscribers';
import type { Properties } from '../subscribers/contract';
import type { Template, ValueOf } from './template';

/** What a template shows of its recipient. */
export type TemplateRecipient = Pick<
  SubscriberRecord,
  'id' | 'first_name' | 'username' | 'external_id' | 'lang' | 'properties'
>;

export interface ValueContext {
  vars: TemplateVars;
  project: string;
  format: SubscriberIdFormat;
  /** In a chain: the properties of the event that began it, as `event.`. */
  event?: Properties | undefined;
  /** In a reply: the number of its ticket, and the name of the member who writes. */
  reply?: { number: number; agent: string | null } | undefined;
}

const BUILT_IN = new Set(['first_name', 'username', 'external_id', 'subscriber_id', 'lang', 'project']);

/** Further names of one use: `event.` in chains, `ticket.number` and `agent` in replies. */
export type FurtherNames = 'event' | 'reply';

function isKnown(name: string, vars: TemplateVars, further: readonly FurtherNames[]): boolean {
  if (Object.hasOwn(vars, name) || BUILT_IN.has(name) || name.startsWith('properties.')) return true;
  if (name.startsWith('event.')) return further.includes('event');
  return further.includes('reply') && (name === 'ticket.number' || name === 'agent');
}

export function missingNames(
  { names }: Pick<Template, 'names'>,
  vars: TemplateVars,
  further: readonly FurtherNames[] = [],
): string[] {
  return names.filter((name) => !isKnown(name, vars, further));
}

export function refuseMissing(
  template: Template,
  vars: TemplateVars,
  path = '',
  further: readonly FurtherNames[] = [],
): void {
  const missing = missingNames(template, vars, further);
  if (missing.length === 0) return;
  throw new AppError(
    'template_variable_missing',
    `${path}vars: must have ${missing.length > 1 ? 'values' : 'a value'} for ${missing.join(', ')}`,
  );
}

/** The values for one recipient; without one its names are known and empty. */
export function valuesFor(
  recipient: TemplateRecipient | null,
  { vars, project, format, event = {}, reply }: ValueContext,
): ValueOf {
  return (name) => {
    if (Object.hasOwn(vars, name)) return String(vars[name]);
    if (name === 'project') return project;
    if (name.startsWith('event.')) return propertyOf(event, name.slice('event.'.length));
    if (reply && name === 'ticket.number') return String(reply.number);
    if (reply && name === 'agent') return reply.agent;
    if (recipient === null) return null;
    if (name.startsWith('properties.')) {
      return propertyOf(recipient.properties, name.slice('properties.'.length));
    }
    switch (name) {
      case 'first_name':
      case 'username':
      case 'external_id':
      case 'lang':
        return recipient[name];
      case 'subscriber_id':
        return formatSubscriberId(recipient.id, format);
      default:
        return null;
    }
  };
}

function propertyOf(properties: Properties, key: string): string | null {
  return Object.hasOwn(properties, key) ? String(properties[key]) : null;
}
