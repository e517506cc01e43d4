import fc from 'fast-check';
import { markdownToTelegramHtml } from '../../../src/bots/telegram/markdown';
import { parseTelegramText } from '../../../src/embedded/simulator/markup';
import { referenceHtml } from './markdown-reference';

describe('Markdown for Telegram', () => {
  it.each([
    ['**bold** __bold__', '<b>bold</b> <b>bold</b>'],
    ['*it* _it_ ~~no~~ ++u++', '<i>it</i> <i>it</i> <s>no</s> <u>u</u>'],
    ['**a *b* c**', '<b>a <i>b</i> c</b>'],
    ['*a **b** c*', '<i>a <b>b</b> c</i>'],
    ['`<x> *y*`', '<code>&lt;x&gt; *y*</code>'],
    ['```js\na < b\n```', '<pre>a &lt; b\n</pre>'],
    [
      '[a & b](https://x.example/?q="1"&r=2)',
      '<a href="https://x.example/?q=&quot;1&quot;&amp;r=2">a &amp; b</a>',
    ],
    ['[no](javascript:alert(1))', '[no](javascript:alert(1))'],
    ['2 * 3 * 4, snake_case_name, a_b', '2 * 3 * 4, snake_case_name, a_b'],
    ['\\*not\\* **open', '*not* **open'],
    ['<b>& 👋 مرحبا', '&lt;b&gt;&amp; 👋 مرحبا'],
  ])('%j becomes %j', (source, html) => {
    expect(markdownToTelegramHtml(source)).toBe(html);
  });

  const pieces = fc.constantFrom(
    '*',
    '**',
    '_',
    '__',
    '~~',
    '++',
    '`',
    '```',
    '[',
    ']',
    '](https://x.y)',
    '\\',
    '<',
    '&',
    ' ',
    'a',
    'ж',
    '👋',
    '\n',
  );
  const texts = fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(''));

  it('is accepted by Telegram whatever a project writes', () => {
    fc.assert(
      fc.property(texts, (source) => {
        parseTelegramText(markdownToTelegramHtml(source), 'HTML');
      }),
      { numRuns: 2000 },
    );
  });

  it('shows no more characters than the source has', () => {
    fc.assert(
      fc.property(texts, (source) => {
        const { text } = parseTelegramText(markdownToTelegramHtml(source), 'HTML');
        expect(text.length).toBeLessThanOrEqual(source.length);
      }),
      { numRuns: 500 },
    );
  });

  it('means the same as the plain description of the dialect', () => {
    fc.assert(
      fc.property(texts, (source) => {
        expect(markdownToTelegramHtml(source)).toBe(referenceHtml(source));
      }),
      { numRuns: 3000 },
    );
  });

  /** The shortest of several runs: what else the machine does can only lengthen one. */
  function bestTime(source: string): number {
    const times = Array.from({ length: 5 }, () => {
      const started = performance.now();
      markdownToTelegramHtml(source);
      return performance.now() - started;
    });
    return Math.min(...times);
  }

  it.each([
    ['ж__', ''],
    ['*a ', ''],
    ['*_', ''],
    ['**a', ''],
    ['_a ', ''],
    ['[', ''],
    ['[a](', ''],
    ['[a](https://', ''],
    ['`', ''],
    ['```', ''],
    ['``` ', ''],
    ['```a', ''],
    ['\\', ''],
    ['\\*', ''],
    ['~~++__**', ''],
    ['*_~~', '~~_*'],
    ['&', ''],
  ])('takes eight times as long for eight times as much of %j … %j, not sixty-four times', (left, right) => {
    const source = (length: number) =>
      left.repeat(length / left.length) + (right === '' ? '' : right.repeat(length / right.length));
    // Long enough to take milliseconds; warmed up, so that compilation is not measured.
    bestTime(source(8_000));
    const [short, long] = [bestTime(source(8_000)), bestTime(source(64_000))];
    expect(long / short).toBeLessThan(24);
  });
});
