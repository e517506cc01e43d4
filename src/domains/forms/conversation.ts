import {
  botTexts,
  PlatformError,
  serves,
  type Chat,
  type ChatHandlers,
  type ChatMessage,
  type Tap,
} from '../bots';
import type { Core } from '../../base/core';
import { withTransaction } from '../../base/db/pool';
import { onBehalfOf } from '../../base/db/project-share';
import { uuidv7 } from '../../base/lib/uuid';
import { isBillingBlocked } from '../projects';
import { personOf, subscribe, userOf } from '../subscribers';
import { readAnswer, readAnswers, type Fault } from './answers';
import type { Answer, Answers, Field } from './contract';
import { deleteDraft, findDraft, openDraft, saveDraft, type Draft } from './queries/drafts';
import { findOpenForm, type OpenFormRow } from './queries/forms';
import {
  answeredQuestion,
  askedField,
  draftMark,
  parseChoice,
  questionOf,
  typedAnswer,
  type Asking,
  type Choice,
} from './questions';
import { dashed } from './signing';
import { writeSubmission } from './submit';

type Deps = Pick<Core, 'pool' | 'config'>;

/** What a photo, with a caption or without, or a sticker is to every field: no answer, and not a skipped question either. */
const NO_ANSWER = {};

/**
 * A form in the bot: the link begins it, every message of the user is an answer until it is complete or cancelled. An
 * update that is handled again after a crash changes nothing: the draft knows the last one, and the bot asks again.
 */
export function formChat(deps: Deps): ChatHandlers {
  return {
    links: { form: (rest, chat) => begin(deps, rest, chat) },
    message: (sent) => takeMessage(deps, sent),
    tap: (tapped) => takeTap(deps, tapped),
    command: { cancel: (chat) => cancel(deps, chat) },
    // Its last answer would subscribe again.
    stop: async (chat) => void (await deleteDraft(deps.pool, userOf(chat))),
  };
}

async function begin(deps: Deps, rest: string, chat: Chat): Promise<void> {
  const texts = botTexts[chat.user.lang];
  const id = dashed(rest);
  const form = id === null ? null : await findOpenForm(deps.pool, id);
  if (!form || !serves(chat, form.project_id)) return say(chat, texts.unknownLink);
  if (await isBlocked(deps, form)) return say(chat, texts.formBlocked(form.project_name));
  const begun = { formId: form.id, submissionId: uuidv7(), updateId: chat.updateId };
  const draft = await openDraft(deps.pool, userOf(chat), begun);
  await ask(chat, { form, draft, lang: chat.user.lang });
}

function isBlocked(deps: Deps, { project_id }: OpenFormRow): Promise<boolean> {
  return isBillingBlocked(deps.pool, project_id, deps.config.HERALD_GRACE_HOURS);
}

async function ask(chat: Chat, asking: Asking, fault?: Fault): Promise<void> {
  const field = askedField(asking.form.fields, asking.draft);
  if (field) await chat.messenger.send(chat.chatId, questionOf(asking, field, fault));
}

/** The draft that a user is filling; null if there is none. One whose form was closed meanwhile ends. */
async function openFor(
  { pool }: Deps,
  chat: Chat,
): Promise<{ form: OpenFormRow | null; draft: Draft } | null> {
  const draft = await findDraft(pool, userOf(chat));
  if (!draft || (draft.submitted && draft.update_id !== chat.updateId)) return null;
  const form = await findOpenForm(pool, draft.form_id);
  return { form, draft };
}

async function takeMessage(deps: Deps, sent: ChatMessage): Promise<boolean> {
  // The answer that it corrects may have been taken; a ticket has a use for it.
  if (sent.edited) return false;
  const found = await openFor(deps, sent);
  if (!found) return false;
  const { form, draft } = found;
  if (!form) return closed(deps, sent);
  const asking: Asking = { form, draft, lang: sent.user.lang };
  if (draft.update_id === sent.updateId) return again(sent, form, asking);
  const field = askedField(form.fields, draft);
  if (!field) return complete(deps, sent, form, draft);
  const isText = sent.text.trim() !== '' && sent.files.length === 0;
  const parsed = readAnswer(field, isText ? typedAnswer(field, sent.text) : NO_ANSWER);
  if ('fault' in parsed) await ask(sent, asking, parsed.fault);
  else await answer(deps, sent, form, draft, field, parsed.answer ?? null);
  return true;
}

/** After a crash: what the update has done stays, and the bot says again what came of it. */
async function again(chat: Chat, form: OpenFormRow, asking: Asking): Promise<boolean> {
  if (asking.draft.submitted) await say(chat, botTexts[chat.user.lang].formAccepted(form.project_name));
  else await ask(chat, asking);
  return true;
}

async function closed({ pool }: Deps, chat: Chat): Promise<boolean> {
  await deleteDraft(pool, userOf(chat));
  await say(chat, botTexts[chat.user.lang].formNotOpen);
  return true;
}

/** Stores an answer, and asks the next question or submits. */
async function answer(
  deps: Deps,
  chat: Chat,
  form: OpenFormRow,
  before: Draft,
  { key }: Field,
  given: Answer | null,
): Promise<void> {
  const answers = { ...before.answers, [key]: given };
  const draft: Draft = { ...before, answers, chosen: [], update_id: chat.updateId };
  if (askedField(form.fields, draft) === null) return void (await complete(deps, chat, form, draft));
  await saveDraft(deps.pool, userOf(chat), draft);
  await ask(chat, { form, draft, lang: chat.user.lang });
}

