/**
 * The public form of a subscriber's id. Inside it is a UUID; outside it is either that UUID or `sub_` + base62
 * of the same 128 bits. Both forms are accepted on input, and a setting chooses the output.
 */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'sub_';
/** 62^22 is the first power above 2^128: every id has the same length. */
const BASE62_LENGTH = 22;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const subscriberIdFormats = ['uuid', 'prefixed'] as const;
export type SubscriberIdFormat = (typeof subscriberIdFormats)[number];

export function isUuid(value: string): boolean {
  return UUID.test(value);
}

export function formatSubscriberId(uuid: string, format: SubscriberIdFormat): string {
  return format === 'uuid' ? uuid : PREFIX + toBase62(uuid);
}

/** The UUID behind either public form, or null where the text is neither. */
export function parseSubscriberId(text: string): string | null {
  if (isUuid(text)) return text.toLowerCase();
  if (!text.startsWith(PREFIX)) return null;
  return fromBase62(text.slice(PREFIX.length));
}

function toBase62(uuid: string): string {
  let rest = BigInt(`0x${uuid.replaceAll('-', '')}`);
  let text = '';
  for (let i = 0; i < BASE62_LENGTH; i += 1) {
    text = ALPHABET.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}

function fromBase62(text: string): string | null {
  if (text.length !== BASE62_LENGTH) return null;
  let value = 0n;
  for (const char of text) {
    const digit = ALPHABET.indexOf(char);
    if (digit < 0) return null;
    value = value * 62n + BigInt(digit);
  }
  if (value >= 1n << 128n) return null;
  const hex = value.toString(16).padStart(32, '0');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
