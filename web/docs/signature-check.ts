/*
 * Finds out why the signature of a webhook does not match, with WebCrypto and nothing else. Both families of headers are
 * checked: X-Service-Signature (hex, keyed with the text of the secret) and Standard Webhooks (base64, keyed with the
 * bytes that the secret encodes).
 */
export interface SignedRequest {
  /** The headers as pasted: one on each line. */
  headers: string;
  body: string;
  secret: string;
  nowSeconds: number;
}

export interface Finding {
  state: 'good' | 'warn' | 'bad';
  /** What was found, in a few words. */
  title: string;
  text: string;
}

/** Verifiers of the same scheme reject signatures older than this by default. */
const USUAL_TOLERANCE_SECONDS = 300;
const SECRET = /^whsec_(?:[A-Za-z0-9+/]{43}=|[A-Za-z0-9_-]{43})$/;

interface Family {
  header: string;
  /** The time that was signed, and one from another header that may stand in its place. */
  t: string;
  otherTime: string | undefined;
  signatures: string[];
  message: (t: string, body: string) => string;
  key: (secret: string) => Uint8Array<ArrayBuffer> | null;
  encode: (mac: Uint8Array) => string;
}

export async function checkSignature(request: SignedRequest): Promise<Finding[]> {
  const missing = missingInput(request);
  if (missing) return [missing];
  const headers = parseHeaders(request.headers);
  const families = [serviceFamily(headers), standardFamily(headers)].filter((family) => family !== null);
  if (families.length === 0) {
    return [
      bad(
        'No signature header',
        'The headers contain neither X-Service-Signature nor webhook-signature. Paste all headers of the request; a proxy in front of your receiver may also remove them.',
      ),
    ];
  }
  const findings: Finding[] = [];
  for (const family of families) {
    findings.push('state' in family ? family : await checkFamily(family, request, headers));
  }
  return findings;
}

function missingInput({ headers, body, secret }: SignedRequest): Finding | null {
  const missing = [
    ...(headers.trim() === '' ? ['the headers'] : []),
    ...(body === '' ? ['the body'] : []),
    ...(secret.trim() === '' ? ['the secret'] : []),
  ];
  if (missing.length === 0) return null;
  return { state: 'warn', title: 'Not complete', text: `Paste ${missing.join(' and ')} as well.` };
}

/** One header a line, as most tools print them; a bare signature counts as X-Service-Signature. */
function parseHeaders(text: string): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const found = /^[\s<>"']*([A-Za-z0-9-]+)["']?\s*(?::|=>)\s*["']?(.*?)["',\s]*$/.exec(line);
    if (found) headers.set((found[1] ?? '').toLowerCase(), found[2] ?? '');
    else if (/^\s*t=\d+,/.test(line)) headers.set('x-service-signature', line.trim());
  }
  return headers;
}

function serviceFamily(headers: Map<string, string>): Family | Finding | null {
  const header = headers.get('x-service-signature');
  if (header === undefined) return null;
  const pairs = header.split(',').map((part) => part.trim().split('='));
  const t = pairs.find(([name]) => name === 't')?.[1] ?? '';
  const signatures = pairs.flatMap(([name, value]) => (name === 'v1' && value ? [value] : []));
  if (!/^\d{1,15}$/.test(t) || signatures.length === 0) {
    return bad(
      'X-Service-Signature is malformed',
      'It must have the form t=<seconds>,v1=<hex>. Check that the header was copied whole.',
    );
  }
  return {
    header: 'X-Service-Signature',
    t,
    otherTime: headers.get('x-service-timestamp'),
    signatures,
    message: (time, body) => `${time}.${body}`,
    key: (secret) => utf8(secret),
    encode: (mac) => [...mac].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
  };
}

function standardFamily(headers: Map<string, string>): Family | Finding | null {
  const header = headers.get('webhook-signature');
  if (header === undefined) return null;
  const id = headers.get('webhook-id');
  const t = headers.get('webhook-timestamp');
  const signatures = header.split(' ').flatMap((part) => (part.startsWith('v1,') ? [part.slice(3)] : []));
  if (id === undefined || t === undefined || signatures.length === 0) {
    return bad(
      'webhook-signature is incomplete',
      'Standard Webhooks sign the id and the time as well: paste webhook-id, webhook-timestamp and webhook-signature (v1,<base64>).',
    );
  }
  return {
    header: 'webhook-signature',
    t,
    otherTime: headers.get('x-service-timestamp'),
    signatures,
    message: (time, body) => `${id}.${time}.${body}`,
    key: decodedSecret,
    encode: (mac) => btoa(String.fromCharCode(...mac)),
  };
}

