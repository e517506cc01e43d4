/*
 * Finds out why the signature of a webhook does not match, with WebCrypto and nothing else. Both families of headers are
 * checked: X-Service-Signature (hex, keyed with the text of the secret) and Standard Webhooks (base64, keyed with the
 * bytes that the secret encodes).
 */
import { signatureWords, type SignatureWords } from './signature-words';

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

export async function checkSignature(
  request: SignedRequest,
  words: SignatureWords = signatureWords.en,
): Promise<Finding[]> {
  const missing = missingInput(request, words);
  if (missing) return [missing];
  const headers = parseHeaders(request.headers);
  const families = [serviceFamily(headers, words), standardFamily(headers, words)].filter(
    (family) => family !== null,
  );
  if (families.length === 0) {
    return [bad(words.noHeader)];
  }
  const findings: Finding[] = [];
  for (const family of families) {
    findings.push('state' in family ? family : await checkFamily(family, request, headers, words));
  }
  return findings;
}

function missingInput({ headers, body, secret }: SignedRequest, words: SignatureWords): Finding | null {
  const missing = [
    ...(headers.trim() === '' ? [words.headers] : []),
    ...(body === '' ? [words.body] : []),
    ...(secret.trim() === '' ? [words.secret] : []),
  ];
  if (missing.length === 0) return null;
  return warn([words.incomplete, words.pasteToo(missing)]);
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

function serviceFamily(headers: Map<string, string>, words: SignatureWords): Family | Finding | null {
  const header = headers.get('x-service-signature');
  if (header === undefined) return null;
  const pairs = header.split(',').map((part) => part.trim().split('='));
  const t = pairs.find(([name]) => name === 't')?.[1] ?? '';
  const signatures = pairs.flatMap(([name, value]) => (name === 'v1' && value ? [value] : []));
  if (!/^\d{1,15}$/.test(t) || signatures.length === 0) {
    return bad(words.malformed);
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

function standardFamily(headers: Map<string, string>, words: SignatureWords): Family | Finding | null {
  const header = headers.get('webhook-signature');
  if (header === undefined) return null;
  const id = headers.get('webhook-id');
  const t = headers.get('webhook-timestamp');
  const signatures = header.split(' ').flatMap((part) => (part.startsWith('v1,') ? [part.slice(3)] : []));
  if (id === undefined || t === undefined || signatures.length === 0) {
    return bad(words.partial);
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
  words: SignatureWords,
): Promise<Finding> {
  const { header, t } = family;
  const { body, secret } = request;
  if (await matches(family, secret, t, body)) return valid(header, Number(t), request.nowSeconds, words);

  const secrets = secretVariants(secret, words);
  for (const [other, why] of secrets) {
    if (await matches(family, other, t, body)) return bad(words.secretInexact(header, why));
  }
  for (const candidate of [secret, ...secrets.map(([other]) => other)]) {
    for (const [other, why] of bodyVariants(body, words)) {
      if (await matches(family, candidate, t, other)) {
        return bad([words.bodyChanged(header), words.verifyRaw(why)]);
      }
    }
  }
  const { otherTime } = family;
  if (otherTime !== undefined && otherTime !== t && (await matches(family, secret, otherTime, body))) {
    return bad(words.timeChanged(header, otherTime, t));
  }
  return bad(unmatched(family, request, headers, words));
}

/** Nothing matches. The form of the secret and of the body says where to look. */
function unmatched(
  { header }: Family,
  { body, secret }: SignedRequest,
  headers: Map<string, string>,
  words: SignatureWords,
): [title: string, text: string] {
  if (!SECRET.test(secret.trim())) return words.wrongSecret(header);
  const changed = words.bodyChanged(header);
  const parsed = parseJson(body);
  if (parsed === undefined) return [changed, words.notJson];
  const event = headers.get('x-service-event');
  const named = (parsed as { event?: unknown } | null)?.event;
  if (event !== undefined && named !== event) {
    return [changed, words.otherRequest(event, typeof named === 'string' ? named : null)];
  }
  return JSON.stringify(parsed) === body ? words.secretOrValue(header) : [changed, words.formatted];
}

function valid(header: string, t: number, now: number, words: SignatureWords): Finding {
  const age = now - t;
  if (age > USUAL_TOLERANCE_SECONDS) {
    return warn(words.old(header, duration(age, words), USUAL_TOLERANCE_SECONDS / 60));
  }
  if (age < -USUAL_TOLERANCE_SECONDS) return warn(words.future(header, duration(-age, words)));
  const [title, text] = words.valid(header);
  return { state: 'good', title, text };
}

function secretVariants(secret: string, words: SignatureWords): [secret: string, why: string][] {
  const bare = secret.trim().replaceAll(/^["']|["']$/g, '');
  return [
    [bare, words.aroundSecret],
    [`whsec_${bare}`, words.noPrefix],
  ];
}

function bodyVariants(body: string, words: SignatureWords): [body: string, why: string][] {
  const parsed = parseJson(body);
  const serialized: [string, string][] =
    parsed === undefined ? [] : [[JSON.stringify(parsed), words.serialized]];
  return [[body.trim(), words.aroundBody], [body.replaceAll('\r\n', '\n'), words.lineEnds], ...serialized];
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

function duration(seconds: number, words: SignatureWords): string {
  const units = [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
  ] as const;
  const [size, name] = units.find(([each]) => seconds >= each) ?? ([1, 'second'] as const);
  return words.duration(Math.floor(seconds / size), name);
}

function bad([title, text]: [title: string, text: string]): Finding {
  return { state: 'bad', title, text };
}

function warn([title, text]: [title: string, text: string]): Finding {
  return { state: 'warn', title, text };
}
