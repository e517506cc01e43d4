/** What happened to a visitor, newest last, for the panel beside the shop. A real site has no such thing. */
const MAX_ENTRIES = 30;

/** `kind` is one of the texts' names: a request to Herald, an event that Herald sent, or a step of the visitor. */
export function tell(visitor, kind, what, status = '') {
  const entry = { kind, what, status: String(status), at: new Date() };
  visitor.story = [...(visitor.story ?? []), entry].slice(-MAX_ENTRIES);
}

/** Calls Herald, and tells of the request and its outcome. */
export async function told(visitor, request, expected, call) {
  try {
    const response = await call();
    tell(visitor, 'request', request, expected);
    return response;
  } catch (error) {
    tell(visitor, 'request', request, error.status ?? error.code ?? '');
    throw error;
  }
}