async function checkFamily(
  family: Family,
  request: SignedRequest,
  headers: Map<string, string>,
): Promise<Finding> {
  const { header, t } = family;
  const { body, secret } = request;
  if (await matches(family, secret, t, body)) return valid(header, Number(t), request.nowSeconds);

  for (const [other, why] of secretVariants(secret)) {
    if (await matches(family, other, t, body)) {
      return bad(`${header}: the secret is not copied exactly`, `${why} Otherwise the request is genuine.`);
    }
  }
  const likely = secretVariants(secret).map(([other]) => other);
  for (const candidate of [secret, ...likely]) {
    for (const [other, why] of bodyVariants(body)) {
      if (await matches(family, candidate, t, other)) {
        return bad(
          `${header}: the body was changed`,
          `${why} Verify the raw bytes as received, before any parser or framework touches them.`,
        );
      }
    }
  }
  const { otherTime } = family;
  if (otherTime !== undefined && otherTime !== t && (await matches(family, secret, otherTime, body))) {
    return bad(
      `${header}: the time was changed`,
      `The request was signed at ${otherTime} (X-Service-Timestamp), but the header says ${t}.`,
    );
  }
  return unmatched(family, request, headers);
}

/** Nothing matches. The form of the secret and of the body says where to look. */
function unmatched(
  { header }: Family,
  { body, secret }: SignedRequest,
  headers: Map<string, string>,
): Finding {
  if (!SECRET.test(secret.trim())) {
    return bad(
      `${header}: wrong secret`,
      'This is not the secret of an endpoint: one begins with whsec_ and has 43 or 44 characters after it. An API key (hk_…) is something else.',
    );
  }
  const parsed = parseJson(body);
  if (parsed === undefined) {
    return bad(
      `${header}: the body was changed`,
      'The body is not valid JSON, so it is not what Herald sent: it may be cut off or decoded in the wrong character set.',
    );
  }
  const event = headers.get('x-service-event');
  const named = (parsed as { event?: unknown } | null)?.event;
  if (event !== undefined && named !== event) {
    return bad(
      `${header}: the body was changed`,
      `The headers belong to ${event}, the body to ${typeof named === 'string' ? named : 'another request'}: they come from two different requests.`,
    );
  }
  if (JSON.stringify(parsed) !== body) {
    return bad(
      `${header}: the body was changed`,
      'Herald sends JSON without spaces between its parts; this body was formatted or serialized again. If it was not, the secret belongs to another endpoint.',
    );
  }
  return bad(
    `${header}: wrong secret, or a changed value`,
    'The body has the form in which Herald sends it, so most likely the secret belongs to another endpoint or was rotated more than 24 hours before this attempt. If the secret is right, a value in the body was changed: compare it with the delivery in the dashboard.',
  );
}

function valid(header: string, t: number, now: number): Finding {
  const age = now - t;
  if (age > USUAL_TOLERANCE_SECONDS) {
    return {
      state: 'warn',
      title: `${header} is valid, but old`,
      text: `Secret and body are right. The request was signed ${duration(age)} ago: a receiver with a time tolerance of ${USUAL_TOLERANCE_SECONDS / 60} minutes rejects it now. Each attempt is signed with its own time, so a live one is never that old.`,
    };
  }
  if (age < -USUAL_TOLERANCE_SECONDS) {
    return {
      state: 'warn',
      title: `${header} is valid, but from the future`,
      text: `Secret and body are right. The request was signed ${duration(-age)} ahead of the clock of this device: check the clock of your receiver.`,
    };
  }
  return { state: 'good', title: `${header} is valid`, text: 'Secret, body and time are right.' };
}

function secretVariants(secret: string): [secret: string, why: string][] {
  const bare = secret.trim().replaceAll(/^["']|["']$/g, '');
  return [
    [bare, 'There is white space or a quotation mark around the secret.'],
    [`whsec_${bare}`, 'The secret lacks its prefix whsec_, which is part of it.'],
  ];
}

function bodyVariants(body: string): [body: string, why: string][] {
  const parsed = parseJson(body);
  return [
    [body.trim(), 'There is white space before or after the body.'],
    [body.replaceAll('\r\n', '\n'), 'Its line ends were changed from LF to CRLF.'],
    ...(parsed === undefined
      ? []
      : ([
          [JSON.stringify(parsed), 'It was parsed and serialized again, which changed spaces or escapes.'],
        ] as [string, string][])),
  ];
}

async function matches(family: Family, secret: string, t: string, body: string): Promise<boolean> {
  const bytes = family.key(secret);
  if (bytes === null || bytes.length === 0) return false;
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const mac = await crypto.subtle.sign('HMAC', key, utf8(family.message(t, body)));
  return family.signatures.includes(family.encode(new Uint8Array(mac)));
}

/** The bytes after whsec_, in base64. */
function decodedSecret(secret: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(secret.replace(/^whsec_/, '')), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function duration(seconds: number): string {
  const units: [size: number, name: string][] = [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
  ];
  const [size, name] = units.find(([each]) => seconds >= each) ?? [1, 'second'];
  const amount = Math.floor(seconds / size);
  return `${amount} ${name}${amount === 1 ? '' : 's'}`;
}

function bad(title: string, text: string): Finding {
  return { state: 'bad', title, text };
}
