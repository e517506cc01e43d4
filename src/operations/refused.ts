/** Something an operator asked for that must not be done; the message says why, in one sentence. */
export class OperationRefused extends Error {
  override readonly name = 'OperationRefused';
}
