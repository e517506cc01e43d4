import { readFileSync } from 'node:fs';
import path from 'node:path';
import { limits, MIB } from '../../../src/base/contract/limits';
import { retryPolicies } from '../../../src/domains/webhooks/retry-schedule';

const root = path.join(__dirname, '..', '..', '..');

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8').replaceAll(/\s+/g, ' ');
}

/** What a document says, with the number in the first group, and the limit that it must be. */
const facts: [string, RegExp, number][] = [
  ['README.md', /works once, within (\d+) seconds/g, limits.authCodeTtlSeconds],
  ['web/docs/guides/start.md', /expires after (\d+) seconds/g, limits.authCodeTtlSeconds],
  ['web/docs/guides/start.md', /wait=(\d+)/g, limits.authPollWaitSeconds],
  ['web/docs/guides/login.md', /not redeemed in (\d+) seconds/g, limits.authCodeTtlSeconds],
  ['web/docs/guides/login.md', /wait=(\d+)/g, limits.authPollWaitSeconds],
  ['web/docs/guides/login.md', /every (\d+) to \d+ seconds/g, limits.authPollRecommendedSeconds],
  ['web/docs/guides/login.md', /every \d+ to (\d+) seconds/g, limits.authPollRecommendedMaxSeconds],
  ['web/docs/guides/login.md', /can create (\d+) sessions/g, limits.authSessionsPerHour],
  ['web/docs/guides/subscribing.md', /can have ([\d,]+) live links/g, limits.subscribeLinks],
  ['web/docs/guides/subscribing.md', /can have (\d+) tags/g, limits.tagsPerProject],
  ['web/docs/guides/subscribing.md', /and (\d+) permissions/g, limits.permissionsPerProject],
  ['web/docs/guides/approvals.md', /up to (\d+) characters/g, limits.authRequestMessageLength],
  ['web/docs/guides/data.md', /up to (\d+) MiB/g, limits.importBytes / MIB],
  ['web/docs/guides/data.md', /the first (\d+) are listed/g, limits.importErrors],
  ['web/docs/guides/data.md', /Idempotency-Key` +\| (\d+) hours/g, limits.idempotencyHours],
  ['web/docs/guides/data.md', /Audit log +\| (\d+) days/g, limits.auditDays],
  ['web/docs/guides/approvals.md', /\((\d+) to \d+\)/g, limits.authRequestSeconds.min],
  ['web/docs/guides/approvals.md', /\(\d+ to (\d+)\)/g, limits.authRequestSeconds.max],
  ['web/docs/guides/approvals.md', /can have (\d+) pending/g, limits.authRequestsPending],
  ['web/docs/guides/approvals.md', /get (\d+) per hour/g, limits.authRequestsPerHour],
  ['web/docs/guides/sending.md', /for (\d+) hours the same/g, limits.idempotencyHours],
  ['web/docs/guides/ru/login.md', /за (\d+) секунд/g, limits.authCodeTtlSeconds],
  ['web/docs/guides/ru/login.md', /wait=(\d+)/g, limits.authPollWaitSeconds],
  ['web/docs/guides/ru/login.md', /раз в (\d+)–\d+ секунды/g, limits.authPollRecommendedSeconds],
  ['web/docs/guides/ru/login.md', /может создать (\d+) сессий/g, limits.authSessionsPerHour],
  ['web/docs/guides/ru/start.md', /действует (\d+) секунд/g, limits.authCodeTtlSeconds],
  ['web/docs/guides/ru/subscribing.md', /может быть (\d+) действующих/g, limits.subscribeLinks],
  ['web/docs/guides/ru/subscribing.md', /может быть (\d+) тегов/g, limits.tagsPerProject],
  ['web/docs/guides/ru/subscribing.md', /и (\d+) разрешений/g, limits.permissionsPerProject],
  ['web/docs/guides/ru/approvals.md', /строка до (\d+) символов/g, limits.authRequestMessageLength],
  ['web/docs/guides/ru/approvals.md', /\(от (\d+) до \d+\)/g, limits.authRequestSeconds.min],
  ['web/docs/guides/ru/approvals.md', /\(от \d+ до (\d+)\)/g, limits.authRequestSeconds.max],
  ['web/docs/guides/ru/approvals.md', /может быть (\d+) запроса/g, limits.authRequestsPending],
  ['web/docs/guides/ru/approvals.md', /и (\d+) запросов в час/g, limits.authRequestsPerHour],
  ['web/docs/guides/ru/data.md', /Файл — до (\d+) МиБ/g, limits.importBytes / MIB],
  ['web/docs/guides/ru/data.md', /первые (\d+) ошибок/g, limits.importErrors],
  ['web/docs/guides/ru/data.md', /Idempotency-Key` +\| (\d+) часа/g, limits.idempotencyHours],
  ['web/docs/guides/ru/data.md', /Журнал изменений +\| (\d+) дней/g, limits.auditDays],
  ['web/docs/guides/ru/webhooks.md', /может быть (\d+) эндпоинтов/g, limits.webhookEndpoints],
  ['web/docs/guides/ru/webhooks.md', /2xx за (\d+) секунд/g, limits.webhookAttemptSeconds],
  ['web/docs/guides/ru/webhooks.md', /ещё (\d+) час/g, limits.webhookSecretGraceHours],
  ['docs/receiving-webhooks.md', /can have (\d+) endpoints/g, limits.webhookEndpoints],
  ['docs/receiving-webhooks.md', /2xx within (\d+) seconds/g, limits.webhookAttemptSeconds],
  ['docs/receiving-webhooks.md', /up to (\d+) hours after the first/g, limits.webhookRetryHours],
  ['docs/receiving-webhooks.md', /(\d+) hours after a rotation/g, limits.webhookSecretGraceHours],
  ['src/domains/webhooks/README.md', /body over (\d+) MiB/g, limits.webhookResponseReadBytes / MIB],
  ['src/domains/broadcasts/README.md', /towards the ([\d,]+)/g, limits.broadcastRecipients],
  ['src/domains/projects/README.md', /cookie \((\d+) hours/g, limits.dashboardSessionHours],
  ['src/domains/projects/README.md', /(\d+) wrong keys/g, limits.dashboardSignInFailures.max],
  ['src/domains/projects/README.md', /wrong keys in (\d+) minutes/g, limits.dashboardSignInFailures.minutes],
  ['docs/operations.md', /at most (\d+) days back/g, limits.webhookRecoverDays],
  ['docs/operations.md', /retries for (\d+) hours/g, limits.webhookRetryHours],
  ['docs/operations.md', /(\d+) hours without a success/g, limits.webhookDisableAfterHours],
  ['docs/operations.md', /deliveries stay paused for (\d+) days/g, limits.webhookPausedDays],
  ['docs/scaling.md', /at most (\d+) concurrent attempts/g, limits.webhookConcurrencyPerEndpoint],
];

test.each(facts)('%s: %s is the limit of the code', (file, pattern, limit) => {
  const found = [...read(file).matchAll(pattern)].map(([, number = '']) =>
    Number(number.replaceAll(',', '')),
  );
  expect(new Set(found)).toEqual(new Set([limit]));
});

/** The schedule in the longest unit that is whole: `2 minutes`. */
function offsets(units: [seconds: number, one: string, many: string][]): string[] {
  return retryPolicies.durable.offsets.slice(1).map((offset) => {
    const [seconds, one, many] = units.find(([size]) => offset % size === 0 && offset >= size)!;
    return `${offset / seconds} ${offset === seconds ? one : many}`;
  });
}

const waits = retryPolicies.quick.offsets.slice(1).map((offset, i, all) => offset - (all[i - 1] ?? 0));

function listed(items: (string | number)[]): string {
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

describe('the retry schedule', () => {
  it('stands in the guide as it is in the code', () => {
    const durable = offsets([
      [3_600, 'hour', 'hours'],
      [60, 'minute', 'minutes'],
      [1, 'second', 'seconds'],
    ]);
    const guide = read('docs/receiving-webhooks.md');
    expect(guide).toContain(`retries ${listed(durable)} after it`);
    expect(guide).toContain(`after ${listed(waits)} seconds`);
  });

  it('stands in the dashboard as it is in the code', () => {
    const durable = offsets([
      [3_600, 'h', 'h'],
      [60, 'min', 'min'],
      [1, 's', 's'],
    ]);
    const english = read('web/dashboard/texts/en.ts');
    expect(english).toContain(`after ${listed(durable)}.`);
    expect(english.split(`after ${listed(waits)} s`)).toHaveLength(3);
    const inRussian = listed(waits).replace(' and ', ' и ');
    expect(read('web/dashboard/texts/ru.ts')).toContain(`через ${inRussian} с`);
  });

  it('ends when the table of limits says', () => {
    const last = Math.max(...Object.values(retryPolicies).flatMap((policy) => policy.offsets));
    expect(last).toBe(limits.webhookRetryHours * 3_600);
  });
});
