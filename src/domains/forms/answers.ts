import type { Language } from '../../base/contract/common';
import { limits } from '../../base/contract/limits';
import { boundsOf, type Answer, type Answers, type Field } from './contract';

/** What is wrong with an answer. */
export type Fault =
  | { code: 'required' | 'ticked' | 'type' | 'email' | 'phone' | 'number' | 'date' | 'option' | 'character' }
  | { code: 'short' | 'long' | 'small' | 'great' | 'few' | 'many'; bound: number };

type Parsed = { answer: Answer | undefined } | { fault: Fault };

const EMAIL = /^[^\s@<>()[\]\\,;:"]{1,64}@[^\s@.<>()[\]\\,;:"]+(?:\.[^\s@.<>()[\]\\,;:"]+)+$/;
const EMAIL_LENGTH = 254;
const PHONE = /^\+?[\d\s().-]{3,40}$/;
const PHONE_DIGITS = { min: 5, max: 20 };
const NUMBER = /^[+-]?(?:\d+(?:[.,]\d+)?|[.,]\d+)$/;
const NUMBER_LENGTH = 40;
const TICKED = new Set(['true', 'on', '1', 'yes']);
const UNTICKED = new Set(['false', 'off', '0', 'no', '']);

/**
 * Reads one answer, from JSON, from an HTML form or from a message in the bot: all of them can give texts for numbers,
 * ticks and choices. An empty text is no answer.
 */
export function readAnswer(field: Field, given: unknown): Parsed {
  const parsed = readType(field, typeof given === 'string' ? given.replaceAll('\r\n', '\n').trim() : given);
  if ('fault' in parsed) return parsed;
  const { answer } = parsed;
  if (!field.required) return parsed;
  if (answer === undefined) return fault('required');
  return field.type === 'checkbox' && answer !== true ? fault('ticked') : parsed;
}

/** The answers of a submission, by the form's fields in their order; or what is wrong, by field. */
export function readAnswers(
  fields: readonly Field[],
  given: Readonly<Record<string, unknown>>,
): { answers: Answers; faults: Record<string, Fault> } {
  const answers: Answers = {};
  const faults: Record<string, Fault> = {};
  for (const field of fields) {
    const parsed = readAnswer(field, Object.hasOwn(given, field.key) ? given[field.key] : undefined);
    if ('fault' in parsed) faults[field.key] = parsed.fault;
    else if (parsed.answer !== undefined) answers[field.key] = parsed.answer;
  }
  return { answers, faults };
}

function readType(field: Field, given: unknown): Parsed {
  if (given === undefined || given === null || given === '') {
    return { answer: field.type === 'checkbox' && given !== undefined ? false : undefined };
  }
  switch (field.type) {
    case 'checkbox':
      return readTick(given);
    case 'number':
      return readNumber(field, given);
    case 'multiselect':
      return readChoices(field, given);
    default:
      return typeof given === 'string' ? readText(field, given) : fault('type');
  }
}

function readText(field: Field, text: string): Parsed {
  // Line breaks and tabs are text; other control characters are not, and PostgreSQL cannot store all of them.
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(text)) return fault('character');
  switch (field.type) {
    case 'email':
      if (text.length > EMAIL_LENGTH || !EMAIL.test(text)) return fault('email');
      break;
    case 'phone': {
      const digits = text.replaceAll(/\D/g, '').length;
      if (!PHONE.test(text) || digits < PHONE_DIGITS.min || digits > PHONE_DIGITS.max) return fault('phone');
      break;
    }
    case 'date':
      return isDate(text) ? { answer: text } : fault('date');
    case 'select':
      return field.options?.some(({ value }) => value === text) ? { answer: text } : fault('option');
  }
  const { min = 0, max = limits.formAnswerLength } = boundsOf(field.type) === 'length' ? field : {};
  if (text.length > max) return fault('long', max);
  return text.length < min ? fault('short', min) : { answer: text };
}

/** `2026-02-30` is none. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < '0001') return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function readNumber({ min, max }: Field, given: unknown): Parsed {
  const isText = typeof given === 'string' && given.length <= NUMBER_LENGTH && NUMBER.test(given);
  const number = isText ? Number(given.replace(',', '.')) : given;
  if (typeof number !== 'number' || !Number.isFinite(number)) return fault('number');
  if (min !== undefined && number < min) return fault('small', min);
  return max !== undefined && number > max ? fault('great', max) : { answer: number };
}

function readTick(given: unknown): Parsed {
  if (typeof given === 'boolean') return { answer: given };
  const word = typeof given === 'string' ? given.toLowerCase() : null;
  if (word !== null && TICKED.has(word)) return { answer: true };
  return word !== null && UNTICKED.has(word) ? { answer: false } : fault('type');
}

function readChoices({ options = [], min, max, required }: Field, given: unknown): Parsed {
  const list: unknown[] = Array.isArray(given) ? given : [given];
  if (list.length > limits.formOptions) return fault('many', max ?? options.length);
  const known = new Set(options.map(({ value }) => value));
  const chosen = [...new Set(list.filter((each) => each !== ''))];
  if (!chosen.every((each): each is string => typeof each === 'string' && known.has(each))) {
    return fault('option');
  }
  if (chosen.length === 0) return { answer: undefined };
  const least = Math.max(min ?? 0, required ? 1 : 0);
  if (chosen.length < least) return fault('few', least);
  return max !== undefined && chosen.length > max ? fault('many', max) : { answer: chosen };
}

function fault(
  code: 'required' | 'ticked' | 'type' | 'email' | 'phone' | 'number' | 'date' | 'option' | 'character',
): {
  fault: Fault;
};
function fault(code: 'short' | 'long' | 'small' | 'great' | 'few' | 'many', bound: number): { fault: Fault };
function fault(code: string, bound?: number): { fault: Fault } {
  return { fault: (bound === undefined ? { code } : { code, bound }) as Fault };
}

/** Reads after the name of a field, in the errors of the API. */
export function faultText(found: Fault): string {
  switch (found.code) {
    case 'required':
      return 'is required';
    case 'ticked':
      return 'must be ticked';
    case 'type':
      return 'has the wrong type';
    case 'email':
      return 'must be an email address';
    case 'phone':
      return 'must be a phone number';
    case 'number':
      return 'must be a number';
    case 'date':
      return 'must be a date like 2026-01-31';
    case 'option':
      return 'must be one of the options';
    case 'character':
      return 'contains a character that is not allowed';
    case 'short':
      return `must have at least ${found.bound} characters`;
    case 'long':
      return `can have up to ${found.bound} characters`;
    case 'small':
      return `must be at least ${found.bound}`;
    case 'great':
      return `must be at most ${found.bound}`;
    case 'few':
      return `must have at least ${found.bound} options`;
    case 'many':
      return `can have up to ${found.bound} options`;
  }
}

/** For a person: on the page beside the field, and in the bot before the question is asked again. */
export function explainFault(found: Fault, lang: Language): string {
  return (lang === 'ru' ? inRussian : inEnglish)(found);
}

function inEnglish(found: Fault): string {
  switch (found.code) {
    case 'required':
      return 'Please answer this question.';
    case 'ticked':
      return 'This is required to go on.';
    case 'type':
      return 'Please answer with text.';
    case 'email':
      return 'Enter an email address like name@example.com.';
    case 'phone':
      return 'Enter a phone number with its country code, like +1 555 010 0199.';
    case 'number':
      return 'Enter a number.';
    case 'date':
      return 'Enter a date like 2026-01-31.';
    case 'option':
      return 'Choose one of the options.';
    case 'character':
      return 'Remove the special characters and try again.';
    case 'short':
      return `Enter at least ${found.bound} characters.`;
    case 'long':
      return `Enter up to ${found.bound} characters.`;
    case 'small':
      return `Enter a number of at least ${found.bound}.`;
    case 'great':
      return `Enter a number of at most ${found.bound}.`;
    case 'few':
      return `Choose at least ${found.bound}.`;
    case 'many':
      return `Choose up to ${found.bound}.`;
  }
}

function inRussian(found: Fault): string {
  switch (found.code) {
    case 'required':
      return 'Ответьте на этот вопрос.';
    case 'ticked':
      return 'Без этого нельзя продолжить.';
    case 'type':
      return 'Ответьте текстом.';
    case 'email':
      return 'Укажите почту в виде name@example.com.';
    case 'phone':
      return 'Укажите номер телефона с кодом страны, например +7\u00a0900\u00a0000\u201100\u201100.';
    case 'number':
      return 'Укажите число.';
    case 'date':
      return 'Укажите дату в виде 2026-01-31.';
    case 'option':
      return 'Выберите один из вариантов.';
    case 'character':
      return 'Уберите специальные символы и попробуйте ещё раз.';
    case 'short':
      return `Нужно символов: не меньше ${found.bound}.`;
    case 'long':
      return `Можно символов: не больше ${found.bound}.`;
    case 'small':
      return `Число должно быть не меньше ${found.bound}.`;
    case 'great':
      return `Число должно быть не больше ${found.bound}.`;
    case 'few':
      return `Нужно вариантов: не меньше ${found.bound}.`;
    case 'many':
      return `Можно вариантов: не больше ${found.bound}.`;
  }
}
