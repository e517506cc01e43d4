import type { Language } from '../../base/contract/common';
import type { SubscriberIdFormat } from '../../base/contract/ids';
import { AppError } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import type { Db } from '../../base/db/pool';
import { bySystem, createTicket, type TicketToCreate } from '../helpdesk';
import type { SubscriberRecord } from '../subscribers';
import { answerText } from './answer-values';
import { labelOf, type Answer, type Answers, type Field, type FormRoute } from './contract';
import { done, skipped, type Outcome } from './outcome';
import type { DueRoute, LockedSubmission } from './queries/routes';

/** Creates a ticket from a submission, in the transaction of the route's outcome. Its id is the route's. */
export async function ticketFrom(
  db: Db,
  format: SubscriberIdFormat,
  { id }: DueRoute,
  { project_id: projectId, form_name, fields, answers }: LockedSubmission,
  subscriber: SubscriberRecord | null,
  { type_id: typeId, priority }: Extract<FormRoute, { action: 'ticket' }>,
): Promise<Outcome> {
  const ticket: TicketToCreate = {
    id,
    projectId,
    source: 'form',
    customer: subscriber ?? virtualCustomer(fields, answers),
    text: textOf(fields, answers, subscriber?.lang ?? 'en') || form_name,
    subject: form_name,
    typeId,
    priority,
    author: bySystem,
  };
  try {
    await createTicket(db, ticket, format).catch((error: unknown) => {
      // Its type was deleted since the form was saved: the customer's request is not lost for it.
      if (!hasCode(error, 'not_found')) throw error;
      return createTicket(db, { ...ticket, typeId: null }, format);
    });
    return done;
  } catch (error) {
    // It was switched off, which is no fault of the form.
    if (hasCode(error, 'conflict')) return skipped('helpdesk_disabled');
    throw error;
  }
}

function hasCode(error: unknown, code: AppError['code']): boolean {
  return error instanceof AppError && error.code === code;
}

/** A line for each answer, cut to the length of a ticket's message. */
function textOf(fields: readonly Field[], answers: Answers, lang: Language): string {
  const lines = answeredOf(fields, answers).map(
    ([field, answer]) => `${labelOf(field, lang) ?? field.key}: ${shown(answer, lang)}`,
  );
  return answerText(lines.join('\n'), limits.messageTextLength);
}

/** Not what every object inherits: a field may be called `constructor`. */
function answeredOf(fields: readonly Field[], answers: Answers): [Field, Answer][] {
  return fields.flatMap((field): [Field, Answer][] => {
    const answer = Object.hasOwn(answers, field.key) ? answers[field.key] : undefined;
    return answer === undefined ? [] : [[field, answer]];
  });
}

function shown(answer: Answer, lang: Language): string {
  if (typeof answer !== 'boolean') return answerText(answer, limits.messageTextLength);
  return lang === 'ru' ? (answer ? 'да' : 'нет') : answer ? 'yes' : 'no';
}

/** A submitter who is no subscriber: the field that is called a name, and the first address or number. */
function virtualCustomer(
  fields: readonly Field[],
  answers: Answers,
): { name: string | null; contact: string | null } {
  const firstOf = (isWanted: (field: Field) => boolean) => {
    const found = answeredOf(fields, answers).find(([field]) => isWanted(field));
    return found ? answerText(found[1], limits.ticketCustomerLength) : null;
  };
  return {
    name: firstOf(({ key, type }) => type === 'text' && /^(?:your_?|full_?|first_?)?name$/.test(key)),
    contact: firstOf(({ type }) => type === 'email') ?? firstOf(({ type }) => type === 'phone'),
  };
}
