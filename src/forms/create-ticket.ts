import type { Language } from '../contract/common';
import type { SubscriberIdFormat } from '../contract/ids';
import { AppError } from '../contract/errors';
import type { Db } from '../db/pool';
import { bySystem, createTicket } from '../helpdesk';
import type { SubscriberRecord } from '../subscribers';
import { labelOf, type Answer, type Field, type FormRoute } from './contract';
import { done, skipped, type Outcome } from './outcome';
import type { DueRoute, LockedSubmission } from './queries/routes';

/** A subject has no more. */
const SUBJECT_LENGTH = 200;
const NAME_LENGTH = 100;

/** Creates a ticket from a submission, in the transaction of the route's outcome. Its id is the route's. */
export async function ticketFrom(
  db: Db,
  format: SubscriberIdFormat,
  { id }: DueRoute,
  { project_id: projectId, form_name, fields, answers }: LockedSubmission,
  subscriber: SubscriberRecord | null,
  { type_id: typeId, priority }: Extract<FormRoute, { action: 'ticket' }>,
): Promise<Outcome> {
  const lang = subscriber?.lang ?? 'en';
  const text = fields
    .flatMap((field) => {
      const answer = answers[field.key];
      return answer === undefined ? [] : [`${labelOf(field, lang) ?? field.key}: ${shown(answer, lang)}`];
    })
    .join('\n');
  const customer = subscriber ?? virtualCustomer(fields, answers);
  const subject = form_name.slice(0, SUBJECT_LENGTH);
  try {
    await createTicket(
      db,
      {
        id,
        projectId,
        source: 'form',
        customer,
        text: text || subject,
        subject,
        typeId,
        priority,
        author: bySystem,
      },
      format,
    );
    return done;
  } catch (error) {
    // It was switched off, which is no fault of the form.
    if (error instanceof AppError && error.code === 'conflict') return skipped('helpdesk_disabled');
    throw error;
  }
}

function shown(answer: Answer, lang: Language): string {
  if (typeof answer !== 'boolean') return Array.isArray(answer) ? answer.join(', ') : String(answer);
  return lang === 'ru' ? (answer ? 'да' : 'нет') : answer ? 'yes' : 'no';
}

/** Somebody who is no subscriber: the field that is called a name, and the first address or number. */
function virtualCustomer(
  fields: readonly Field[],
  answers: Readonly<Record<string, Answer>>,
): { name: string | null; contact: string | null } {
  const textOf = (field: Field | undefined) => {
    const answer = field && answers[field.key];
    return typeof answer === 'string' ? answer.slice(0, NAME_LENGTH) : null;
  };
  const answered = fields.filter(({ key }) => Object.hasOwn(answers, key));
  return {
    name: textOf(answered.find(({ key, type }) => type === 'text' && /name/.test(key))),
    contact: textOf(
      answered.find(({ type }) => type === 'email') ?? answered.find(({ type }) => type === 'phone'),
    ),
  };
}
