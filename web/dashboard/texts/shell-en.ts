/** The frame around the pages, finding one's way, and what lists share. */
export const shellEn = {
  receivedAt: 'Received',
  occurredAt: 'Occurred',
  findSubscriber: 'Name, username or external ID',
  noSubscriberFound: 'No subscribers found',
  clearChoice: 'Clear',
  noTagsText: 'Tags group subscribers for broadcasts. Create one above, or let a subscribe link add it.',
  noPermissionsText:
    'With a permission, subscribers choose which messages they get. Create one above and give it a title, so that the Mini App offers it.',
  noLabelsReadOnly: 'Members who manage the project can create one.',
  noAuditText: 'Every change of settings, keys, endpoints and members is listed here.',
};
