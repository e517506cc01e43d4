export const KIB = 1024;
export const MIB = 1024 * KIB;

/** Every limit that a user can meet, written once: guards, docs and tests read it from here. */
export const limits = {
  requestsPerMinute: 300,
  /** Of each dashboard session, instead of the project's. */
  dashboardRequestsPerMinute: 600,
  requestBodyBytes: MIB,
  /** Of routes without an API key. */
  keylessBodyBytes: 16 * KIB,
  /** Without an API key, of each address (IPv6: /64 network). */
  addressRequestsPerMinute: 3_000,
  /** Of a request in JSON: its depth, the fields of one object, and all values together. */
  json: { depth: 100, fields: 1_000, values: 100_000 },
  urlLength: 2048,
  slugLength: { min: 3, max: 50 },
  /** Of projects and API keys. */
  nameLength: 100,
  timezoneLength: 64,
  userAgentLength: 512,
  /** Of a project's logo that Herald fetches, and of one that is uploaded. */
  logoBytes: 100 * KIB,
  uploadedLogoBytes: 512 * KIB,
  logoPixels: 2_000,

  authSessionsPerHour: 5,
  authSessionsPerAddressPerHour: 60,
  authCodeTtlSeconds: 300,
  authSessionTtlSeconds: 1800,
  authStateLength: 128,
  authVerifyFailuresPerMinute: 20,
  authStaticOpeningsPerMinute: 5,
  authPollSeconds: 1,
  authPollRecommendedSeconds: 2,
  authPollRecommendedMaxSeconds: 3,
  authPollWaitSeconds: 25,
  /** How far back logins are counted by day. */
  authStatsDays: 90,
  startParameterLength: 64,
  /** Open sessions that were begun without a key, by OpenID Connect or to sign in to the dashboard: of each project. */
  keylessOpenSessions: 1_000,
  /** Of each /48 network (IPv4: address): one customer of a provider can have every /64 of it. */
  keylessOpenSessionsPerSite: 100,

  oidcClients: 10,
  oidcRedirectUris: 20,
  oidcSecretGraceHours: 24,
  oidcKeyGraceHours: 24,
  /** Of each address (IPv6: /64 network) and project. */
  oidcLoginsPerAddressPerHour: 20,
  /** Of the token endpoint: failures by address, other requests by client and by grant. */
  oidcFailuresPerMinute: 60,
  oidcClientRequestsPerMinute: 1_200,
  oidcGrantRequestsPerMinute: 20,
  /** Used refresh tokens of a grant that are kept: using one again ends the grant. */
  oidcUsedRefreshTokens: 5,
  oidcCodeSeconds: 60,
  oidcAccessTokenHours: 1,
  oidcRefreshTokenDays: 30,
  oidcDeviceCodeMinutes: 15,
  oidcDevicePollSeconds: 5,
  /** Of each address: user codes that a person opens, and device codes that a client asks for. */
  oidcUserCodesPerHour: 60,
  oidcDeviceCodesPerHour: 120,
  /** In the life of a code: of each /48 network (IPv4: address), and of each client. */
  oidcDeviceCodesPerSite: 100,
  oidcDeviceCodesPerClient: 1_000,
  /** Approvals, for each subscriber. */
  authRequestsPending: 3,
  authRequestsPerHour: 20,
  authRequestSeconds: { default: 300, min: 30, max: 900 },
  authRequestMessageLength: 200,

  graceHours: 72,
  /** The share of a month's logins after which `credits.low` is sent. */
  creditsLowShare: 0.8,

  webhookEndpoints: 5,
  webhookAttemptSeconds: 10,
  webhookSecretGraceHours: 24,
  webhookRotationsPerHour: 10,
  /** What is stored of a response, and what is read of it at most. */
  webhookResponseBytes: 16 * KIB,
  webhookResponseReadBytes: MIB,
  /** The last attempt is scheduled within this time after the first, also by Retry-After. */
  webhookRetryHours: 24,
  webhookDescriptionLength: 500,
  endpointFilter: { rules: 10, depth: 5, nameLength: 64, valueLength: 1_000 },
  filterPreviewEvents: 20,
  webhookHeaders: { count: 10, nameLength: 100, valueLength: 1024 },
  webhookRecoverDays: 14,
  webhookPausedDays: 14,
  /** How long hourly counts of an endpoint are kept, besides its newest: longer than the longest span of its stats. */
  webhookStatsDays: 8,
  /** Search for text in the bodies of deliveries. */
  webhookSearchDays: 7,
  webhookSearchLength: { min: 1, max: 128 },
  /** Deliveries in one request to retry them. */
  webhookRetries: 100,
  webhookDisableAfterHours: 120,
  webhookConcurrencyPerEndpoint: 20,
  /** `endpoint.failing` is sent after this time without a success. */
  webhookFailingMinutes: 15,

  publishEvents: 100,
  /** Of a project: those that it publishes and tracks. */
  eventsPerMinute: 30_000,
  /** Of a project, on active endpoints: with more waiting for their first attempt, it can publish and track nothing. */
  queuedDeliveries: 100_000,
  /** Streams of events of a project at once, in each API process. */
  eventStreams: 20,
  /** Of all projects, in each API process. */
  eventStreamsPerProcess: 500,
  /** How far back a stream of events resumes. */
  eventStreamMinutes: 60,
  publishedIdLength: 128,
  publishedIdDays: 30,
  trackedEvents: 100,
  /** Events times the subscribers that each names, in one request. */
  trackedPeople: 1_000,
  trackedNameLength: 64,
  /** How far the time of a tracked event can lie in the past and in the future. */
  trackedDaysBack: 30,
  trackedMinutesAhead: 5,
  /** In one set. */
  rules: 10,
  ruleSinceMinutes: 525_600,

  messageTextLength: 4000,
  buttonRows: 3,
  buttonsPerRow: 3,
  buttonTextLength: 64,
  buttonDataLength: 256,
  sendRecipients: 100,
  /** How long a message of /v1/send or a one-time code waits for its turn. */
  sendWaitSeconds: 10,
  photoBytes: 20 * MIB,
  videoOrDocumentBytes: 50 * MIB,
  broadcastRecipients: 100_000,
  /** Of a project: queued or running. */
  openBroadcasts: 20,
  broadcastMessagesPerMinute: 1_000_000,
  batchMessages: 1000,
  batchRefLength: 64,
  batchRecipients: 10_000,
  /** Open scheduled and recurring messages and chains together. */
  scheduledEntries: 100,
  scheduledDays: 366,
  /** Of one external_id. */
  scheduledRecipients: 10_000,
  /** After an outage it is still sent within this time. */
  scheduledLateHours: 24,
  recurringLateMinutes: 60,
  cronLength: 200,
  dripSteps: 50,
  dripStepIdLength: 32,
  dripDelayMinutes: 525_600,
  /** For one subscriber in one chain, in 24 hours. */
  dripBegunPerDay: 10,
  forms: 10,
  formFields: 30,
  formRoutes: 40,
  formOptions: 20,
  formOptionLength: 100,
  formLabelLength: 200,
  formTitleLength: 200,
  formOrigins: 20,
  formOriginLength: 260,
  formMinSeconds: 60,
  formCaptchaSecretLength: 500,
  formCaptchaSeconds: 5,
  /** Of one answer. */
  formAnswerLength: 4_000,
  /** In the figures of forms: counting more would read too many rows. */
  formSubmissionsCounted: 1_000,
  /** Of a submission by HTTP. */
  formBodyBytes: MIB,
  /** Submissions of a form, and of one address (IPv6: /64 network) to a form. */
  formSubmissionsPerMinute: 30,
  formSubmissionsPerAddress: 5,
  /** How long a token of `GET /f/{form_id}`, a request id and the draft of a form in the bot are valid. */
  formTokenHours: 24,
  formRequestHours: 24,
  formRequestIdLength: { min: 8, max: 128 },
  formDraftHours: 24,
  formLinkDays: 7,
  submissionDays: 180,
  spamDays: 30,
  /** Of the times of a helpdesk: ten years. */
  ticketHours: 87_600,
  ticketDays: 3_650,
  ticketTypes: 9,
  ticketTypeNameLength: 100,
  ticketSubjectLength: 200,
  /** Of the name and of the contact of a customer without a subscriber. */
  ticketCustomerLength: 200,
  ticketsInBulk: 100,
  ticketSearchLength: 100,
  ticketAttachmentBytes: 20 * MIB,
  /** After its close. */
  closedTicketDays: 365,
  csatDays: 7,
  /** For which a customer's choice among several tickets holds. */
  ticketChoiceMinutes: 30,
  /** Messages of one customer that wait until they choose a ticket. */
  keptTicketMessages: 20,
  /** For which a request that is being written waits for its message. */
  ticketDraftHours: 24,
  templates: 100,
  /** In one text. */
  templatePlaceholders: 100,
  templateVars: 50,
  templateValueLength: 1000,
  otpTtlMinutes: { default: 5, min: 1, max: 30 },
  otpAttempts: { default: 3, min: 1, max: 10 },
  otpCodesPerHour: 3,
  otpPurposeLength: 64,
  tagsPerProject: 20,
  tagLength: 64,
  /** Tags or permissions in one request. */
  labelsAtOnce: 100,
  /** Subscribers in one request that tags them. */
  taggedSubscribers: 1_000,
  permissionsPerProject: 20,
  permissionTitleLength: 100,
  subscribeLinks: 1_000,
  subscribeLinkUses: 1_000_000,
  /** POST requests of the Mini App, for each address (IPv6: /64 network). */
  miniRequestsPerMinute: 60,
  /** The age up to which a Mini App's signed data counts. */
  initDataMinutes: 60,
  initDataLength: 4_096,
  externalIdLength: 128,
  /** Of a subscriber. */
  properties: 50,
  propertyKeyLength: 64,
  propertyLength: 256,
  importBytes: 10 * MIB,
  importRows: 500_000,
  importRowBytes: 64 * KIB,
  importColumns: 1_000,
  /** Failed rows that are listed. */
  importErrors: 100,
  /** Imports of a project that have not completed. */
  openImports: 5,
  idempotencyHours: 24,
  idempotencyKeyLength: { min: 8, max: 128 },

  dashboardSessionHours: 12,
  /** Of each API key or account; a further one ends the oldest. */
  dashboardSessionsPerKey: 50,
  /** By messenger, for each address. */
  dashboardLoginsPerHour: 10,
  invitationDays: 7,
  /** Open ones of a project. */
  invitations: 100,
  auditDays: 365,
  dashboardSignInFailures: { max: 10, minutes: 5 },
  redirectUrls: 20,
  welcomeLength: 500,
  /** Of each text of the bot that a project words itself. */
  projectTextLength: 1_000,
  apiKeys: 50,
  usageDays: 30,

  pageSize: { default: 50, max: 100 },
} as const;

/** Logins that a calendar month (UTC) includes. */
export const plans = {
  free: { loginsPerMonth: 100 },
  basic: { loginsPerMonth: 700 },
} as const;

export type PlanName = keyof typeof plans;
export const planNames = Object.keys(plans) as [PlanName, ...PlanName[]];

/** The members of a team, and the projects that one account owns; null: as many as they like. */
export const teamLimits = {
  free: { members: 1, ownedProjects: 1 },
  basic: { members: null, ownedProjects: null },
} as const satisfies Record<PlanName, { members: number | null; ownedProjects: number | null }>;
