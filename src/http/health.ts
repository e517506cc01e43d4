/** A part that the process needs to do its work, and how to find out whether it is there. */
export interface Part {
  name: string;
  /** Resolves when the part answers; the error's message is shown to the operator's tools, so it names no secret. */
  check(): Promise<void>;
}

export interface PartState {
  name: string;
  ok: boolean;
}

const CHECK_LIMIT_MS = 2_000;

/** Asks every part at once; one that does not answer in time counts as missing. */
export function checkParts(parts: Part[]): Promise<PartState[]> {
  return Promise.all(parts.map(async (part) => ({ name: part.name, ok: await answers(part) })));
}

async function answers(part: Part): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no response in time')), CHECK_LIMIT_MS);
  });
  try {
    await Promise.race([part.check(), late]);
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
