import fc from 'fast-check';
import { markdownToHtml } from '../../../src/domains/bots';
import { contentSchema } from '../../../src/base/contract/content';
import { AppError } from '../../../src/base/contract/errors';
import type { TemplateSource } from '../../../src/domains/templates/contract';
import { compileTemplate, faultOf, type ValueOf } from '../../../src/domains/templates/template';
import { missingNames } from '../../../src/domains/templates/values';
import { runs } from '../../support/fuzz';

type Format = TemplateSource['format'];

function sourceOf(text: string, format: Format = 'plain', more: object = {}): TemplateSource {
  return { format, default_lang: 'en', variants: { en: { text, buttons: [], ...more } } };
}

const values =
  (given: Record<string, string | null>): ValueOf =>
  (name) =>
    given[name];

const render = (text: string, given: Record<string, string | null>, format: Format = 'plain') =>
  compileTemplate(sourceOf(text, format)).render('en', values(given)).text;

const tagsOf = (html: string) => html.match(/<[^>]*>/g) ?? [];
const shownText = (html: string) =>
  html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

const value = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom(
    '{{first_name}}',
    '{{a|b}}',
    '**x**',
    '`x`',
    '](https://evil.example)',
    '[x](https://evil.example)',
    '<b>x</b>',
    '" onclick="',
    '\\',
    '***',
    '_x_',
    '~~x~~',
    '++x++',
    '#',
    '```',
    '&lt;',
  ),
);

describe('a placeholder', () => {
  it('can stand in a text a hundred times, and no more', () => {
    expect(render('{{a}}'.repeat(100), { a: 'x' })).toBe('x'.repeat(100));
    expect(() => render('{{a}}'.repeat(101), { a: 'x' })).toThrow(
      'variants.en.text: can have up to 100 placeholders',
    );
  });

  it('shows its value, else its fallback, else nothing', () => {
    const text = 'Hi {{name|friend}}{{mark}}, {{name}}';
    expect(render(text, { name: 'Ann', mark: '!' })).toBe('Hi Ann!, Ann');
    expect(render(text, { name: '', mark: null })).toBe('Hi friend, ');
    expect(render('{{a|}}.', { a: null })).toBe('.');
    expect(render('{{a|x|y}}', { a: null })).toBe('x|y');
  });

  it.each([
    '{{',
    '{{}}',
    '{{ name }}',
    '{{Name}}',
    '{{1a}}',
    '{{a.b}}',
    '{{#if a}}',
    '{{{a}}}',
    '{{a|{{b}}}}',
    '{{a}} {{b',
    `{{${'a'.repeat(65)}}}`,
    '{{ticket.id}}',
    '{{properties.}}',
    '{{constructor()}}',
  ])('that is malformed is refused, with its field: %s', (text) => {
    expect(() => compileTemplate(sourceOf(text))).toThrow(AppError);
    expect(() => compileTemplate(sourceOf(text))).toThrow(/^variants\.en\.text: has /);
  });

  it.each([
    ['html', '<a href="{{link}}">x</a>'],
    ['html', '<a href="https://{{host}}/">x</a>'],
    ['html', '<a href="https://shop.example&#46;{{host}}/">x</a>'],
    ['html', "<a href='https://shop.example/{{id}}'>x</a>"],
    ['html', '<{{tag}}>x'],
    ['html', '<a href="{{link}} <b">x</a>'],
    ['html', '<a href="{{link}}'],
    ['html', '<{{tag}} <b>x</b>'],
    ['markdown', '[x](https://{{host}}/)'],
    ['markdown', '[x]({{link}})'],
    ['markdown', '[x]({{link}}'],
    ['markdown', '[x]( {{link}} )'],
    ['markdown', '[x](http{{link}})'],
    ['markdown', '[x](https://shop.example{{link}})'],
    ['markdown', '[x](mailto:{{link}})'],
    ['markdown', '[x](https://shop.example/{{path}} y)'],
    ['markdown', '[x](https://shop.example/{{path}}'],
    ['markdown', '[x `](https://shop.example/{{path}} `y)'],
    ['markdown', '[x]{{empty}}({{link}})'],
    ['markdown', '`[x]({{link}})`'],
    ['markdown', 'a \\{{name}}'],
  ] as const)('is refused where it could choose the structure of %s: %s', (format, text) => {
    expect(() => compileTemplate(sourceOf(text, format))).toThrow(/^variants\.en\.text: (has|must)/);
  });

  it('in a URL is percent-encoded, and scheme and host are literal', () => {
    const withUrl = (url: string) =>
      sourceOf('x', 'plain', { buttons: [[{ text: '{{a}}', url }]], media: { type: 'photo', url } });
    const template = compileTemplate(withUrl('https://shop.example/{{a}}?q={{a}}'));
    const { buttons, media } = template.render('en', values({ a: "b/c d&e=(f)'" }));
    const url = 'https://shop.example/b%2Fc%20d%26e%3D%28f%29%27?q=b%2Fc%20d%26e%3D%28f%29%27';
    expect([buttons[0]?.[0], media?.url]).toEqual([{ text: "b/c d&e=(f)'", url }, url]);
    for (const bad of [
      '{{a}}',
      'https://{{a}}',
      'https://{{a}}.example/',
      'https://shop.example{{a}}',
      'https://\\/{{a}}',
    ]) {
      expect(() => compileTemplate(withUrl(bad))).toThrow(/^variants\.en\.buttons\[0\]\[0\]\.url: must/);
    }
  });
});

