import { setTimeout as sleep } from 'node:timers/promises';

/** A fault for the next calls of a method. */
export interface CallFault {
  method: string;
  /** Only calls for this chat; any call if absent. */
  chatId?: number | undefined;
  times: number;
  status?: number;
  retry_after?: number;
  /** Replaces the default text of the status. */
  description?: string;
  /** MAX only: replaces the default code of the status. */
  code?: string;
  /** Ends early when the faults are cleared. */
  delay_ms?: number;
  cleared?: Promise<void>;
  /** Closes the connection without performing the call. */
  drop?: boolean;
  /** Performs the call, then closes the connection before the response. */
  drop_after?: boolean;
}

type UpdateFaultKind = 'duplicate' | 'reorder' | 'message_null';

const UPDATE_FAULTS: readonly UpdateFaultKind[] = ['duplicate', 'reorder', 'message_null'];

/** MAX's REST calls and their names, which both channels share. */
const MAX_METHODS: Record<string, string> = {
  'GET /me': 'getMe',
  'PATCH /me/commands': 'setMyCommands',
  'GET /updates': 'getUpdates',
  'GET /subscriptions': 'getWebhookInfo',
  'POST /subscriptions': 'setWebhook',
  'DELETE /subscriptions': 'deleteWebhook',
  'POST /messages': 'sendMessage',
  'PUT /messages': 'editMessageText',
  'DELETE /messages': 'deleteMessage',
  'GET /messages': 'getMessages',
  'POST /answers': 'answerCallbackQuery',
  'POST /uploads': 'getUploadUrl',
};

/**
 * The name of a call, the same on both channels: faults and call logs use `sendMessage`, or `POST /messages` on MAX.
 */
export function canonicalMethod(method: string): string {
  return MAX_METHODS[method] ?? method;
}

/** An invalid fault request. */
export class FaultError extends Error {}

export class FaultPlan {
  private calls: CallFault[] = [];
  private readonly updates = new Map<UpdateFaultKind, number>();
  private readonly onClear = new Set<() => void>();
  private cleared = nextClear();

  /** Reads the body of `POST /control/{channel}/faults`; `chatId` is the chat of its `user`. */
  add(body: Record<string, unknown>, chatId?: number): void {
    if (body.clear === true) return this.clear();
    const times = body.times ?? (body.updates === 'reorder' ? 2 : 1);
    if (typeof times !== 'number' || !Number.isInteger(times) || times < 1) {
      throw new FaultError('times must be a positive whole number');
    }
    if (body.updates !== undefined) return this.addUpdateFault(body.updates, times);
    if (typeof body.method !== 'string') throw new FaultError('method, updates or clear is needed');
    const { promise: cleared } = this.cleared;
    this.calls.push({ ...pickCallFault(body), method: canonicalMethod(body.method), times, chatId, cleared });
  }

  clear(): void {
    this.calls = [];
    this.updates.clear();
    this.cleared.resolve();
    this.cleared = nextClear();
    for (const listener of this.onClear) listener();
  }

  whenCleared(listener: () => void): void {
    this.onClear.add(listener);
  }

  /** Consumes one occurrence of the oldest fault for the method and the chat. */
  takeForCall(method: string, chatId: number | null): CallFault | undefined {
    const name = method.toLowerCase();
    const fault = this.calls.find(
      (each) =>
        (each.method === '*' || each.method.toLowerCase() === name) &&
        (each.chatId === undefined || each.chatId === chatId),
    );
    if (!fault) return undefined;
    fault.times -= 1;
    if (fault.times === 0) this.calls = this.calls.filter((each) => each !== fault);
    return fault;
  }

  remaining(kind: UpdateFaultKind): number {
    return this.updates.get(kind) ?? 0;
  }

  takeForUpdate(kind: UpdateFaultKind): boolean {
    const left = this.remaining(kind);
    if (left === 0) return false;
    this.updates.set(kind, left - 1);
    return true;
  }

  private addUpdateFault(kind: unknown, times: number): void {
    const known = UPDATE_FAULTS.find((each) => each === kind);
    if (!known) throw new FaultError(`updates must be one of ${UPDATE_FAULTS.join(', ')}`);
    this.updates.set(known, this.remaining(known) + times);
  }
}

function pickCallFault(body: Record<string, unknown>): Partial<CallFault> {
  const fault: Partial<CallFault> = {};
  for (const field of ['status', 'retry_after', 'delay_ms'] as const) {
    const value = body[field];
    if (value === undefined) continue;
    if (typeof value !== 'number' || !(value >= 0)) throw new FaultError(`${field} must be a number`);
    fault[field] = value;
  }
  if (fault.status !== undefined && (fault.status < 400 || fault.status > 599)) {
    throw new FaultError('status must be between 400 and 599');
  }
  for (const field of ['description', 'code'] as const) {
    const value = body[field];
    if (typeof value === 'string') fault[field] = value;
  }
  for (const field of ['drop', 'drop_after'] as const) {
    if (body[field] === true) fault[field] = true;
  }
  return fault;
}

function nextClear(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}

async function delay(ms: number, cleared?: Promise<void>): Promise<void> {
  const over = new AbortController();
  void cleared?.then(() => over.abort());
  await sleep(ms, undefined, { signal: over.signal }).catch(() => undefined);
}

/** Thrown to close the connection without a response. */
export class DroppedConnection extends Error {}

/** Runs a call with its fault, if there is one; `refuse` creates the platform's error. */
export async function withFault<T>(
  fault: CallFault | undefined,
  refuse: (fault: CallFault, status: number) => Error,
  call: () => Promise<T> | T,
): Promise<T> {
  if (!fault) return call();
  if (fault.delay_ms !== undefined) await delay(fault.delay_ms, fault.cleared);
  if (fault.drop) throw new DroppedConnection();
  if (fault.status !== undefined) throw refuse(fault, fault.status);
  const result = await call();
  if (fault.drop_after) throw new DroppedConnection();
  return result;
}
