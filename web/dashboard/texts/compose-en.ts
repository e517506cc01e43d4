import { plural } from './plural';

const count = (number: number, one: string, other: string) => plural('en-GB', number, { one, other });

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const listed = (names: string[]) => new Intl.ListFormat('en-GB').format(names);
const people = (number: number) => count(number, 'subscriber', 'subscribers');

/** Writing a message: text, recipients, time, review and drafts, in English. */
export const composeEn = {
  // Text
  formatting: 'Formatting',
  formattingTools: { bold: 'Bold', italic: 'Italic', link: 'Link', code: 'Code' },
  formattedAs: (format: string) => `Formatted with ${format}.`,
  usePlainText: 'Switch to plain text',
  looksFormatted: 'This text has Markdown in it.',
  useFormatting: 'Use it as formatting',
  insert: 'Insert',
  insertOfEvent: 'Insert from event',
  fallback: 'If it is empty, write',
  fallbackHint: 'For example: friend',
  otherProperty: 'Another property',
  otherPropertyOrEvent: 'Another property, of the subscriber or the event',
  standsFor: 'Insert here',
  chipKeys: 'Arrow keys select a placeholder, Enter edits it, Backspace removes it.',
  textMissing: 'Enter the text of the message.',
  textTooLong: (most: string) => `The text can have up to ${most} characters.`,
  placeholderNames: {
    first_name: 'First name',
    username: 'Username',
    external_id: 'External ID',
    subscriber_id: 'Subscriber ID',
    lang: 'Language',
    project: 'Project name',
  },
  withFallback: (name: string, fallback: string) => `${name}, or “${fallback}”`,
  needsValue: (name: string) => `Unknown: ${name}`,

  // Preview
  previewFor: 'Preview for',
  findPerson: 'Find a subscriber',
  findPersonHint: 'Name, @username or external ID',
  noPreviewPeople: 'No matching subscribers. Placeholders show their fallback.',
  sendTestTo: (name: string) => `Send test to ${name}`,
  editButton: 'Edit this button',
  newButton: 'New button',
  messageButton: 'Button',

  // Recipients
  recipients: 'Recipients',
  recipientKinds: { audience: 'Audience', person: 'One person' },
  everyone: 'All active subscribers',
  narrowAudience: 'Add a condition',
  narrowAudienceHint: 'Type a tag, a permission or a messenger.',
  onlyMessenger: (name: string) => `Only ${name}`,
  hasTag: (tag: string) => `Has the tag ${tag}`,
  hasAnyTag: (tag: string) => `Has at least one of: ${tag}`,
  hasNoTag: (tag: string) => `Does not have the tag ${tag}`,
  hasPermission: (name: string) => `Has the permission ${name}`,
  removeNamed: (text: string) => `Remove: ${text}`,
  addTag: 'Type a tag',
  addPermission: 'Type a permission',
  chooseCondition: 'Choose a condition from the list.',
  choosePerson: 'Choose a subscriber.',

  // When
  when: 'When',
  whens: { now: 'Now', at: 'Later', repeat: 'Repeatedly' },
  rightAway: 'Immediately',
  repeatNeedsAudience: 'To repeat a message, choose an audience.',
  atRecipientTime: (time: string) => `${time}, each recipient’s own time`,
  whoseClock: 'Whose clock',
  projectClock: (zone: string) => `The project’s (${zone})`,
  every: 'Every',
  everies: { day: 'Day', week: 'Week', month: 'Month' },
  timeOfDay: 'Time of day',
  weekdays: 'Days of the week',
  monthDay: 'Day of the month',
  monthDayHint: 'Months without this day are left out.',
  everyDayAt: (time: string) => `Every day at ${time}`,
  everyWeekAt: (days: number[], time: string) =>
    `Every ${listed(days.map((day) => weekdays[day - 1] ?? ''))} at ${time}`,
  everyMonthAt: (day: number, time: string) => `On day ${day} of every month at ${time}`,
  nextTimes: (dates: string) => `Next: ${dates}`,
  unknownZone: 'Choose a time zone from the list.',
  timeHasPassed: 'This time has passed.',
  browserClock: 'By this browser’s clock',
  advanced: 'Advanced',
  useCron: 'Use a cron expression',

  // Review
  reviewBefore: { now: 'Review and send', at: 'Review and schedule', repeat: 'Review and start' },
  confirmWhen: { now: 'Send now', at: 'Schedule', repeat: 'Start' },
  reviewTitles: {
    now: (number: number) => `Send to ${people(number)}?`,
    at: (number: number) => `Schedule for ${people(number)}?`,
    repeat: (number: number) => `Send repeatedly to ${people(number)}?`,
  },
  reviewOneTitles: {
    now: (name: string) => `Send to ${name}?`,
    at: (name: string) => `Schedule for ${name}?`,
    repeat: (name: string) => `Send repeatedly to ${name}?`,
  },
  sentTo: (name: string) => `Sent to ${name}`,
  notSent: (reason: string) => `The message was not sent. ${reason}.`,

  // Drafts
  draftRestored: 'Your draft was restored.',
  discardDraft: 'Discard draft',
  leaveTitle: 'Leave this page?',
  leaveText: 'What you wrote is not saved yet. This browser can keep it as a draft.',
  leaveAndKeep: 'Leave and keep draft',
};