describe('a template', () => {
  it('names each placeholder once, in every variant and every field', () => {
    const { names } = compileTemplate({
      format: 'plain',
      default_lang: 'en',
      variants: {
        en: { text: '{{a}} {{b}} {{a}}', buttons: [[{ text: '{{c}}', data: '{{d}}' }]] },
        ru: {
          text: '{{properties.city}}',
          buttons: [],
          media: { type: 'photo', url: 'https://shop.example/{{e}}' },
        },
      },
    });
    expect(names).toEqual(['a', 'b', 'c', 'd', 'properties.city', 'e']);
    expect(missingNames({ names: [...names, 'event.x', 'agent', 'first_name'] }, { a: 1, e: '' })).toEqual([
      'b',
      'c',
      'd',
      'event.x',
      'agent',
    ]);
  });

  it('takes the variant of the language, else the default one', () => {
    const both = compileTemplate({
      format: 'plain',
      default_lang: 'ru',
      variants: { en: { text: 'Hi', buttons: [] }, ru: { text: 'Привет', buttons: [] } },
    });
    expect([both.langFor('en'), both.langFor(null)]).toEqual(['en', 'ru']);
    expect(compileTemplate(sourceOf('Hi')).render('ru', values({})).text).toBe('Hi');
  });

  it('is rendered no further than its length can be judged, and is then too long', () => {
    const many = compileTemplate(
      sourceOf('{{x}}'.repeat(100), 'html', { buttons: [[{ text: '{{x}}{{x}}', data: '{{x}}' }]] }),
    );
    for (const x of ['&'.repeat(900), '👋'.repeat(450), `a${'👋'.repeat(450)}`]) {
      const content = many.render('en', values({ x }));
      expect(content.text.length).toBeLessThanOrEqual(8001);
      expect(content.buttons[0]?.[0]?.text.length).toBeLessThanOrEqual(129);
      expect(faultOf(content)).toBe('The text is too long.');
      expect(faultOf({ ...content, text: 'x' })).toBe('The text of a button is too long.');
      expect(() => encodeURIComponent(JSON.stringify(content))).not.toThrow();
      expect(JSON.stringify(content)).not.toMatch(/\\ud[89ab]/);
    }
  });

  it.each(['👋'.repeat(32), '👋'.repeat(33), 'x'.repeat(64), 'x'.repeat(65), '   ', ''])(
    'has a fault exactly if its button would be refused in a request: %j',
    (text) => {
      const content = { text: 'x', format: 'plain' as const, buttons: [[{ text, data: '👋'.repeat(128) }]] };
      expect(faultOf(content) === null).toBe(contentSchema.safeParse(content).success);
    },
  );

  it('that turns out empty or too long has a fault', () => {
    const content = { text: 'x', format: 'plain' as const, buttons: [] };
    expect(faultOf(content)).toBeNull();
    expect(faultOf({ ...content, text: ' \n' })).toMatch(/empty/);
    expect(faultOf({ ...content, text: 'x'.repeat(4001) })).toMatch(/too long/);
    expect(faultOf({ ...content, buttons: [[{ text: '', data: 'x' }]] })).toMatch(/button/);
    expect(faultOf({ ...content, buttons: [[{ text: 'x', data: 'x'.repeat(257) }]] })).toMatch(/button/);
  });
});

