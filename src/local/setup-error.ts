/** Exit codes of a failed start, after sysexits(3), so that scripts can tell the cases apart. */
export const exitCodes = {
  /** A port, program or network is unavailable. */
  unavailable: 69,
  /** Another process holds a needed resource; retrying later may work. */
  busy: 75,
  /** A setting has an unusable value. */
  badSetting: 78,
} as const;

/** A failed set-up step. The message is one sentence for users; the stack is not shown. */
export class SetupError extends Error {
  override readonly name = 'SetupError';

  constructor(
    message: string,
    readonly exitCode: number = exitCodes.unavailable,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
