import fc from 'fast-check';
import { markdownToTelegramHtml } from '../../../src/bots/telegram/markdown';
import { parseTelegramText } from '../../../src/embedded/simulator/markup';

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

  it('is accepted by Telegram whatever a project writes', () => {
    const pieces = fc.constantFrom(
      '*',
      '**',
      '_',
      '__',
      '~~',
      '`',
      '```',
      '[',
      '](https://x.y)',
      '\\',
      '<',
      '&',
      ' ',
      'a',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
        parseTelegramText(markdownToTelegramHtml(parts.join('')), 'HTML');
      }),
      { numRuns: 2000 },
    );
  });

  it('takes the longest message of nothing but marks in good time', () => {
    const started = performance.now();
    for (const source of [
      '*_'.repeat(2000),
      '*_'.repeat(1000) + 'x' + '_*'.repeat(1000),
      '['.repeat(4000),
      '`'.repeat(4000),
    ]) {
      markdownToTelegramHtml(source);
    }
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
