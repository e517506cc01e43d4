import { AppError } from '../../base/contract/errors';
import type { Core } from '../../base/core';
import { onBehalfOf } from '../../base/db/project-share';
import { uuidv7 } from '../../base/lib/uuid';
import { faultText, readAnswers, type Fault } from './answers';
import { checkCaptcha } from './captcha';
import { reservedKeys, type Submitted } from './contract';
import { looksLikeSpam } from './gate';
import type { OpenForm } from './open-forms';
import { findEarlier, requireCredits, storeSubmission } from './submit';

export type AcceptDeps = Pick<Core, 'pool' | 'config' | 'cipher' | 'log'>;

/** A submission whose answers are wrong. */
export class FaultyAnswers extends AppError {
  constructor(
    readonly faults: Record<string, Fault>,
    readonly unknown: string[],
  ) {
    const texts = [
      ...Object.entries(faults).map(([key, fault]) => `${key}: ${faultText(fault)}`),
      ...unknown.map((key) => `${key}: is not a known field`),
    ];
    super('validation_failed', texts.slice(0, SHOWN_FAULTS).join('; '));
  }
}

const SHOWN_FAULTS = 5;

/**
 * Takes a submission from a site or from the form's page, and returns its id. A repeated request gets the response of the
 * first, whatever has changed since. The origin and the limits were checked before the body was read.
 */
export function acceptSubmission(
  deps: AcceptDeps,
  form: OpenForm,
  given: Submitted,
  from: { source: 'web' | 'hosted'; subscriberId: string | null; address: string },
): Promise<string> {
  return onBehalfOf(form.project_id, async () => {
    const requestId = given._request_id;
    const earlier = await findEarlier(deps, form.id, requestId);
    if (earlier !== null) return earlier;
    const { answers, faults } = readAnswers(form.fields, given);
    const known = new Set<string>([...reservedKeys, ...form.fields.map(({ key }) => key)]);
    const unknown = Object.keys(given).filter((key) => !known.has(key));
    if (Object.keys(faults).length + unknown.length > 0) throw new FaultyAnswers(faults, unknown);
    await requireCredits(deps, form.project_id);
    const isSpam = looksLikeSpam(form, given);
    if (!isSpam && from.source === 'web') await checkCaptcha(deps, form, given._captcha, from.address);
    const { source, subscriberId } = from;
    return storeSubmission(deps, { id: uuidv7(), form, answers, source, subscriberId, isSpam, requestId });
  });
}
