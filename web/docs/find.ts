import type { SearchEntry } from '../../src/site/docs/search-index';

/** Words that readers use for the same thing. A synonym counts less than the word itself. */
const synonyms = [
  ['dedupe', 'dedup', 'deduplicate', 'duplicate', 'idempotent', 'idempotency', 'at least once', 'повтор'],
  ['rotate', 'rotation', 'roll', 'renew', 'сменить'],
  ['402', 'billing', 'payment', 'credits', 'quota', 'кредит', 'тариф', 'оплата'],
  ['429', 'throttle', 'throttling', 'rate limit', 'too many', 'лимит'],
  ['401', 'unauthorized', 'authentication', 'bearer', 'ключ api'],
  ['hmac', 'signature', 'sign', 'verify', 'подпись'],
  ['otp', '2fa', 'one-time', 'sms', 'одноразовый'],
  ['retry', 'retries', 'backoff', 'resend', 'redeliver', 'повтор'],
  ['webhook', 'endpoint', 'callback', 'hook', 'вебхук', 'эндпоинт'],
  ['delete', 'remove', 'erase', 'gdpr', 'удалить', 'стереть'],
  ['login', 'log in', 'signin', 'sign in', 'auth', 'вход', 'логин', 'авторизация'],
  ['button', 'widget', 'embed', 'кнопка'],
  ['broadcast', 'newsletter', 'mailing', 'campaign', 'рассылка'],
  ['pagination', 'cursor', 'paging', 'page'],
  ['user', 'subscriber', 'contact', 'подписчик', 'пользователь'],
  ['secret', 'whsec'],
];

/** Every word must match; a match in the title scores higher than in the text, and highest at its start. */
export function find(entries: SearchEntry[], query: string, count: number): SearchEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).map(stem);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: score(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, count)
    .map(({ entry }) => entry);
}

const ENDING =
  /(?:иями|ями|ами|ого|его|ому|ему|ыми|ими|ать|ять|ить|еть|ая|яя|ое|ее|ой|ей|ий|ый|ые|ие|ов|ев|ах|ях|ам|ям|ом|ем|ью|ия|ии|ию|[аяоеыиуюьй])$/u;

/** A Russian word without its ending, so that one form finds the others; any other word as it is. */
function stem(word: string): string {
  return /^[а-яё]{5,}$/u.test(word) ? word.replace(ENDING, '') : word;
}

function score(entry: SearchEntry, words: string[]): number {
  let total = 0;
  for (const word of words) {
    const others = synonymsOf(word).map((synonym) => matchOf(entry, synonym) / 4);
    const found = Math.max(matchOf(entry, word), ...others);
    if (found === 0) return 0;
    total += found;
  }
  return total;
}

function matchOf(entry: SearchEntry, word: string): number {
  const title = entry.title.toLowerCase();
  const kind = entry.kind.toLowerCase();
  return (
    (title === word ? 40 : 0) +
    (title.startsWith(word) ? 10 : title.includes(word) ? 6 : 0) +
    (kind.split(' ').includes(word) ? 8 : 0) +
    (entry.names?.split(' ').some((name) => name.toLowerCase() === word) ? 3 : 0) +
    (entry.names?.toLowerCase().includes(word) ? 1 : 0) +
    (entry.text.toLowerCase().includes(word) ? 1 : 0)
  );
}

/** A word also finds its synonyms while it is being typed. */
function synonymsOf(word: string): string[] {
  if (word.length < 3) return [];
  return synonyms
    .filter((group) => group.some((each) => each.startsWith(word)))
    .flat()
    .filter((each) => each !== word)
    .map(stem);
}
