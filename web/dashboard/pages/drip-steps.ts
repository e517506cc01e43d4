import type { Rules } from '../../../src/drip/contract';
import type { IconName } from '../../shared/icons';
import type { Chain, ChainStep } from '../api';
import { durationParts } from '../elements';
import { readableText } from '../message/placeholder-name';
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

/** What a step does, in one line. */
export function stepLine(step: ChainStep): string {
  switch (step.type) {
    case 'delay':
      return t.drip.waits(durationText(step.minutes));
    case 'wait_until': {
      const days = step.weekdays?.map((day) => t.drip.weekdayNames[day - 1]).join(', ') ?? t.drip.everyDay;
      return t.drip.opens(step.from, step.to, t.drip.clockTexts[step.timezone], days);
    }
    case 'condition':
      return t.drip.conditionText(rulesText(step.if));
    case 'send':
      return t.drip.messageText(
        step.content.template === undefined
          ? readableText(step.content.text ?? '').replace(/\s+/g, ' ')
          : t.templateNamed(step.content.template),
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

export function rulesText({ match = 'all', rules }: Rules): string {
  return rules.map(ruleText).join(match === 'all' ? t.drip.and : t.drip.or);
}

function ruleText(rule: Rules['rules'][number]): string {
  const { ruleTexts, operators } = t.drip;
  if (rule.tag !== undefined) return ruleTexts.tag(rule.tag, rule.has !== false);
  if (rule.permission !== undefined) return ruleTexts.permission(rule.permission, rule.has !== false);
  if (rule.event !== undefined) return ruleTexts.event(rule.event, rule.happened !== false);
  const value = rule.value === undefined ? '' : ` ${String(rule.value)}`;
  return `${rule.property ?? ''} ${rule.op ? operators[rule.op] : ''}${value}`;
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
