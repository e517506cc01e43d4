import { botTexts, type OutgoingMessage } from '../bots';
import { isRenderable, normalContent, type InlineContent } from '../../base/contract/content';
import type { Core } from '../../base/core';
import type { Db } from '../../base/db/pool';
import { findNotifiedMembers, queueFormMessages, type NotifiedMember } from '../projects';
import { faultOf, renderFor, resolveTemplate } from '../templates';
import { answerValues } from './answer-values';
import type { FormRoute } from './contract';
import { withAnswers } from './forms';
import { hasMessagedMembers, type LockedSubmission } from './queries/routes';
import type { Outcome } from './outcome';

/** Queues the message of a route to the members who want messages from the bot, in the transaction of its outcome. */
export async function messageMembers(
  { config, publicUrl }: Pick<Core, 'config' | 'publicUrl'>,
  db: Db,
  routeId: string,
  { id, project_id, form_id, form_name, fields, answers }: LockedSubmission,
  route: Extract<FormRoute, { action: 'message' }>,
): Promise<Outcome> {
  const members = await findNotifiedMembers(db, project_id);
  if (members.length === 0) return { status: 'skipped', reason: 'no_members' };
  const content = withAnswers(normalContent(route.content), fields, answerValues(answers));
  const template = isRenderable(content) ? await resolveTemplate(db, project_id, content) : null;
  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
  const contentFor = (member: NotifiedMember): InlineContent =>
    template ? renderFor(template, readerOf(member), { format }) : (content as InlineContent);
  const messages = members.map((member) => {
    const own = contentFor(member);
    return {
      memberId: member.member_id,
      message: outgoing(own, member, `${publicUrl()}/dashboard/forms/${form_id}`),
      fault: faultOf(own),
    };
  });
  if (messages.some(({ fault }) => fault !== null)) return { status: 'failed', reason: 'invalid_message' };
  await queueFormMessages(db, {
    projectId: project_id,
    formId: form_id,
    formName: form_name,
    submissionId: id,
    routeId,
    isFirst: !(await hasMessagedMembers(db, id)),
    messages,
  });
  return { status: 'done', reason: null };
}

/** A member is no subscriber: names of a subscriber are known and empty. */
function readerOf({
  member_id,
  first_name,
  username,
  lang,
}: NotifiedMember): Parameters<typeof renderFor>[1] {
  return { id: member_id, first_name, username, lang, external_id: null, properties: {} };
}

/** Buttons that send something back are for subscribers; below those with a link there is one to the submissions. */
function outgoing(
  { text, format, buttons, media }: InlineContent,
  { lang }: NotifiedMember,
  url: string,
): OutgoingMessage {
  const links = buttons.map((row) =>
    row.flatMap((each) => (each.url ? [{ text: each.text, url: each.url }] : [])),
  );
  return {
    text,
    format,
    buttons: [...links.filter((row) => row.length > 0), [{ text: botTexts[lang].openDashboard, url }]],
    ...(media && { media: { type: media.type, url: media.url } }),
  };
}
