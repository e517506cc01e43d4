const quoted = (names: string[]) => names.map((name) => `“${name}”`).join(', ');

/** What the pages behind the sign-in say about access, limits, templates, audiences and health. */
export const pagesEn = {
  // Pages that are closed to a role or a key
  noAccess: 'You can’t open this page',
  noAccessRole: 'Your role in this project does not allow it. Ask an owner or an admin for access.',
  noAccessKey: (scope: string) =>
    `This API key does not have the scope “${scope}”. Sign in with a key that has it.`,
  goToSection: (section: string) => `Go to ${section}`,
  viewTemplateOnly: 'You can only view this template.',
  ownersOnly: 'Only an owner can change an owner.',

  // Limits
  endpointsFull: (most: number) => `${most} of ${most} endpoints. Delete one to create another.`,
  clientsFull: (most: number) => `${most} of ${most} clients. Delete one to create another.`,
  labelsFull: {
    tags: (most: number) => `${most} of ${most} tags. Delete one to create another.`,
    permissions: (most: number) => `${most} of ${most} permissions. Delete one to create another.`,
  },

  // Forms that cannot be saved yet
  keyMissing: 'Enter a key.',
  nameMissing: 'Enter a name.',

  // OpenID Connect
  oidcRotateText: (hours: number) =>
    `Herald shows the new secret once: paste it into the application. The old one works for another ${hours} hours.`,

  // Messages, templates and audiences
  newMessage: 'New message',
  template: (key: string) => `Template ${key}`,
  templateNamed: (name: string) => `Template “${name}”`,
  taggedAll: (tags: string[]) =>
    tags.length === 1 ? `with the tag “${tags[0]}”` : `with all of the tags ${quoted(tags)}`,
  taggedAny: (tags: string[]) =>
    tags.length === 1 ? `with the tag “${tags[0]}”` : `with any of the tags ${quoted(tags)}`,
  notTagged: (tags: string[]) =>
    tags.length === 1 ? `without the tag “${tags[0]}”` : `with none of the tags ${quoted(tags)}`,

  // Health of endpoints
  succeeded: (rate: string) => `${rate} succeeded`,
  slowestEndpoint: (ms: string) => `Slowest endpoint: 95% of attempts took up to\u00a0${ms}\u00a0ms`,
  endpointDisabled: (name: string) => `Endpoint “${name}” is disabled and receives no events.`,
  endpointWaiting: (name: string, seconds: string) =>
    `Deliveries to ${name} have waited ${seconds} s: Temporal is busy and serves logins first. With the delivery lane auto they do not wait for it.`,
  endpointFailing: (name: string, since: string) => `Endpoint “${name}” has been failing since ${since}.`,
  attempt: (number: number) => `Attempt ${number}`,
  laterAttempts: 'Later attempts are made only if the earlier ones fail.',

  /** The scopes of a key, in a word or two. */
  scopeNames: {
    read: 'Read',
    send: 'Send messages',
    auth: 'Log users in',
    helpdesk: 'Tickets',
    export: 'Export data',
    admin: 'Keys and team',
    manage: 'Manage the project',
    publish: 'Publish events',
  },
  noTagsText: 'Tags group subscribers for broadcasts. Create one above, or name it in a link.',
  noPermissionsText:
    'With a permission, subscribers choose which messages they get. Create one above, choose “Edit” and give it a title: the Mini App offers permissions that have one.',
  noLabelsReadOnly: 'Members who manage the project can create one.',
  noAuditText: 'Every change to settings, keys, endpoints and members is listed here.',
  tagsLead: 'Your project gives tags to subscribers. Use them to choose who receives a broadcast.',
  permissionsLead: 'What users agree to receive. The Mini App offers permissions that have a title.',
  renameHint: 'The new name replaces the old one wherever it is given.',
};
