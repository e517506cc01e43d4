/** An operator's request that must not be carried out; the message says why, in one sentence. */
export class OperationRefused extends Error {
  override readonly name = 'OperationRefused';
}
