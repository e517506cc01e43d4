/** Yes and No carry a nonce: unguessable, and bound to user, chat, message and session in the database. */
export const NONCE_LENGTH = 32;

export const tapData = { yes: (nonce: string) => `y:${nonce}`, no: (nonce: string) => `n:${nonce}` };
