import { describeDatabaseError } from '../../../base/db/describe-error';

/** One line of `herald doctor`. */
export interface Finding {
  check: string;
  status: 'ok' | 'warning' | 'problem' | 'not_checked';
  message: string;
  /** What to do about a problem or a warning. */
  advice: string | null;
}

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, advice: null };
}

export function problem(check: string, message: string, advice: string | null): Finding {
  return { check, status: 'problem', message, advice };
}

/** Something that an operator may have chosen; the installation still counts as healthy. */
export function warning(check: string, message: string, advice: string | null): Finding {
  return { check, status: 'warning', message, advice };
}

export function notChecked(check: string, message: string): Finding {
  return { check, status: 'not_checked', message, advice: null };
}

/** A check that throws is reported as a problem; only the first line of its error is shown, cut to 200 characters. */
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
    return [problem(check, `check failed: ${line.slice(0, 200)}`, advice)];
  }
}
