import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { storableText } from '../../bots';
import { limits } from '../../../base/contract/limits';

/** The user and the start parameter of a Mini App, as the messenger has signed them. */
export interface InitData {
  user: { id: string; firstName: string; username: string | null; language: string | null };
  /** Empty if the Mini App was opened without one. */
  start: string;
}

/** What an `init_data` says; nothing of it may be trusted before `isSigned`. */
interface UnverifiedInitData extends InitData {
  /** Unix seconds. */
  signedAt: number;
  hash: Buffer;
  /** What the platform signs: all other fields, sorted. */
  signedText: string;
}

const userSchema = z.object({
  id: z.union([z.number().int().positive(), z.string().regex(/^\d{1,20}$/)]),
  // As in updates of the bots: what cannot be stored is replaced.
  first_name: z.string().max(256).transform(storableText).default(''),
  username: z.string().max(64).transform(storableText).nullish(),
  language_code: z.string().max(35).nullish(),
});

/** Null if the text is not of the form that both platforms use. */
export function parseInitData(text: string): UnverifiedInitData | null {
  const fields = [...new URLSearchParams(text)];
  const values = new Map(fields);
  // Of a field that occurs twice, the signed one could be another than the one that is read.
  if (values.size !== fields.length) return null;
  const hash = values.get('hash') ?? '';
  const signedAt = Number(values.get('auth_date'));
  const user = userSchema.safeParse(jsonOrNull(values.get('user') ?? ''));
  if (!/^[0-9a-f]{64}$/i.test(hash) || !Number.isSafeInteger(signedAt) || !user.success) {
    return null;
  }
  values.delete('hash');
  return {
    user: {
      id: String(user.data.id),
      firstName: user.data.first_name,
      username: user.data.username || null,
      language: user.data.language_code ?? null,
    },
    start: values.get('start_param') ?? '',
    signedAt,
    hash: Buffer.from(hash, 'hex'),
    signedText: [...values]
      .map(([name, value]) => `${name}=${value}`)
      .sort()
      .join('\n'),
  };
}

/** Clocks of the platform and of this machine may differ by so much. */
const AHEAD_SECONDS = 60;

/** Whether the platform has signed it for the bot with this key, within the hour. */
export function isSigned({ signedText, hash, signedAt }: UnverifiedInitData, key: Buffer): boolean {
  const age = Date.now() / 1000 - signedAt;
  if (age > limits.initDataMinutes * 60 || age < -AHEAD_SECONDS) return false;
  return timingSafeEqual(createHmac('sha256', key).update(signedText).digest(), hash);
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
