import type { Language } from '../../base/contract/common';
import { russianForm } from '../../base/lib/russian-form';
import { russian } from './russian';

/** How tables of fields word types and bounds. */
export interface FieldWords {
  /** A description of a contract. */
  description: (text: string) => string;
  if: (field: string, values: string[]) => string;
  or: string;
  listOf: (type: string) => string;
  time: string;
  any: string;
  exactly: (amount: number, unit: Unit) => string;
  between: (low: number, high: number, unit: Unit) => string;
  atMost: (amount: number, unit: Unit) => string;
  atLeast: (amount: number, unit: Unit) => string;
  pattern: string;
  default: string;
}

export type Unit = 'character' | 'item' | '';

const counted = (text: string, amount: number, unit: Unit) =>
  `${text}${unit && ` ${unit}${amount === 1 ? '' : 's'}`}.`;

/** «4 символа», «5 символов». */
const forms = {
  character: { one: 'символ', few: 'символа', many: 'символов', genitive: 'символа' },
  item: { one: 'элемент', few: 'элемента', many: 'элементов', genitive: 'элемента' },
};

function russianCount(amount: number, unit: Unit): string {
  if (unit === '') return String(amount);
  return `${amount} ${russianForm(amount, forms[unit])}`;
}

/** After «до» and «не больше»: «до 1 символа», «до 64 символов». */
function russianGenitive(amount: number, unit: Unit): string {
  if (unit === '') return String(amount);
  const { genitive, many } = forms[unit];
  return `${amount} ${russianForm(amount, { one: genitive, few: many, many })}`;
}

/** A list of strings, of lists; types that are several, such as “string or null”, stay. */
function plural(type: string): string {
  if (type.startsWith('list of ')) return type.replace('list', 'lists');
  return /^\w+$/.test(type) && type !== 'any' ? `${type}s` : type;
}

export const fieldWords: Record<Language, FieldWords> = {
  en: {
    description: (text) => text,
    if: (field, values) => `If ${field} is ${values.join(' or ')}:`,
    or: ' or ',
    listOf: (type) => `list of ${plural(type)}`,
    time: 'time',
    any: 'any',
    exactly: (amount, unit) => counted(String(amount), amount, unit),
    between: (low, high, unit) => counted(`${low} to ${high}`, high, unit),
    atMost: (amount, unit) => counted(`At most ${amount}`, amount, unit),
    atLeast: (amount, unit) => counted(`At least ${amount}`, amount, unit),
    pattern: 'Pattern',
    default: 'Default',
  },
  ru: {
    description: russian.field,
    if: (field, values) => `Если ${field} — ${values.join(' или ')}:`,
    or: ' или ',
    listOf: (type) => `массив ${type.replace(/^массив/, 'массивов')}`,
    time: 'время',
    any: 'любой',
    exactly: (amount, unit) => `Ровно ${russianCount(amount, unit)}.`,
    between: (low, high, unit) => `От ${low} до ${russianGenitive(high, unit)}.`,
    atMost: (amount, unit) => `Не больше ${russianGenitive(amount, unit)}.`,
    atLeast: (amount, unit) => `Не меньше ${russianGenitive(amount, unit)}.`,
    pattern: 'Шаблон',
    default: 'По умолчанию',
  },
};
