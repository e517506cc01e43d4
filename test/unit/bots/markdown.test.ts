import fc from 'fast-check';
import { markdownToHtml } from '../../../src/domains/bots/markdown';
import { parseTelegramText } from '../../../src/local/simulator/markup';
import { referenceHtml } from './markdown-reference';
import { runs } from '../../support/fuzz';

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
    [
      '[a\\]b](https://x.example) [a\\](https://x.example)',
      '<a href="https://x.example">a]b</a> [a](https://x.example)',
    ],
    ['**a\\\\** *a\\*', '<b>a\\</b> *a*'],
    ['<b>& 👋 مرحبا', '&lt;b&gt;&amp; 👋 مرحبا'],
  ])('%j becomes %j', (source, html) => {
    expect(markdownToHtml(source)).toBe(html);
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
        parseTelegramText(markdownToHtml(source), 'HTML');
      }),
      runs(300),
    );
  });

  it('shows no more characters than the source has', () => {
    fc.assert(
      fc.property(texts, (source) => {
        const { text } = parseTelegramText(markdownToHtml(source), 'HTML');
        expect(text.length).toBeLessThanOrEqual(source.length);
      }),
      runs(100),
    );
  });

  it('means the same as the plain description of the dialect', () => {
    fc.assert(
      fc.property(texts, (source) => {
        expect(markdownToHtml(source)).toBe(referenceHtml(source));
      }),
      runs(300),
    );
  });

  /** Processor time: on a busy machine a long run waits more often than a short one. */
  function timeOf(source: string): number {
    const started = process.cpuUsage();
    markdownToHtml(source);
    const { user, system } = process.cpuUsage(started);
    return Math.max(user + system, 1);
  }

  /** How much longer the long text takes, at its shortest: collecting garbage can only lengthen a run. */
  function growth(short: string, long: string): number {
    const times = { short: Infinity, long: Infinity };
    for (let round = 0; round < 4; round += 1) {
      times.short = Math.min(times.short, timeOf(short));
      times.long = Math.min(times.long, timeOf(long));
    }
    return times.long / times.short;
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
    ['\\', ']'],
    ['~~++__**', ''],
    ['*_~~', '~~_*'],
    ['&', ''],
  ])('of %j … %j takes time in proportion to its length', (left, right) => {
    const source = (length: number) =>
      left.repeat(length / left.length) + (right === '' ? '' : right.repeat(length / right.length));
    // Sixteen times the text: about 16 if linear, 256 if quadratic.
    expect(growth(source(6_000), source(96_000))).toBeLessThan(64);
  });
});
