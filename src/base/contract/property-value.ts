const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;
/** A number with more digits would not come back as it was written. */
const EXACT_DIGITS = 15;

/**
 * The value of a property that was typed or is in a file: `true` and `false` are booleans, what is written as a number is
 * one; everything else is text.
 */
export function propertyValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  const isNumber = NUMBER.test(text) && text.replaceAll(/\D/g, '').length <= EXACT_DIGITS;
  return isNumber ? Number(text) : text;
}
