import type { Rules } from '../../../src/domains/drip/contract';
import type { IconName } from '../../shared/icons';
import type { Chain, ChainStep } from '../api';
import { durationParts } from '../elements';
import { readableText, templateTitle } from '../message/placeholder-name';
import { needsValue, operatorOf } from '../rule-operator';
import { t } from '../texts';

export const stepIcons: Record<ChainStep['type'], IconName> = {
  send: 'envelope',
  delay: 'clock',
  wait_until: 'calendar',
  condition: 'branch',
  tag: 'tag',
  end: 'flag',
};

/** "1 day 2 hours". */
export function durationText(minutes: number): string {
  const parts = durationParts(minutes);
  const shown = (['days', 'hours', 'minutes'] as const).filter((unit) => parts[unit] > 0);
  return shown.map((unit) => t.drip[unit](parts[unit])).join(' ') || t.drip.minutes(0);
}

/** Three and more in a row are named by the first and the last one. */
function weekdaysText(days: number[]): string {
  const name = (day: number | undefined) => t.drip.weekdayNames[(day ?? 1) - 1] ?? '';
  const stretches: number[][] = [];
  for (const day of [...days].sort((one, other) => one - other)) {
    const last = stretches.at(-1);
    if (last?.at(-1) === day - 1) last.push(day);
    else stretches.push([day]);
  }
  return stretches
    .map((each) => (each.length > 2 ? `${name(each[0])}–${name(each.at(-1))}` : each.map(name).join(', ')))
    .join(', ');
}

/** What a step does, in one line. */
export function stepLine(step: ChainStep): string {
  switch (step.type) {
    case 'delay':
      return t.drip.waits(durationText(step.minutes));
    case 'wait_until': {
      const days = step.weekdays ? weekdaysText(step.weekdays) : t.drip.everyDay;
      return t.drip.opens(step.from, step.to, t.drip.clockTexts[step.timezone], days);
    }
    case 'condition':
      return t.drip.conditionText(rulesText(step.if, t.drip.ruleLabels));
    case 'send':
      return t.drip.messageText(
        step.content.template === undefined
          ? readableText(step.content.text ?? '').replace(/\s+/g, ' ')
          : templateTitle(step.content.template, null),
      );
    case 'tag':
      return (
        [
          ...(step.add ? [t.drip.tagsAdded(step.add.join(', '))] : []),
          ...(step.remove ? [t.drip.tagsRemoved(step.remove.join(', '))] : []),
        ].join(' · ') || t.drip.stepTypes.tag
      );
    case 'end':
      return t.drip.endText;
  }
}

/** In sentences, or in the short words of a card. */
export function rulesText({ match = 'all', rules }: Rules, words: RuleWords = t.drip.ruleTexts): string {
  return rules.map((rule) => ruleText(rule, words)).join(match === 'all' ? t.drip.and : t.drip.or);
}

type RuleWords = typeof t.drip.ruleTexts;

function ruleText(rule: Rules['rules'][number], words: RuleWords): string {
  const { operators } = t.drip;
  if (rule.tag !== undefined) return words.tag(rule.tag, rule.has !== false);
  if (rule.permission !== undefined) return words.permission(rule.permission, rule.has !== false);
  if (rule.event !== undefined) return words.event(rule.event, rule.happened !== false);
  const op = operatorOf(rule);
  const value = rule.value === undefined || !needsValue(op) ? '' : ` ${String(rule.value)}`;
  return `${rule.property ?? ''} ${operators[op]}${value}`;
}

export function triggerText({ trigger }: Pick<Chain, 'trigger'>): string {
  const { triggerTexts } = t.drip;
  switch (trigger.type) {
    case 'subscription':
      return triggerTexts.subscription;
    case 'tag_added':
      return triggerTexts.tag_added(trigger.tag);
    case 'event':
      return triggerTexts.event(trigger.name);
    case 'manual':
      return triggerTexts.manual;
  }
}