/** The last answer subscribes; subscription, submission and the end of the draft are one commit. */
async function complete(deps: Deps, chat: Chat, form: OpenFormRow, draft: Draft): Promise<boolean> {
  const texts = botTexts[chat.user.lang];
  if (await isBlocked(deps, form)) {
    await say(chat, texts.formBlocked(form.project_name));
    return true;
  }
  // Only of fields that the form still has. What a change of the form has made wrong is asked again.
  const { answers, faults } = readAnswers(form.fields, withoutSkipped(draft));
  if (Object.keys(faults).length > 0) {
    const kept = Object.entries(draft.answers).filter(([key]) => !Object.hasOwn(faults, key));
    const shortened = { ...draft, answers: Object.fromEntries(kept) };
    await saveDraft(deps.pool, userOf(chat), shortened);
    await ask(chat, { form, draft: shortened, lang: chat.user.lang });
    return true;
  }
  const format = deps.config.HERALD_SUBSCRIBER_ID_FORMAT;
  const isNew = await onBehalfOf(form.project_id, () =>
    withTransaction(deps.pool, async (db) => {
      const { subscriber, isNew } = await subscribe(db, form.project_id, personOf(chat), format);
      await writeSubmission(db, format, {
        id: draft.submission_id,
        form,
        answers,
        source: 'bot',
        subscriberId: subscriber.id,
        isSpam: false,
      });
      await saveDraft(db, userOf(chat), {
        ...draft,
        answers: {},
        chosen: [],
        submitted: true,
        update_id: chat.updateId,
      });
      return isNew;
    }),
  );
  const accepted = texts.formAccepted(form.project_name);
  await say(chat, isNew ? `${accepted}\n\n${texts.subscribed(form.project_name)}` : accepted);
  return true;
}

async function takeTap(deps: Deps, tapped: Tap): Promise<boolean> {
  const choice = parseChoice(tapped.data);
  if (!choice) return false;
  const texts = botTexts[tapped.user.lang];
  const found = await openFor(deps, tapped);
  const field = found?.form?.fields[choice.field];
  const isAsked =
    found?.form && field && draftMark(found.draft) === choice.draft && isOpen(found.form, found.draft, field);
  const notice = isAsked || found?.draft.update_id === tapped.updateId ? undefined : texts.alreadyAnswered;
  await tapped.messenger
    .answerTap(tapped.callbackId, notice === undefined ? undefined : { text: notice })
    .catch(() => undefined);
  if (!found?.form || !field || draftMark(found.draft) !== choice.draft) return true;
  const { form, draft } = found;
  const asking: Asking = { form, draft, lang: tapped.user.lang };
  if (draft.update_id === tapped.updateId) return again(tapped, form, asking);
  if (isAsked) await choose(deps, tapped, form, draft, field, choice.choice);
  return true;
}

function isOpen(form: OpenFormRow, draft: Draft, field: Field): boolean {
  return !draft.submitted && askedField(form.fields, draft) === field;
}

async function choose(
  deps: Deps,
  tapped: Tap,
  form: OpenFormRow,
  draft: Draft,
  field: Field,
  choice: Choice,
): Promise<void> {
  const asking: Asking = { form, draft, lang: tapped.user.lang };
  if (field.type === 'multiselect' && typeof choice === 'number') {
    return toggle(deps, tapped, asking, field, field.options?.[choice]?.value);
  }
  const parsed = readAnswer(field, valueOf(field, draft, choice));
  if ('fault' in parsed) return ask(tapped, asking, parsed.fault);
  const given = parsed.answer ?? null;
  if (tapped.messageId !== null) {
    // The user may have deleted the question; the answer counts all the same.
    await tapped.messenger
      .edit(tapped.chatId, tapped.messageId, answeredQuestion(asking, field, given))
      .catch(unlessRefused);
  }
  await answer(deps, tapped, form, draft, field, given);
}

/** One more option, or one less; the question shows them. */
async function toggle(
  { pool }: Deps,
  tapped: Tap,
  { form, draft: before, lang }: Asking,
  field: Field,
  value: string | undefined,
): Promise<void> {
  if (value === undefined) return;
  const isChosen = before.chosen.includes(value);
  const chosen = isChosen ? before.chosen.filter((each) => each !== value) : [...before.chosen, value];
  const draft = { ...before, chosen, update_id: tapped.updateId };
  await saveDraft(pool, userOf(tapped), draft);
  const question = questionOf({ form, draft, lang }, field);
  if (tapped.messageId === null) await tapped.messenger.send(tapped.chatId, question);
  else await tapped.messenger.edit(tapped.chatId, tapped.messageId, question);
}

async function cancel({ pool }: Deps, chat: Chat): Promise<boolean> {
  const draft = await findDraft(pool, userOf(chat));
  if (!draft || draft.submitted) return false;
  await deleteDraft(pool, userOf(chat));
  await say(chat, botTexts[chat.user.lang].formCancelled);
  return true;
}

function unlessRefused(error: unknown): void {
  if (!(error instanceof PlatformError) || error.retryable) throw error;
}

/** What a tap on a button means. */
function valueOf(field: Field, { chosen }: Draft, choice: Choice): unknown {
  switch (choice) {
    case 'skip':
      return undefined;
    case 'done':
      return chosen;
    case 'yes':
      return true;
    case 'no':
      return false;
    default:
      return field.options?.[choice]?.value;
  }
}

function withoutSkipped({ answers }: Draft): Answers {
  return Object.fromEntries(
    Object.entries(answers).filter((entry): entry is [string, Answer] => entry[1] !== null),
  );
}

async function say({ messenger, chatId }: Chat, text: string): Promise<void> {
  await messenger.send(chatId, { text });
}
