import { botTexts, type Button, type OutgoingMessage } from '../bots';
import type { Language } from '../../base/contract/common';
import { limits } from '../../base/contract/limits';
import { explainFault, type Fault } from './answers';
import { labelOf, titleOf, type Answer, type Field, type FieldOption } from './contract';
import type { Draft } from './queries/drafts';
import type { OpenFormRow } from './queries/forms';

/*
 * A form in the bot, question by question. The data of a button names the draft and the field, so that one of an earlier
 * question is recognised: `form:<8 digits of the submission>:<index of the field>:<choice>`.
 */

export type Choice = number | 'yes' | 'no' | 'skip' | 'done';

const DATA = /^form:([0-9a-f]{8}):(\d{1,2}):(\d{1,2}|yes|no|skip|done)$/;

interface TappedChoice {
  draft: string;
  field: number;
  choice: Choice;
}

/** Null for the data of another domain. */
export function parseChoice(data: string): TappedChoice | null {
  const [, draft = '', field = '', choice = ''] = DATA.exec(data) ?? [];
  if (draft === '') return null;
  return { draft, field: Number(field), choice: /^\d/.test(choice) ? Number(choice) : (choice as Choice) };
}

/** The part of a draft's id that its buttons have. */
export const draftMark = ({ submission_id }: Pick<Draft, 'submission_id'>) => submission_id.slice(-8);

/** The field that is asked for: the first without an answer. */
export function askedField(fields: readonly Field[], { answers }: Pick<Draft, 'answers'>): Field | null {
  return fields.find(({ key }) => !Object.hasOwn(answers, key)) ?? null;
}

export interface Asking {
  form: Pick<OpenFormRow, 'name' | 'title_en' | 'title_ru' | 'project_name' | 'fields'>;
  draft: Draft;
  lang: Language;
}

/** The next question; `fault`: what was wrong with the last answer. */
export function questionOf({ form, draft, lang }: Asking, field: Field, fault?: Fault): OutgoingMessage {
  const texts = botTexts[lang];
  const index = form.fields.indexOf(field);
  const isFirst = index === 0 && fault === undefined;
  const hint = { multiselect: texts.formSeveral, date: texts.formDate }[field.type as string];
  const buttons = buttonsOf(field, lang, draft, index);
  return {
    text: [
      isFirst && texts.formBegin(`${form.project_name} · ${titleOf(form, lang)}`),
      fault && explainFault(fault, lang),
      `${index + 1}/${form.fields.length}. ${labelOf(field, lang) ?? field.key}`,
      hint,
    ]
      .filter(Boolean)
      .join('\n\n'),
    ...(buttons.length > 0 && { buttons }),
  };
}

function buttonsOf(field: Field, lang: Language, draft: Draft, index: number): Button[][] {
  const texts = botTexts[lang];
  const button = (text: string, choice: Choice): Button => ({
    text: text.slice(0, limits.buttonTextLength),
    data: `form:${draftMark(draft)}:${index}:${choice}`,
  });
  const options = field.options ?? [];
  const rows: Button[][] = [];
  if (field.type === 'select' || field.type === 'multiselect') {
    const mark = ({ value }: FieldOption) => (draft.chosen.includes(value) ? '✓ ' : '');
    rows.push(...options.map((option, place) => [button(mark(option) + labelOfOption(option, lang), place)]));
  }
  if (field.type === 'checkbox') rows.push([button(texts.yes, 'yes'), button(texts.no, 'no')]);
  if (field.type === 'multiselect') rows.push([button(texts.formDone, 'done')]);
  if (!field.required) rows.push([button(texts.formSkip, 'skip')]);
  return rows;
}

function labelOfOption(option: FieldOption, lang: Language): string {
  return labelOf(option, lang) ?? option.value;
}

/** The question after it was answered by a tap. */
export function answeredQuestion(
  { form, lang }: Asking,
  field: Field,
  answer: Answer | null,
): OutgoingMessage {
  const texts = botTexts[lang];
  const question = `${form.fields.indexOf(field) + 1}/${form.fields.length}. ${labelOf(field, lang) ?? field.key}`;
  return {
    text: `${question}\n\n${answer === null ? texts.formSkipped : texts.formAnswered(shownAnswer(field, answer, lang))}`,
  };
}

function shownAnswer(field: Field, answer: Answer, lang: Language): string {
  const texts = botTexts[lang];
  if (typeof answer === 'boolean') return answer ? texts.yes : texts.no;
  const nameOf = (value: string) => {
    const option = field.options?.find((each) => each.value === value);
    return option ? labelOfOption(option, lang) : value;
  };
  return Array.isArray(answer) ? answer.map(nameOf).join(', ') : nameOf(String(answer));
}

/** What a typed answer means: the text of a button, in either language, is the same as a tap on it. */
export function typedAnswer(field: Field, text: string): unknown {
  const typed = text.trim();
  if (!field.required && isOneOf(typed, botTexts.en.formSkip, botTexts.ru.formSkip)) return undefined;
  switch (field.type) {
    case 'checkbox':
      if (isOneOf(typed, botTexts.en.yes, botTexts.ru.yes)) return true;
      return isOneOf(typed, botTexts.en.no, botTexts.ru.no) ? false : typed;
    case 'select':
      return valueOf(field, typed);
    case 'multiselect':
      return typed.split(/[,;\n]/).map((part) => valueOf(field, part.trim()));
    default:
      return typed;
  }
}

function valueOf({ options = [] }: Field, typed: string): string {
  const meant = options.find(({ value, label_en, label_ru }) => isOneOf(typed, value, label_en, label_ru));
  return meant?.value ?? typed;
}

function isOneOf(typed: string, ...texts: (string | undefined)[]): boolean {
  return texts.some((text) => text?.toLowerCase() === typed.toLowerCase());
}
