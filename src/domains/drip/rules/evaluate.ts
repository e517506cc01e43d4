import { compares } from '../../../base/contract/rules';
import type { Properties, PropertyValue } from '../../subscribers/contract';
import type { Rule, Rules } from './contract';

/** What rules are evaluated against. */
export interface Facts {
  tags: readonly string[];
  permissions: readonly string[];
  properties: Properties;
  /** The keys (`eventKey`) of the event rules whose event has happened. */
  happened: ReadonlySet<string>;
}

/** An event rule's question: the name, and how far it looks back. */
export interface EventQuestion {
  name: string;
  /** Null: to the enrolment. */
  sinceMinutes: number | null;
}

export function eventKey({ name, sinceMinutes }: EventQuestion): string {
  return `${name}/${sinceMinutes ?? ''}`;
}

/** The distinct questions that the event rules of several sets ask. */
export function eventQuestions(sets: readonly Rules[]): EventQuestion[] {
  const questions = sets.flatMap(({ rules }) =>
    rules.flatMap(({ event, since_minutes }) =>
      event === undefined ? [] : [{ name: event, sinceMinutes: since_minutes ?? null }],
    ),
  );
  return [...new Map(questions.map((question) => [eventKey(question), question])).values()];
}

export function rulesHold({ match = 'all', rules }: Rules, facts: Facts): boolean {
  return match === 'all'
    ? rules.every((rule) => ruleHolds(rule, facts))
    : rules.some((rule) => ruleHolds(rule, facts));
}

/** Rules on the properties of a tracked event. */
export function propertyRulesHold(rules: Rules, properties: Properties): boolean {
  return rulesHold(rules, { tags: [], permissions: [], properties, happened: new Set() });
}

function ruleHolds(rule: Rule, facts: Facts): boolean {
  const { tag, permission, property, event, has = true, happened = true } = rule;
  if (tag !== undefined) return facts.tags.includes(tag) === has;
  if (permission !== undefined) return facts.permissions.includes(permission) === has;
  if (event !== undefined) {
    const key = eventKey({ name: event, sinceMinutes: rule.since_minutes ?? null });
    return facts.happened.has(key) === happened;
  }
  if (property === undefined || rule.op === undefined) return false;
  return compares(valueOf(facts.properties, property), rule.op, rule.value);
}

/** Not a name that every object inherits, such as `constructor`. */
function valueOf(properties: Properties, key: string): PropertyValue | undefined {
  return Object.hasOwn(properties, key) ? properties[key] : undefined;
}
