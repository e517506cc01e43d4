import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root, sources } from '../../support/rooms';

/**
 * Every message of a project passes a claim with the condition `maySend` (src/domains/projects/queries/sending.ts), so an
 * inactive project sends nothing. A new file that calls a messenger belongs in one of these lists; until then the test fails.
 */

/** Senders, each with the file and the statement, or call, that claims what it sends. */
const claims: Readonly<Record<string, { file: string; claim: RegExp }>> = {
  'src/domains/messages/deliver.ts': {
    file: 'src/domains/messages/queries/messages.ts',
    claim: /'claim_message',[^;]*\$\{maySend\(/,
  },
  'src/domains/broadcasts/run.ts': {
    file: 'src/domains/broadcasts/queries/claims.ts',
    claim: /'lock_broadcast_run',[^;]*\$\{maySend\([^;]*;[^;]*;\s*if \(!job\.may_send\) return/,
  },
  'src/domains/projects/team/notices.ts': {
    file: 'src/domains/projects/queries/notices.ts',
    claim: /'find_next_notice',[^;]*\$\{maySend\(/,
  },
  'src/domains/login/ask.ts': {
    file: 'src/domains/login/queries/requests.ts',
    claim: /'insert_request_prompt',[^;]*\$\{maySend\(/,
  },
  'src/domains/helpdesk/advance.ts': {
    file: 'src/domains/helpdesk/advance.ts',
    claim: /await projectMaySend\(/,
  },
};

/** Replies in a chat to a message or tap of its user. They treat an inactive project as an unknown one. */
const answers = new Set([
  'src/domains/projects/team/conversation.ts',
  'src/domains/subscribers/conversation.ts',
  'src/domains/subscribers/mini-app/subscribe.ts',
  'src/domains/login/question.ts',
  'src/domains/helpdesk/chat-words.ts',
  'src/domains/forms/conversation.ts',
]);

const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
/** Without `bots`, which sends for other rooms. */
const calls = sources('src').filter(
  (file) => !/^src\/(domains\/bots|local)\//.test(file) && /\b(messenger|bot)\.send\(/.test(read(file)),
);

test('every file that calls a messenger is a sender with a claim, or answers in a chat', () => {
  expect(calls.sort()).toEqual([...Object.keys(claims), ...answers].sort());
});

test.each(Object.entries(claims))(
  'the claim of %s has the condition that the project may send',
  (_, { file, claim }) => {
    expect(read(file)).toMatch(claim);
  },
);

test('an answer is given in the chat of an update', () => {
  for (const file of answers) {
    expect([file, read(file)]).toEqual([file, expect.stringMatching(/\b(Chat|Tap)\b|initData/)]);
  }
});

test('events become deliveries only while the project may send', () => {
  expect(read('src/domains/webhooks/queries/fan-out.ts')).toMatch(/const FAN_OUT = [^;]*\$\{maySend\(/);
});
