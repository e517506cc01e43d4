import { limits, plans } from '../../../src/contract/limits';

describe('the limits', () => {
  it('are those of the specification', () => {
    expect(limits).toMatchObject({
      requestsPerMinute: 300,
      authSessionsPerHour: 5,
      authCodeTtlSeconds: 300,
      messageTextLength: 4_000,
      buttonRows: 3,
      buttonsPerRow: 3,
      photoBytes: 20 * 1024 * 1024,
      videoOrDocumentBytes: 50 * 1024 * 1024,
      broadcastRecipients: 100_000,
      otpTtlMinutes: { default: 5, min: 1, max: 30 },
      otpAttempts: { default: 3, min: 1, max: 10 },
      tagsPerProject: 20,
      tagLength: 64,
      permissionsPerProject: 20,
      webhookEndpoints: 5,
      webhookAttemptSeconds: 10,
      webhookSecretGraceHours: 24,
    });
    expect(plans).toEqual({ free: { loginsPerMonth: 100 }, basic: { loginsPerMonth: 700 } });
  });

  it('are those of the decisions where the specification is silent', () => {
    expect(limits).toMatchObject({
      requestBodyBytes: 1024 * 1024,
      authSessionTtlSeconds: 1_800,
      authSessionsPerAddressPerHour: 60,
      authVerifyFailuresPerMinute: 20,
      authStaticOpeningsPerMinute: 5,
      authPollWaitSeconds: 25,
      startParameterLength: 64,
      graceHours: 72,
      webhookRotationsPerHour: 10,
      webhookResponseBytes: 16 * 1024,
      webhookRecoverDays: 14,
      webhookPausedDays: 14,
      webhookDisableAfterHours: 120,
      otpCodesPerHour: 3,
      idempotencyHours: 24,
    });
  });
});
