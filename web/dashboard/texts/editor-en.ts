import { scopeTexts } from '../../../src/base/contract/scopes';
import { plural } from './plural';

const count = (number: number, one: string, other: string) => plural('en-GB', number, { one, other });

/** The message editor, the import and the details of a subscriber, in English. */
export const editorEn = {
  // Content of a message
  contentSource: 'Message',
  contentOwn: 'Write it here',
  openTemplate: 'Open the template',
  templateValue: (name: string) => `Value of ${name}`,
  addButton: 'Add button',
  buttonText: 'Button text',
  buttonAction: 'What the button does',
  buttonOpens: 'Opens a link',
  buttonSends: 'Sends an event',
  buttonUrl: 'Button link',
  buttonData: 'Data for button.clicked',
  buttonBeside: 'Beside the previous button',
  removeButton: (text: string) => (text ? `Remove ${text}` : 'Remove button'),

  // Scheduled and recurring messages
  noScheduledMatch: 'No messages match these filters',
  editScheduled: 'Edit scheduled message',
  scheduledCancelled: 'Message cancelled',
  cancelNamed: (title: string) => `Cancel ${title}`,
  namedZone: 'Another one',
  editRecurring: 'Edit recurring message',
  recurringDeleted: 'Recurring message deleted',
  recurringPaused: 'Paused',
  recurringResumed: 'Resumed',
  runStarted: 'Run started',
  runSkipped: 'The next run will be skipped',
  runsBetween: 'First and last run',
  startAt: 'Not before (optional)',
  endAt: 'Not after (optional)',
  maxRuns: 'Number of runs (optional)',

  // A subscriber's details
  subscriberTimezoneHint: 'An IANA name, for example Europe/Berlin. Empty: that of the project.',
  propertiesHint: 'true, false and numbers are stored as such, everything else as text.',
  addProperty: 'Add property',
  propertyName: 'Property name',
  propertyValue: 'Property value',
  propertyValueOf: (name: string) => `Value of ${name}`,
  removeProperty: (name: string) => (name ? `Remove ${name}` : 'Remove property'),
  propertyNeedsName: 'Enter the name of the property.',
  propertyTwice: 'This property is in the list twice.',

  // Team, links, keys and batches
  done: 'Done',
  invitationReady: 'Invitation created',
  invitedWho: 'For whom',
  linkFor: (externalId: string) => `for ${externalId}`,
  keyCreated: 'Your new API key',
  scopeTexts,
  batchStates: {
    queued: 'Queued',
    running: 'Sending',
    cancelled: 'Cancelled',
    completed: 'Completed',
  },

  // Import
  importCsv: 'Import CSV',
  importTitle: 'Import subscribers',
  importLead:
    'Changes tags, permissions, time zones and properties of existing subscribers. It never adds anyone: people subscribe themselves.',
  importFile: 'CSV file',
  importFileHint: (megabytes: number) => `UTF-8, up to ${megabytes} MB. The first row names the columns.`,
  importChooseFile: 'Choose a file.',
  importTooLarge: (megabytes: number) => `The file can have up to ${megabytes} MB.`,
  importDryRun: 'Only check the file, change nothing',
  importCheck: 'Check file',
  importStart: 'Import',
  importColumns: 'Columns and an example',
  importColumnsText:
    'One of subscriber_id and external_id; then any of tags (replaces), add_tags, permissions, timezone and properties.<name>. Join several names with |. An empty cell changes nothing.',
  importProgress: 'Import',
  importCheckProgress: 'Check of the file',
  importWouldChange: (good: string, bad: string) =>
    `${good} rows are fine, ${bad} have errors. Nothing was changed.`,
  importChanged: (good: string, bad: string) => `${good} rows applied, ${bad} failed.`,
  importRows: (rows: number) => `Import ${count(rows, 'row', 'rows')}`,
  importCancel: 'Cancel import',
  importCancelled: 'The import was cancelled. Rows that were already applied stay applied.',
  importErrors: 'Rows with errors',
  importRow: 'Row',
  importMoreErrors: (rows: number) => `And ${count(rows, 'more row', 'more rows')} with errors.`,
  importProblems: {
    validation_failed: 'A value is not valid, or the number of cells is wrong.',
    subscriber_not_found: 'No such subscriber.',
    invalid_external_id: 'The external ID is missing or not valid.',
    conflict: 'A limit of the project is reached.',
  },
};
