import { languages } from '../../../src/base/contract/common';
import { limits } from '../../../src/base/contract/limits';
import { botTexts, type BotTexts } from '../../../src/domains/bots/texts';
import { withCode } from '../../../src/domains/bots/with-code';

function everyText(texts: BotTexts): string[] {
  return Object.entries(texts).map(([name, text]: [string, unknown]) => {
    if (typeof text === 'string') return text;
    const say = text as (...given: unknown[]) => string;
    if (name === 'loginQuestion') {
      return say({ project: 'Acme', matchCode: '42', device: 'Firefox', address: '203.0.113.7' });
    }
    if (name === 'approvalQuestion' || /^request[A-Z]/.test(name)) {
      return say({
        project: 'Acme',
        message: 'Ok?',
        matchCode: '42',
        device: 'Firefox',
        address: '203.0.113.7',
      });
    }
    if (/^(ticket|answers)/.test(name)) {
      return say({
        project: 'Acme',
        number: 42,
        about: 'Ok?',
        score: 5,
        type: 'Acme',
        form: 'Acme',
        count: 12,
      });
    }
    if (/^join(Question|ed)$/.test(name)) return say('Acme', 'admin');
    if (/^endpoint/.test(name)) return say('Acme', 'https://acme.example/hook', 'gone');
    if (name === 'oneTimeCode') return say({ project: 'Acme', code: '123456', minutes: 5 });
    return say(name === 'unsubscribed' ? ['Acme', 'Beta'] : 'Acme');
  });
}

describe('what the bots say', () => {
  it('does not promise that /stop ends all messages: a shared bot asks which project to stop', () => {
    const hints = languages.flatMap((language) => [
      botTexts[language].help,
      botTexts[language].notUnderstood,
    ]);
    expect(hints.filter((text) => !text.includes('/stop') || /\ball\b|все/i.test(text))).toEqual([]);
  });

  it('exists in Russian and English, each thing in its own words', () => {
    const [ru, en] = [everyText(botTexts.ru), everyText(botTexts.en)];
    expect(Object.keys(botTexts.ru)).toEqual(Object.keys(botTexts.en));
    expect(ru.every((text) => /[а-яё]/i.test(text))).toBe(true);
    expect(en.some((text) => /[а-яё]/i.test(text))).toBe(false);
    for (const text of [...ru, ...en]) {
      expect(text).not.toMatch(/undefined|null|\n{3}/);
      expect(text.trim()).toBe(text);
      expect(text.length).toBeLessThan(limits.messageTextLength);
    }
  });

  it('has the code first in a one-time code, and makes it stand out without letting a name become markup', () => {
    for (const language of languages) {
      const text = botTexts[language].oneTimeCode({ project: '<b>Acme</b>', code: '123456', minutes: 5 });
      expect(text).toMatch(/^123456\n/);
      expect(withCode(text, '123456')).toEqual({
        text: expect.stringMatching(/^<b><code>123456<\/code><\/b>\n[^]*&lt;b&gt;Acme&lt;\/b&gt;/),
        format: 'html',
      });
    }
    expect(withCode('No code here: 42 < 43', '42')).toEqual({ text: 'No code here: 42 < 43' });
    expect(withCode('plain', null)).toEqual({ text: 'plain' });
  });

  it('has buttons that say exactly Yes and No', () => {
    expect([botTexts.en.yes, botTexts.en.no]).toEqual(['Yes', 'No']);
    expect([botTexts.ru.yes, botTexts.ru.no]).toEqual(['Да', 'Нет']);
    expect([botTexts.en.returnToSite, botTexts.ru.returnToSite]).toEqual([
      'Return to the site',
      'Вернуться на сайт',
    ]);
  });

  it('keeps notices within what a tap can show', () => {
    for (const lang of languages) {
      const { alreadyAnswered, notYourQuestion, sessionEnded, questionReplaced } = botTexts[lang];
      for (const notice of [alreadyAnswered, notYourQuestion, sessionEnded, questionReplaced]) {
        expect(notice.length).toBeLessThanOrEqual(200);
      }
    }
  });

  it('shows code, device and address where they are known and no empty line where not', () => {
    const full = botTexts.en.loginQuestion({
      project: 'Acme',
      matchCode: '42',
      device: 'Mozilla/5.0 (X11)',
      address: '2001:db8::1',
    });
    expect(full).toContain('Log in to Acme?');
    expect(full).toContain('Code on the screen:\n42\n\nDevice: Linux · 2001:db8::1');
    const bare = botTexts.en.loginQuestion({ project: 'Acme', matchCode: null, device: null });
    expect(bare).not.toMatch(/code|device|address/i);
    expect(botTexts.ru.loginQuestion({ project: 'Acme', address: '203.0.113.7' })).toContain(
      'Войти в «Acme»?\n\nIP-адрес: 203.0.113.7\n\n',
    );
  });

  it('shows names as they are, emoji, markup characters and right-to-left text included', () => {
    for (const name of ['<b>Bold & Co</b>', '👩‍👩‍👧 Семья', 'متجر الكتب', '_under_*star*']) {
      expect(botTexts.en.confirmed(name)).toContain(name);
      expect(botTexts.ru.loginQuestion({ project: name })).toContain(`«${name}»`);
    }
  });

  it('does not let a device line forge other lines of the question', () => {
    const device = 'Firefox\nIP address: 198.51.100.1\r\n\u2028Code on the screen: 99\u202Eevil';
    const question = botTexts.en.loginQuestion({ project: 'Acme', matchCode: '42', device });
    expect(question.match(/^IP address:/gm)).toBeNull();
    expect(question.match(/^Code on the screen:/gm)).toHaveLength(1);
    expect(question.match(/^(?:42|99)$/gm)).toEqual(['42']);
    expect(question).not.toMatch(/[\u202a-\u202e\u2028]/);
  });

  it('names a browser in short and keeps a made-up one from passing for an address', () => {
    const address = '203.0.113.7';
    const chrome =
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';
    const ask = (device: string, lang: 'en' | 'ru' = 'en') =>
      botTexts[lang].loginQuestion({ project: 'Acme', matchCode: '42', device, address });
    expect(ask(chrome).split('\n')).toEqual(
      expect.arrayContaining(['42', 'Device: Chrome on Linux · 203.0.113.7']),
    );
    expect(ask(chrome, 'ru')).toContain('Устройство: Chrome на Linux · 203.0.113.7');
    expect(ask('Chrome on macOS · 198.51.100.1')).toContain(
      'Device: Chrome on macOS 198.51.100.1 · 203.0.113.7',
    );
    expect(ask('<b>My & phone</b>')).toContain('Device: <b>My & phone</b> · 203.0.113.7');
  });

  it('says before Yes that it subscribes and how to stop, and fits on one screen', () => {
    const question = { project: 'Acme', matchCode: '42', device: 'x'.repeat(512), address: '2001:db8::1' };
    const en = botTexts.en.loginQuestion(question);
    expect(en).toContain('Tapping Yes also subscribes you to messages from Acme. To stop them, send /stop.');
    const ru = botTexts.ru.loginQuestion(question);
    expect(ru).toContain('подпишетесь на сообщения от «Acme». Отписаться: /stop.');
    for (const text of [en, ru]) expect(text.length).toBeLessThan(400);
  });

  it('cuts what is too long without breaking a character', () => {
    const question = botTexts.en.loginQuestion({ project: 'Acme', device: '🦊'.repeat(5000) });
    expect(question.length).toBeLessThan(limits.messageTextLength);
    expect(question).not.toContain('\ufffd');
    expect(Buffer.from(question).toString()).toBe(question);
  });
});
