import { randomText } from '../../base/lib/tokens';

/** No letters that look like digits, because people compare the code on two screens. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
const LENGTH = 4;

export function newMatchCode(): string {
  return randomText(ALPHABET, LENGTH);
}
