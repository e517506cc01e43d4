import type { TemplateVars } from '../../base/contract/content';
import { limits } from '../../base/contract/limits';
import type { Properties } from '../subscribers/contract';
import type { Answer, Answers } from './contract';

/** The answers as properties of a tracked event, cut to fit. */
export function answerProperties(answers: Answers): Properties {
  return shortened(answers, limits.propertyLength);
}

/** The answers as values for the placeholders of a message, cut to fit. */
export function answerValues(answers: Answers): TemplateVars {
  return shortened(answers, limits.templateValueLength);
}

function shortened(answers: Answers, length: number): Record<string, string | number | boolean> {
  return Object.fromEntries(Object.entries(answers).map(([key, answer]) => [key, short(answer, length)]));
}

function short(answer: Answer, length: number): string | number | boolean {
  if (typeof answer === 'number' || typeof answer === 'boolean') return answer;
  return answerText(answer, length);
}

/** An answer as text, cut to fit. */
export function answerText(answer: Answer, length: number): string {
  const text = Array.isArray(answer) ? answer.join(', ') : String(answer);
  // Half of a surrogate pair is no character.
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}
