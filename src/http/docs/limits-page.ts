import { KIB, limits, MIB, plans } from '../../contract/limits';
import { html } from '../html';
import { docsPage } from './layout';

const whole = (amount: number) => amount.toLocaleString('en');

/** Limits grouped for readers; the numbers come from the table that the code uses. */
const groups: [string, [string, string][]][] = [
  [
    'Requests',
    [
      ['Requests of a project', `${whole(limits.requestsPerMinute)} a minute, then 429 with Retry-After`],
      ['Body of a request', `${limits.requestBodyBytes / MIB} MiB`],
      ['Length of a URL', `${whole(limits.urlLength)} characters`],
      ['Items of a page', `${limits.pageSize.default}, at most ${limits.pageSize.max}`],
      [
        'Idempotency-Key',
        `${limits.idempotencyKeyLength.min} to ${limits.idempotencyKeyLength.max} characters, kept for ${limits.idempotencyHours} hours`,
      ],
    ],
  ],
  [
    'Login',
    [
      ['Sessions of a project', `${limits.authSessionsPerHour} in any hour`],
      ['Sessions of one client_ip', `${limits.authSessionsPerAddressPerHour} in any hour`],
      ['Wait for an answer', `${limits.authSessionTtlSeconds / 60} minutes`],
      ['Life of a code', `${limits.authCodeTtlSeconds} seconds, single use`],
      ['Length of state', `1 to ${limits.authStateLength} characters`],
      [
        'Polls of one session',
        `at most one in ${limits.authPollSeconds} s; every ${limits.authPollRecommendedSeconds} to ${limits.authPollRecommendedMaxSeconds} s is right`,
      ],
      ['Long poll', `up to ${limits.authPollWaitSeconds} s`],
      ['Wrong codes', `${limits.authVerifyFailuresPerMinute} a minute, then 429; a good code still succeeds`],
      ['Openings of a static link', `${limits.authStaticOpeningsPerMinute} a minute for each person`],
    ],
  ],
  [
    'Plans',
    [
      ...Object.entries(plans).map(([name, plan]): [string, string] => [
        `Logins of the ${name} plan`,
        `${plan.loginsPerMonth} in a calendar month (UTC)`,
      ]),
      ['Credits', '1 for each successful login'],
      ['Grace period', `${limits.graceHours} hours, at most one in a calendar month`],
      ['Projects and team members', 'free plan: 1 project and 1 member (not enforced here)'],
    ],
  ],
  [
    'Webhooks',
    [
      ['Endpoints', `${limits.webhookEndpoints} for each project`],
      ['Time of an attempt', `${limits.webhookAttemptSeconds} s, the answer’s body included`],
      ['Scheduled attempts', `up to ${limits.webhookRetryHours} hours after the first`],
      ['Old secret after a rotation', `signs for ${limits.webhookSecretGraceHours} more hours`],
      ['Rotations', `${limits.webhookRotationsPerHour} an hour for each endpoint`],
      ['Kept of a response', `${limits.webhookResponseBytes / KIB} KiB`],
      ['Attempts at once', `${limits.webhookConcurrencyPerEndpoint} for each endpoint`],
      ['Nothing but failures', `disabled after ${limits.webhookDisableAfterHours} hours`],
      ['Paused deliveries', `cancelled after ${limits.webhookPausedDays} days`],
      ['Recover', `up to ${limits.webhookRecoverDays} days back`],
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
      ['Photo', `${limits.photoBytes / MIB} MB`],
      ['Video or document', `${limits.videoOrDocumentBytes / MIB} MB`],
      ['Recipients of a broadcast', whole(limits.broadcastRecipients)],
      ['Recipients of one external_id', String(limits.sendRecipients)],
      ['Length of an external_id', `${limits.externalIdLength} characters`],
      ['Tags of a project', `${limits.tagsPerProject}, up to ${limits.tagLength} characters each`],
      ['Permissions of a project', String(limits.permissionsPerProject)],
    ],
  ],
  [
    'One-time codes',
    [
      [
        'Life',
        `${limits.otpTtlMinutes.default} minutes (${limits.otpTtlMinutes.min} to ${limits.otpTtlMinutes.max})`,
      ],
      ['Attempts', `${limits.otpAttempts.default} (${limits.otpAttempts.min} to ${limits.otpAttempts.max})`],
      ['Codes of a subscriber', `${limits.otpCodesPerHour} an hour, one active for each purpose`],
    ],
  ],
  [
    'Dashboard',
    [
      ['Session', `${limits.dashboardSessionHours} hours`],
      [
        'Wrong keys',
        `${limits.dashboardSignInFailures.max} in ${limits.dashboardSignInFailures.minutes} minutes from one address`,
      ],
      ['Redirect URLs', String(limits.redirectUrls)],
      ['Welcome text', `${limits.welcomeLength} characters`],
      ['API keys', `${limits.apiKeys} live ones`],
    ],
  ],
];

export const limitGroups = groups;

export function limitsPage(): string {
  return docsPage(
    '/docs/limits',
    'Limits',
    html`<h1>Limits</h1>
      <p>
        An operator can raise the request and session limits of a project. Responses carry
        <code>X-RateLimit-Limit</code>, <code>X-RateLimit-Remaining</code> and <code>X-RateLimit-Reset</code>
        (Unix seconds).
      </p>
      ${groups.map(
        ([title, lines]) =>
          html`<h2 id="${title.toLowerCase().replaceAll(' ', '-')}">${title}</h2>
            <div class="table" tabindex="0" role="group" aria-label="${title}">
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
  );
}
