import { describeDatabaseError } from '../../db/describe-error';

/** One line of `herald doctor`. */
export interface Finding {
  check: string;
  status: 'ok' | 'problem' | 'not checked';
  message: string;
  /** What to do about a problem. */
  advice: string | null;
}

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, advice: null };
}

export function problem(check: string, message: string, advice: string): Finding {
  return { check, status: 'problem', message, advice };
}

export function notChecked(check: string, message: string): Finding {
  return { check, status: 'not checked', message, advice: null };
}

/** Reports a check that throws as a problem. Its error may contain addresses, so only the first line is shown. */
export async function guarded(
  check: string,
  advice: string,
  run: () => Promise<Finding | Finding[]>,
): Promise<Finding[]> {
  try {
    return [await run()].flat();
  } catch (error) {
    const reason = describeDatabaseError(error);
    if (reason) return [problem(check, reason, advice)];
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return [problem(check, `could not be checked: ${line.slice(0, 200)}`, advice)];
  }
}
