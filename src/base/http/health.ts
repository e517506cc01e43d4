import { withTimeout } from '../lib/timeout';

/** A dependency of the process, with its health check. */
export interface Part {
  name: string;
  /** The process is not ready without it; without any other part it is degraded. */
  required: boolean;
  /**
   * Resolves if the dependency is available. Operator tools show the error's message, so it must not contain secrets.
   */
  check(): Promise<void>;
}

interface PartState extends Pick<Part, 'name' | 'required'> {
  ok: boolean;
}

const CHECK_LIMIT_MS = 2_000;

/** Checks all parts in parallel; a check that times out counts as failed. */
export function checkParts(parts: Part[]): Promise<PartState[]> {
  return Promise.all(
    parts.map(async (part) => ({ name: part.name, required: part.required, ok: await isAvailable(part) })),
  );
}

async function isAvailable(part: Part): Promise<boolean> {
  try {
    await withTimeout(part.check(), CHECK_LIMIT_MS);
    return true;
  } catch {
    return false;
  }
}
