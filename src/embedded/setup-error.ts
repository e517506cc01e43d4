/** Exit codes of a start that could not succeed, after sysexits(3), so that scripts can tell the cases apart. */
export const exitCodes = {
  /** Something this machine does not offer: a port, a program, a network. */
  unavailable: 69,
  /** Another start holds what this one needs; trying again later may work. */
  busy: 75,
  /** A setting names something that cannot be used. */
  badSetting: 78,
} as const;

/** A failed set-up step: the message is one sentence for people, and no stack is worth showing. */
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