describe('a value', () => {
  it('is never parsed again, whatever it contains', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(render('<{{a}}|{{b}}>', { a, b })).toBe(`<${a}|${b}>`);
      }),
      runs(100),
    );
  });

  it('cannot break out of HTML', () => {
    const text = '<b>{{a}}</b> & <a href="https://shop.example/?q={{a}}">{{a}}</a>';
    const own = tagsOf(render(text, { a: 'x' }, 'html')).length;
    fc.assert(
      fc.property(value, (a) => {
        const html = render(text, { a }, 'html');
        expect(tagsOf(html)).toHaveLength(own);
        expect(html.match(/href="([^"]*)"/)?.[1]).toBe(
          `https://shop.example/?q=${encodeURIComponent(a).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)}`,
        );
        expect(shownText(html)).toBe(`${a} & ${a}`);
      }),
      runs(100),
    );
  });

  it.each([
    'Hi {{a}}!',
    '**{{a}}** and *{{a}}*',
    '[{{a}}](https://shop.example/{{a}}) {{a}}',
    'code `{{a}}` {{a}}',
    '**open `{{a}}`',
    '[open `{{a}}`',
    '```\n{{a}}\n``` {{a}}',
    '_{{a}}_ __{{a}}__ ~~{{a}}~~ ++{{a}}++',
    'x_{{a}}_y *{{a}} `{{a}}',
    '[{{a}}({{a}})',
    '[{{a}}(https://shop.example/)',
    '{{a}}[{{a}}]{{a}}',
  ])('adds no markup to Markdown: %s', (text) => {
    const own = tagsOf(markdownToHtml(render(text, { a: 'x' }, 'markdown')));
    const allowed = new Set(own.map((tag) => tag.replace(/^<a .*/, '<a')));
    fc.assert(
      fc.property(value, (a) => {
        const tags = tagsOf(markdownToHtml(render(text, { a }, 'markdown')));
        expect(tags.length).toBeLessThanOrEqual(own.length);
        for (const tag of tags) {
          expect(allowed).toContain(tag.replace(/^<a .*/, '<a'));
          if (tag.startsWith('<a ')) expect(tag).toMatch(/^<a href="https:\/\/shop\.example\/[^"]*">$/);
        }
      }),
      runs(50),
    );
  });

  /** Markdown in which a link may or may not be whole; `{{a}}` is a placeholder. */
  const markdown = fc
    .array(
      fc.constantFrom(
        ...['[', ']', '](', '(', ')', ' ', '\n', 'x', '`', '{{a}}', '{{b}}', '{{c}}'],
        ...['[x](', '](https://shop.example/', '](https://shop.example/{{a}})', 'https:', '//', '{{a}}('],
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(''));
  const linkPart = fc.constantFrom(
    ...['', ' ', 'x', ']', '(', ')', 'x]', '](https://evil.example/)', '(https://evil.example/)'],
    ...[
      'https://evil.example/',
      's://evil.example/',
      '//evil.example/',
      '[x](https://evil.example/)',
      '`',
      '\\',
    ],
  );

  it('never chooses where a Markdown link leads', () => {
    fc.assert(
      fc.property(markdown, linkPart, linkPart, linkPart, (text, a, b, c) => {
        let template;
        try {
          template = compileTemplate(sourceOf(text, 'markdown'));
        } catch (error) {
          // The placeholder stands where a value could choose.
          expect(error).toBeInstanceOf(AppError);
          return;
        }
        const html = markdownToHtml(template.render('en', values({ a, b, c })).text);
        expect(html).not.toMatch(/href="[^"/]*\/*[^"/]*evil/);
      }),
      runs(500),
    );
  });

  it.each([
    ['`{{a}}` `[x]{{b}}`', { a: '', b: '(https://evil.example)' }],
    ['~~*[````]{{a}}`', { a: '(https://evil.example)' }],
  ])('makes no link of code that it changes: %s', (text, given) => {
    expect(markdownToHtml(render(text, given, 'markdown'))).not.toContain('href');
  });

  it('is shown as it is in Markdown text', () => {
    fc.assert(
      fc.property(value, (a) => {
        expect(shownText(markdownToHtml(render('Hi {{a}}!', { a }, 'markdown')))).toBe(`Hi ${a}!`);
      }),
      runs(100),
    );
  });

  it('makes the result longer in proportion to its own length, at most', () => {
    fc.assert(
      fc.property(
        value,
        fc.nat({ max: 50 }),
        fc.constantFrom<Format>('plain', 'markdown', 'html'),
        (a, n, format) => {
          const text = `x${'{{a}}'.repeat(n)}`;
          expect(render(text, { a }, format).length).toBeLessThanOrEqual(1 + n * a.length * 6);
        },
      ),
      runs(100),
    );
  });
});
