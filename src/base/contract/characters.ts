import { z } from 'zod';

/** `max` for texts, counted in UTF-16 code units as the messengers do: zod's own `max` counts code points. */
export function characters(max: number, error?: string): z.core.$ZodCheck<string> {
  const check = z.check<string>(({ value, issues }) => {
    if (value.length <= max) return;
    issues.push({
      code: 'too_big',
      origin: 'string',
      maximum: max,
      inclusive: true,
      input: value,
      ...(error === undefined ? {} : { message: error }),
    });
  });
  // The API description has it as maxLength.
  check._zod.onattach.push(({ _zod: { bag } }) => (bag['maximum'] = max));
  return check;
}
