import { withTimeout } from '../lib/timeout';

/** A part that the process needs to do its work, and how to find out whether it is there. */
export interface Part {
  name: string;
  /** Resolves when the part responds; the error's message is shown to the operator's tools, so it names no secret. */
  check(): Promise<void>;
}

export interface PartState {
  name: string;
  ok: boolean;
}

const CHECK_LIMIT_MS = 2_000;

/** Checks every part at once; a part that does not respond in time counts as missing. */
export function checkParts(parts: Part[]): Promise<PartState[]> {
  return Promise.all(parts.map(async (part) => ({ name: part.name, ok: await responds(part) })));
}

async function responds(part: Part): Promise<boolean> {
  try {
    await withTimeout(part.check(), CHECK_LIMIT_MS);
    return true;
  } catch {
    return false;
  }
}
