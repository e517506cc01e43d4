/** A request body that cannot be read. */
export class BodyError extends Error {}
