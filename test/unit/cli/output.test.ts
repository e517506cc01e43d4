import { fitted, print, table } from '../../../src/process/cli/output';
import { hasColor } from '../../../src/process/cli/style';

const head = ['delivery', 'event', 'status'];
const rows = [
  ['0b8f2a6e-1111-4222-8333-444455556666', 'auth.completed', 'failed'],
  ['0b8f2a6e-1111-4222-8333-444455556667', 'subscription.created', 'succeeded'],
];
const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length));

describe('JSON of the CLI', () => {
  it('has times with an offset, at any depth', () => {
    const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    const at = new Date('2026-01-31T12:00:00Z');
    print({ at, none: null, rows: [{ at }] }, true, () => '');
    const printed = write.mock.calls.flat().join('');
    write.mockRestore();
    const time = '2026-01-31T12:00:00.000+00:00';
    expect(JSON.parse(printed)).toEqual({ at: time, none: null, rows: [{ at: time }] });
  });
});

describe('tables of the CLI', () => {
  it('can have one line for each row: long columns are cut, an id is not', () => {
    const listed = [
      [
        '01-15 10:30',
        'subscription.permission_changed',
        '/webhooks/orders/v2',
        'succeeded',
        '200',
        rows[0]?.[0],
      ],
      ['01-15 10:29', 'auth.completed', '/webhooks/orders/v3', 'failed', 'timeout', rows[1]?.[0]],
    ];
    const titles = ['created', 'event', 'endpoint', 'status', 'result', 'delivery'];
    const fit = { width: 100, shrinks: ['endpoint', 'event', 'result'], color: false };
    const lines = fitted(titles, listed, fit).split('\n');
    expect(lines).toHaveLength(3);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(lines[1]).toMatch(
      /subscri…changed.*rs\/v2 +succeeded +200 +0b8f2a6e-1111-4222-8333-444455556666$/,
    );
    expect(lines[2]).toMatch(/auth\.completed.*rs\/v3 +failed +timeout /);
  });

  it.each([60, 80, 120, 200])('fit a terminal of %d columns and cut no value', (width) => {
    const text = table(head, rows, { width, color: false });
    expect(widest(text)).toBeLessThanOrEqual(width);
    for (const value of rows.flat()) expect(text).toContain(value);
    expect(text.includes('│')).toBe(width >= 80);
  });

  it.each([
    ['wide characters, which take two columns', '名'.repeat(20), 46, false],
    ['combined characters, which take one', 'e\u0301'.repeat(20), 46, true],
  ])('measure %s', (_, name, width, isTable) => {
    const text = table(['project', 'status'], [[name, 'active']], { width, color: false });
    expect(text.includes('│')).toBe(isTable);
    expect(text).toContain(name);
  });

  it('are tables in a file or a pipe, whatever their width', () => {
    expect(table(head, rows, { width: null, color: false })).toContain('│');
  });

  it('show states in colour, and none without a terminal or with NO_COLOR', () => {
    const text = table(head, rows, { width: 200, color: true });
    expect(text).toContain('\x1b[31mfailed\x1b[0m');
    expect(text).toContain('\x1b[32msucceeded\x1b[0m');
    expect(table(head, rows, { width: 60, color: false })).not.toContain('\x1b');
    expect(hasColor({ isTTY: true }, {})).toBe(true);
    expect(hasColor({ isTTY: true }, { NO_COLOR: '1' })).toBe(false);
    expect(hasColor({ isTTY: true }, { NO_COLOR: '' })).toBe(true);
    expect(hasColor({ isTTY: true }, { TERM: 'dumb' })).toBe(false);
    expect(hasColor({}, {})).toBe(false);
  });
});
