import { contentDraft, contentOf } from '../../../web/dashboard/message/content';
import { chipPieces, withMarkedValues } from '../../../web/dashboard/message/placeholders';
import { TextHistory } from '../../../web/dashboard/message/text-history';
import { cronOf, nextDates, repeatOf } from '../../../web/dashboard/message/repeat';
import { stepDrafts, stepsOf } from '../../../web/dashboard/pages/drip-draft';

describe('what is typed into the composer', () => {
  it.each([
    ['0 9 * * *', { every: 'day', time: '09:00' }],
    ['30 18 * * MON,FRI', { every: 'week', weekdays: [1, 5], time: '18:30' }],
    ['0 7 * * SUN', { every: 'week', weekdays: [7] }],
    ['5 0 31 * *', { every: 'month', monthDay: 31, time: '00:05' }],
    ['*/10 9 * * *', { every: 'cron' }],
    ['0 9 1 JAN *', { every: 'cron' }],
    ['0 9 * * MON-FRI/2', { every: 'cron' }],
    ['nonsense', { every: 'cron' }],
  ])('reads %s as choices, and writes it from them', (cron, choices) => {
    expect(repeatOf(cron)).toMatchObject(choices);
    expect(cronOf(repeatOf(cron))).toBe(cron);
  });

  it('keeps the values and the literal braces of a stored message until its text is changed', () => {
    const personal = { text: 'Order {{order}}', personalize: true, vars: { order: 7 } };
    expect(contentOf(contentDraft(personal))).toMatchObject(personal);
    const { text: _, ...rest } = personal;
    expect(contentOf({ ...contentDraft(personal), text: 'New {{order}}' })).toMatchObject(rest);
    expect(contentOf({ ...contentDraft(personal), text: 'New' })).not.toHaveProperty('vars');

    const literal = contentDraft({ text: 'Write {{first_name}} in your templates' });
    expect(contentOf(literal)).not.toHaveProperty('personalize');
    expect(contentOf({ ...literal, text: 'Hi {{first_name}}' })).toHaveProperty('personalize', true);

    const step = { id: 'hello', type: 'send' as const, content: personal };
    expect(stepsOf(stepDrafts([step]))).toMatchObject([step]);
  });

  it('reads a range of days as days', () => {
    expect(repeatOf('0 9 * * 1-5')).toMatchObject({ every: 'week', weekdays: [1, 2, 3, 4, 5] });
  });

  it('shows the next dates in the zone, and none for what is not an expression or a zone', () => {
    const from = new Date('2030-01-01T00:00:00Z');
    expect(nextDates('0 9 * * MON', 'Europe/Moscow', from, 3).map((date) => date.toISOString())).toEqual([
      '2030-01-07T06:00:00.000Z',
      '2030-01-14T06:00:00.000Z',
      '2030-01-21T06:00:00.000Z',
    ]);
    expect(nextDates('0 9 * *', 'Europe/Moscow', from, 3)).toEqual([]);
    expect(nextDates('0 9 * * *', 'Moscow', from, 3)).toEqual([]);
  });

  it('recognises the placeholders of a text that is still being written', () => {
    const city = { name: 'properties.city', fallback: null, source: '{{properties.city}}' };
    const name = { name: 'first_name', fallback: 'a|b', source: '{{first_name|a|b}}' };
    for (const [text, pieces] of [
      ['', []],
      ['Hi {{first_name|a|b}}{{properties.city}}!', ['Hi ', name, city, '!']],
      ['Hi {{first_n', ['Hi {{first_n']],
      ['{{first_n {{properties.city}} }}', ['{{first_n ', city, ' }}']],
      ['{{{properties.city}}}', ['{{{properties.city}}}']],
      ['{{Not a name}} {{properties.city}}', ['{{Not a name}} ', city]],
    ] as const) {
      expect([text, chipPieces(text)]).toEqual([text, pieces]);
    }
  });

  it('undoes keys that were typed together at once, and an inserted placeholder by itself', () => {
    const at = (text: string) => ({ text, from: text.length, to: text.length });
    const history = new TextHistory(at(''));
    history.record(at('T'), true, 1_000);
    history.record(at('Te'), true, 1_100);
    history.record(at('Te{{first_name}}'), false, 1_200);
    history.record(at('Te{{first_name}}a'), true, 1_300);
    expect([history.undo()?.text, history.undo()?.text, history.undo()?.text, history.undo()]).toEqual([
      'Te{{first_name}}',
      'Te',
      '',
      null,
    ]);
    expect(history.redo()?.text).toBe('Te');
    history.record(at('Tea'), true, 5_000);
    expect([history.redo(), history.undo()?.text]).toEqual([null, 'Te']);
  });

  it('marks the values in a rendered text', () => {
    const marked = (source: string, rendered: string) =>
      withMarkedValues(source, rendered).replaceAll('\uE000', '[').replaceAll('\uE001', ']');
    expect(marked('Hi {{first_name}}, your {{item}} is here', 'Hi Anna, your tea is here')).toBe(
      'Hi [Anna], your [tea] is here',
    );
    expect(marked('{{first_name}}', 'Anna')).toBe('[Anna]');
    expect(marked('Hi {{first_name}}!', 'Hi !')).toBe('Hi !');
    expect(marked('Hi {{first_name}}!', 'Something else')).toBe('Something else');
  });
});
