import type { ChainStats, Rules } from '../../../src/drip/contract';
import type { IconName } from '../../shared/icons';
import type { Chain, ChainStep } from '../api';
import { Icon } from '../elements';
import { number } from '../format';
import { t } from '../texts';

export const stepIcons: Record<ChainStep['type'], IconName> = {
  send: 'envelope',
  delay: 'clock',
  wait_until: 'calendar',
  condition: 'branch',
  tag: 'tag',
  end: 'flag',
};

/** The chain from top to bottom, each step with its counts. */
export function StepList({ steps, stats }: { steps: ChainStep[]; stats: ChainStats | null }) {
  return (
    <ol class="timeline chain" aria-label={t.drip.steps}>
      {steps.map((step) => (
        <li key={step.id}>
          <Icon name={stepIcons[step.type]} small />
          <div>
            <p class="timeline-line">
              <strong>{t.drip.stepTypes[step.type]}</strong> <code>{step.id}</code>
              <Counts step={step} stats={stats} />
            </p>
            <p class="hint">{stepText(step)}</p>
          </div>
        </li>
      ))}
    </ol>
  );
}

function Counts({ step, stats }: { step: ChainStep; stats: ChainStats | null }) {
  const counts = stats?.steps.find(({ step_id }) => step_id === step.id);
  if (!counts) return null;
  const shown = [
    t.drip.reached(number(counts.reached)),
    ...(step.type === 'send' ? [t.drip.sentCount(number(counts.sent))] : []),
    ...(counts.failed > 0 ? [t.drip.failedCount(number(counts.failed))] : []),
    ...(counts.skipped > 0 ? [t.drip.skippedCount(number(counts.skipped))] : []),
  ];
  return <span class="step-counts">{shown.join(' · ')}</span>;
}

const MINUTES = { day: 1440, hour: 60 };

export function durationText(minutes: number): string {
  if (minutes % MINUTES.day === 0) return t.drip.days(minutes / MINUTES.day);
  if (minutes % MINUTES.hour === 0) return t.drip.hours(minutes / MINUTES.hour);
  return t.drip.minutes(minutes);
}

/** What a step does, in one line. */
export function stepText(step: ChainStep): string {
  switch (step.type) {
    case 'delay':
      return t.drip.waits(durationText(step.minutes));
    case 'wait_until': {
      const days = step.weekdays?.map((day) => t.drip.weekdayNames[day - 1]).join(', ') ?? t.drip.everyDay;
      return t.drip.opens(step.from, step.to, t.drip.clockTexts[step.timezone], days);
    }
    case 'condition':
      return t.drip.conditionText(rulesText(step.if), step.else === 'end' ? t.drip.toEnd : step.else);
    case 'send':
      return step.content.template === undefined
        ? (step.content.text ?? '')
        : `${t.drip.templateKey}: ${step.content.template}`;
    case 'tag':
      return [
        ...(step.add ? [t.drip.tagsAdded(step.add.join(', '))] : []),
        ...(step.remove ? [t.drip.tagsRemoved(step.remove.join(', '))] : []),
      ].join(' · ');
    case 'end':
      return t.drip.endText;
  }
}

export function rulesText({ match = 'all', rules }: Rules): string {
  return rules.map(ruleText).join(match === 'all' ? t.drip.and : t.drip.or);
}

function ruleText(rule: Rules['rules'][number]): string {
  const { ruleKinds, operators } = t.drip;
  if (rule.tag !== undefined) return `${rule.has === false ? ruleKinds.no_tag : ruleKinds.tag} ${rule.tag}`;
  if (rule.permission !== undefined) {
    return `${rule.has === false ? ruleKinds.no_permission : ruleKinds.permission} ${rule.permission}`;
  }
  if (rule.event !== undefined) {
    return `${rule.happened === false ? ruleKinds.no_event : ruleKinds.event} ${rule.event}`;
  }
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
