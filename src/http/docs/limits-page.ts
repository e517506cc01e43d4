import { KIB, limits, MIB, plans } from '../../contract/limits';
import { html } from '../html';
import { heading, type DocsPage } from './layout';

const whole = (amount: number) => amount.toLocaleString('en');

/** The limits page; every number comes from the table that the code uses. */
const groups: [string, [string, string][]][] = [
  [
    'Requests',
    [
      ['Requests per project', `${whole(limits.requestsPerMinute)} per minute, then 429 with Retry-After`],
      [
        'Request body',
        `${limits.requestBodyBytes / MIB} MiB; without an API key (Mini App, sign-in, OpenID Connect) ${limits.keylessBodyBytes / KIB} KiB`,
      ],
      [
        'JSON',
        `nested up to ${limits.json.depth} deep, up to ${whole(limits.json.fields)} fields in an object, up to ${whole(limits.json.values)} values`,
      ],
      [
        'Mini App, POST requests',
        `${limits.miniRequestsPerMinute} per minute per address (of IPv6: per /64 network)`,
      ],
      ['URL length', `up to ${whole(limits.urlLength)} characters`],
      ['Time zone', 'a name of the IANA database, such as Europe/Berlin'],
      ['Items per page', `${limits.pageSize.default}, at most ${limits.pageSize.max}`],
      [
        'Idempotency-Key',
        `${limits.idempotencyKeyLength.min} to ${limits.idempotencyKeyLength.max} characters, valid for ${limits.idempotencyHours} hours`,
      ],
    ],
  ],
  [
    'Login',
    [
      ['Sessions per project', `${limits.authSessionsPerHour} per hour (sliding window)`],
      ['Sessions per client_ip', `${limits.authSessionsPerAddressPerHour} per hour (sliding window)`],
      ['Session lifetime', `${limits.authSessionTtlSeconds / 60} minutes`],
      ['Code lifetime', `${limits.authCodeTtlSeconds} seconds, single use`],
      ['Length of state', `1 to ${limits.authStateLength} characters`],
      [
        'Polls per session',
        `at most one in ${limits.authPollSeconds} s; every ${limits.authPollRecommendedSeconds} to ${limits.authPollRecommendedMaxSeconds} s is recommended`,
      ],
      ['Long poll', `up to ${limits.authPollWaitSeconds} s`],
      [
        'Wrong codes',
        `${limits.authVerifyFailuresPerMinute} per minute, then 429; a valid code still succeeds`,
      ],
      [
        'Logo of the hosted page',
        `PNG, JPEG or WebP, up to ${whole(limits.logoPixels)} × ${whole(limits.logoPixels)} pixels; uploaded up to ${limits.uploadedLogoBytes / KIB} KiB, by its URL up to ${limits.logoBytes / KIB} KB`,
      ],
      [
        'Approvals per subscriber',
        `${limits.authRequestsPending} pending, ${limits.authRequestsPerHour} per hour (sliding window)`,
      ],
      [
        'Approval lifetime',
        `${limits.authRequestSeconds.default} seconds (${limits.authRequestSeconds.min} to ${limits.authRequestSeconds.max})`,
      ],
      ['Message of an approval', `up to ${limits.authRequestMessageLength} characters on one line`],
      ['Statistics', `the last ${limits.authStatsDays} days`],
      ['Static link openings', `${limits.authStaticOpeningsPerMinute} per minute per user`],
    ],
  ],
  [
    'OpenID Connect',
    [
      ['Clients', `${limits.oidcClients} per project, up to ${limits.oidcRedirectUris} redirect URIs each`],
      [
        'Logins per address',
        `${limits.oidcLoginsPerAddressPerHour} per hour (of IPv6: per /64 network) and project`,
      ],
      [
        'Open logins',
        `${whole(limits.oidcOpenLogins)} per project, ${limits.oidcOpenLoginsPerSite} of each address (of IPv6: /48 network); above that the oldest that was not opened expires`,
      ],
      [
        'Token requests',
        `${whole(limits.oidcClientRequestsPerMinute)} per minute per client, ${limits.oidcGrantRequestsPerMinute} per grant; ${limits.oidcFailuresPerMinute} failed authentications per address`,
      ],
      ['Authorization code', `${limits.oidcCodeSeconds} seconds, single use`],
      ['Access token', `${limits.oidcAccessTokenHours} hour`],
      ['Refresh token', `${limits.oidcRefreshTokenDays} days, replaced on use`],
      [
        'Device code',
        `${limits.oidcDeviceCodeMinutes} minutes, one poll in ${limits.oidcDevicePollSeconds} s`,
      ],
      ['Device codes per address', `${limits.oidcDeviceCodesPerHour} per hour`],
      ['Old secret after a rotation', `valid for ${limits.oidcSecretGraceHours} more hours`],
      ['Secret rotations', `${limits.webhookRotationsPerHour} per hour per client`],
    ],
  ],
  [
    'Plans',
    [
      ...Object.entries(plans).map(([name, plan]): [string, string] => [
        `Logins in the ${name} plan`,
        `${plan.loginsPerMonth} per calendar month (UTC)`,
      ]),
      ['Credits', '1 per successful login'],
      ['Grace period', `${limits.graceHours} hours, at most one per calendar month`],
      ['Projects and team members', 'free plan: 1 project and 1 member'],
      ['CSV export', 'from the basic plan'],
    ],
  ],
  [
    'Webhooks',
    [
      ['Endpoints', `${limits.webhookEndpoints} per project`],
      ['Attempt timeout', `${limits.webhookAttemptSeconds} s, including the response body`],
      ['Scheduled attempts', `up to ${limits.webhookRetryHours} hours after the first`],
      ['Old secret after a rotation', `valid for ${limits.webhookSecretGraceHours} more hours`],
      ['Secret rotations', `${limits.webhookRotationsPerHour} per hour per endpoint`],
      [
        'Headers of your own',
        `${limits.webhookHeaders.count} per endpoint, values up to ${limits.webhookHeaders.valueLength} characters`,
      ],
      [
        'Filter of an endpoint',
        `${limits.endpointFilter.rules} rules; a field has up to ${limits.endpointFilter.depth} names of ${limits.endpointFilter.nameLength} characters, a value up to ${limits.endpointFilter.valueLength} characters`,
      ],
      ['Stored part of a response body', `${limits.webhookResponseBytes / KIB} KiB`],
      ['Concurrent attempts', `up to ${limits.webhookConcurrencyPerEndpoint} per endpoint`],
      ['Failing endpoint', `disabled after ${limits.webhookDisableAfterHours} hours without a success`],
      ['Paused deliveries', `cancelled after ${limits.webhookPausedDays} days`],
      ['Published events', `${limits.publishEvents} per request`],
      [
        'Published and tracked events',
        `${whole(limits.eventsPerMinute)} per minute per project, then 429 with Retry-After`,
      ],
      [
        'Deliveries waiting for their first attempt',
        `${whole(limits.queuedDeliveries)} per project, without those of disabled endpoints; with more, nothing can be published or tracked`,
      ],
      ['Published event_id', `recognised as a duplicate for ${limits.publishedIdDays} days`],
      [
        'Streams of events',
        `${limits.eventStreams} per project at once, resumed up to ${limits.eventStreamMinutes} minutes back`,
      ],
      [
        'Tracked events',
        `${limits.trackedEvents} per request, for ${whole(limits.trackedPeople)} subscribers together, up to ${limits.properties} properties each`,
      ],
      [
        'Time of a tracked event',
        `from ${limits.trackedDaysBack} days ago to ${limits.trackedMinutesAhead} minutes ahead`,
      ],
      ['Tracked event_id', `recognised as a duplicate for ${limits.publishedIdDays} days`],
      ['Retry of failed deliveries', `up to ${limits.webhookRecoverDays} days back`],
    ],
  ],
  [
    'Messages',
    [
      ['Text', `${whole(limits.messageTextLength)} characters`],
      [
        'Buttons',
        `${limits.buttonRows} rows of ${limits.buttonsPerRow}, up to ${limits.buttonTextLength} characters of text and ${limits.buttonDataLength} of data each`,
      ],
      ['Photo', `${limits.photoBytes / MIB} MB; Telegram shows a photo over 10 MB as a document`],
      ['Video or document', `${limits.videoOrDocumentBytes / MIB} MB`],
      ['Recipients per broadcast', whole(limits.broadcastRecipients)],
      ['Queued and running broadcasts', `${limits.openBroadcasts} per project`],
      [
        'Recipients per external_id',
        `${limits.sendRecipients}; of a scheduled message ${whole(limits.scheduledRecipients)}`,
      ],
      [
        'Messages per chat',
        `1 per second; a message of /v1/send waits up to ${limits.sendWaitSeconds} s for its turn`,
      ],
      ['Length of an external_id', `up to ${limits.externalIdLength} characters`],
      ['Tags per project', `${limits.tagsPerProject}, up to ${limits.tagLength} characters each`],
      ['Subscribers tagged at once', `${whole(limits.taggedSubscribers)} per request`],
      [
        'Properties of a subscriber',
        `${limits.properties}; keys up to ${limits.propertyKeyLength} characters, texts up to ${limits.propertyLength}`,
      ],
      [
        'Import',
        `${limits.importBytes / MIB} MiB, ${whole(limits.importRows)} rows of up to ${limits.importRowBytes / KIB} KiB and ${whole(limits.importColumns)} columns; the first ${limits.importErrors} failed rows are listed; ${limits.openImports} at a time`,
      ],
      ['Permissions per project', String(limits.permissionsPerProject)],
      ['Subscribe links', `${whole(limits.subscribeLinks)} live ones per project`],
      ['Signed data of the Mini App', `valid for ${limits.initDataMinutes} minutes`],
    ],
  ],
  [
    'Templates and batches',
    [
      ['Templates per project', String(limits.templates)],
      ['Texts of the bot', `${whole(limits.projectTextLength)} characters each`],
      [
        'Scheduled and recurring messages, drip chains',
        `${limits.scheduledEntries} open ones per project together; up to ${limits.scheduledDays} days ahead`,
      ],
      [
        'Steps of a drip chain',
        `${limits.dripSteps}; a delay of up to ${whole(limits.dripDelayMinutes)} minutes`,
      ],
      ['Enrolments of a subscriber in a drip chain', `one at a time, ${limits.dripBegunPerDay} in 24 hours`],
      ['Late sending of a scheduled message', `up to ${limits.scheduledLateHours} hours`],
      ['Placeholders in a text', `up to ${limits.templatePlaceholders}`],
      ['Variables', `up to ${limits.templateVars}, ${whole(limits.templateValueLength)} characters each`],
      [
        'Messages per batch',
        `${whole(limits.batchMessages)}, to at most ${whole(limits.batchRecipients)} subscribers`,
      ],
    ],
  ],
  [
    'One-time codes',
    [
      [
        'Lifetime',
        `${limits.otpTtlMinutes.default} minutes (${limits.otpTtlMinutes.min} to ${limits.otpTtlMinutes.max})`,
      ],
      ['Attempts', `${limits.otpAttempts.default} (${limits.otpAttempts.min} to ${limits.otpAttempts.max})`],
      ['Codes per subscriber', `${limits.otpCodesPerHour} per hour; one active code per purpose`],
    ],
  ],
  [
    'Dashboard',
    [
      [
        'Requests per sign-in',
        `${whole(limits.dashboardRequestsPerMinute)} per minute, instead of the project’s`,
      ],
      ['Sign-in lifetime', `${limits.dashboardSessionHours} hours`],
      ['Sign-ins per API key', `${limits.dashboardSessionsPerKey}; a further one ends the oldest`],
      [
        'Wrong keys',
        `${limits.dashboardSignInFailures.max} in ${limits.dashboardSignInFailures.minutes} minutes per IP address`,
      ],
      ['Redirect URLs', String(limits.redirectUrls)],
      ['Welcome message', `${limits.welcomeLength} characters`],
      ['API keys', `${limits.apiKeys} active keys`],
    ],
  ],
];

export const limitGroups = groups;

/** The anchor of a group of limits. */
export function limitAnchor(group: string): string {
  return group.toLowerCase().replaceAll(' ', '-');
}

export function limitsPage(): DocsPage {
  return {
    path: '/docs/limits',
    title: 'Limits',
    headings: groups.map(([title]) => ({ id: limitAnchor(title), title })),
    content: html`<h1>Limits</h1>
      <p class="lead">
        The operator can raise the limits of requests, events, waiting deliveries and sessions of a project.
        Responses to requests with an API key include
        <code>X-RateLimit-Limit</code>, <code>X-RateLimit-Remaining</code> and <code>X-RateLimit-Reset</code>
        (Unix seconds). Characters are UTF-16 code units, as the messengers count them: most emoji have two or
        more.
      </p>
      ${groups.map(
        ([title, lines]) =>
          html`${heading(2, limitAnchor(title), title)}
            <div class="table lead" tabindex="0" role="group" aria-label="${title}">
              <table>
                <tbody>
                  ${lines.map(
                    ([name, value]) =>
                      html`<tr>
                        <th scope="row">${name}</th>
                        <td>${value}</td>
                      </tr>`,
                  )}
                </tbody>
              </table>
            </div>`,
      )}`,
  };
}
