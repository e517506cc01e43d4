import { resolveAndVet, vetUrl } from '../../../src/base/outbound/addresses';
import { forbiddenRange } from '../../../src/base/outbound/forbidden-ranges';
import { createAttempter } from '../../../src/domains/webhooks/attempt';
import { systemLookup } from '../../../src/base/outbound/lookup';

/** Every spelling by which a customer may try to make the service talk to its own surroundings. */
const forbiddenHosts = {
  loopback: [
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '127.0.1',
    '127.255.255.254',
    '2130706433',
    '017700000001',
    '0177.0.0.1',
    '0x7f000001',
    '0x7f.0.0.1',
    '0x7f.1',
    '0X7F.0x0.0.0x01',
    '127.0.0.0x1',
    '%31%32%37.0.0.1',
    '１２７.０.０.１',
    '127。0。0。1',
    '①②⑦.⓪.⓪.①',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[0000:0000:0000:0000:0000:0000:0000:0001]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
    'localhost',
    'localhost.',
    'LOCALHOST',
    'LocalHost.',
    'api.localhost',
    'api.localhost.',
    'ｌｏｃａｌｈｏｓｔ',
  ],
  elsewhere: [
    '0.0.0.0',
    '0',
    '0.1.2.3',
    '10.0.0.1',
    '167772161',
    '012.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '0xc0a80001',
    '3232235521',
    '169.254.0.1',
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '169.254.43518',
    '100.64.0.1',
    '100.100.100.200',
    '100.127.255.255',
    '192.0.0.192',
    '192.0.2.1',
    '192.88.99.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.7',
    '203.0.113.9',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    '4294967295',
    '168.63.129.16',
    '[::]',
    '[::ffff:10.0.0.1]',
    '[::ffff:a9fe:a9fe]',
    '[::ffff:0:7f00:1]',
    '[::127.0.0.1]',
    '[::7f00:1]',
    '[::a00:1]',
    '[::8.8.8.8]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::a00:1]',
    '[64:ff9b::8.8.8.8]',
    '[64:ff9b:1::a9fe:a9fe]',
    '[2002:7f00:1::]',
    '[2002:a00:1::1]',
    '[2002:c0a8:1::1]',
    '[2001:0:4136:e378:8000:63bf:80ff:fffe]',
    '[2606:4700::5efe:10.0.0.1]',
    '[2606:4700::200:5efe:127.0.0.1]',
    '[fe80::1]',
    '[febf::1]',
    '[fec0::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[fdff:ffff::1]',
    '[ff02::1]',
    '[ff0e::1]',
    '[100::1]',
    '[2001:db8::1]',
    '[2001:2::1]',
    '[2001:10::1]',
    '[2001:20::1]',
    '[3fff::1]',
    '[5f00::1]',
    '[4000::1]',
    '[e000::1]',
    'printer.local',
    'printer.local.',
    'db.internal',
    'metadata.google.internal',
    'METADATA.GOOGLE.INTERNAL.',
    'metadata.goog',
    'metadata',
    'instance-data',
    'instance-data.ec2.internal',
    'kubernetes.default.svc.cluster.local',
    'router.lan',
    'nas.home.arpa',
    'host.localdomain',
  ],
};

const publicHosts = [
  'example.com',
  'example.com.',
  'hooks.example.com:8443',
  'пример.рф',
  'localhost.example.com',
  'notlocalhost',
  'internal.example.com',
  '8.8.8.8',
  '134744072',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '198.17.255.255',
  '[2606:4700:4700::1111]',
  '[2a00:1450:4001:80b::200e]',
  '[::ffff:8.8.8.8]',
];

const nobody = { allowLocal: false };
const development = { allowLocal: true };
const verdict = (host: string, policy = nobody, scheme = 'https') =>
  vetUrl(`${scheme}://${host}/hook`, policy).ok;

describe('saving a URL', () => {
  it.each([...forbiddenHosts.loopback, ...forbiddenHosts.elsewhere])('refuses %s', (host) => {
    expect(verdict(host)).toBe(false);
    expect(verdict(host, nobody, 'http')).toBe(false);
  });

  it.each(forbiddenHosts.elsewhere)('refuses %s in development as well', (host) => {
    expect(verdict(host, development)).toBe(false);
    expect(verdict(host, development, 'http')).toBe(false);
  });

  it.each(forbiddenHosts.loopback)('accepts %s in development, with http and https', (host) => {
    expect(verdict(host, development)).toBe(true);
    expect(verdict(host, development, 'http')).toBe(true);
  });

  it.each(publicHosts)('accepts https://%s, and never http', (host) => {
    expect(verdict(host)).toBe(true);
    expect(verdict(host, development)).toBe(true);
    expect(verdict(host, nobody, 'http')).toBe(false);
    expect(verdict(host, development, 'http')).toBe(false);
  });

  it.each([
    '',
    'hook',
    '/hook',
    '//example.com/hook',
    'https:',
    'https://',
    'https:///example.com',
    'https:example.com',
    'https:/example.com',
    'https://?x',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'wss://example.com/',
    'https://user@example.com/',
    'https://user:word@example.com/',
    'https://@example.com/',
    'https://:@example.com/',
    'https://example.com/#part',
    'https://example.com/#',
    'https://example.com\\@10.0.0.1/',
    'https:\\\\example.com/',
    ' https://example.com/',
    'https://example.com/ ',
    'https://exam\tple.com/',
    'https://example.com/a\nb',
    'https://example.com/a\u0000b',
    'https://example.com:99999/',
    'https://exa%20mple.com/',
    'https://a..example.com/',
    'https://example.com../',
    'https://.example.com/',
    'https://256.256.256.256/',
    'https://1.2.3.4.5/',
    'https://[::1/',
    'https://[fe80::1%25eth0]/',
    `https://example.com/${'a'.repeat(2_048)}`,
  ])('refuses %j whatever the setting', (url) => {
    expect(vetUrl(url, nobody).ok).toBe(false);
    expect(vetUrl(url, development).ok).toBe(false);
  });

  it('accepts a long path, a query and non-ASCII letters, up to 2,048 characters', () => {
    const start = 'https://example.com/хук?to=a%20b&';
    expect(vetUrl(start + 'a'.repeat(2_048 - start.length), nobody).ok).toBe(true);
    expect(vetUrl(start + 'a'.repeat(2_049 - start.length), nobody).ok).toBe(false);
  });

  it('says why', () => {
    expect(vetUrl('http://example.com/', nobody)).toEqual({ ok: false, why: 'must use https' });
    expect(vetUrl('https://0x7f.1/', nobody)).toEqual({
      ok: false,
      why: 'points to a private network (loopback)',
    });
  });
});

describe('asking DNS when a URL is saved', () => {
  const answering = (...addresses: string[]) =>
    resolveAndVet('hooks.example.com', nobody, async () => addresses);

  it('a name with public addresses is accepted', async () => {
    await expect(answering('8.8.8.8', '2606:4700:4700::1111')).resolves.toEqual({ ok: true });
  });

  it('a name with one public and one private address is refused', async () => {
    await expect(answering('8.8.8.8', '10.0.0.1')).resolves.toMatchObject({ ok: false });
    await expect(answering('2606:4700:4700::1111', '::ffff:10.0.0.1')).resolves.toMatchObject({ ok: false });
  });

  it('a name that does not resolve is accepted: the dial decides', async () => {
    const missing = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    await expect(resolveAndVet('later.example.com', nobody, missing)).resolves.toEqual({ ok: true });
    await expect(resolveAndVet('no-such-host.invalid', nobody)).resolves.toEqual({ ok: true });
  });

  it('a name of this machine is refused, in development accepted', async () => {
    const name = 'me.example.com';
    await expect(resolveAndVet(name, nobody, async () => ['127.0.0.1', '::1'])).resolves.toMatchObject({
      ok: false,
    });
    await expect(resolveAndVet(name, development, async () => ['127.0.0.1', '::1'])).resolves.toEqual({
      ok: true,
    });
    await expect(resolveAndVet('localhost', nobody)).resolves.toMatchObject({ ok: false });
    await expect(resolveAndVet('localhost', development)).resolves.toEqual({ ok: true });
  });

  it('an IP literal, bracketed or not, needs no DNS', async () => {
    const unasked = () => Promise.reject(new Error('DNS was asked'));
    await expect(resolveAndVet('[::1]', nobody, unasked)).resolves.toMatchObject({ ok: false });
    await expect(resolveAndVet('10.0.0.1', nobody, unasked)).resolves.toMatchObject({ ok: false });
    await expect(resolveAndVet('8.8.8.8', nobody, unasked)).resolves.toEqual({ ok: true });
  });

  it('localhost never goes to DNS', async () => {
    await expect(systemLookup('localhost')).resolves.toEqual(['127.0.0.1', '::1']);
    await expect(systemLookup('app.localhost')).resolves.toEqual(['127.0.0.1', '::1']);
    await expect(systemLookup('no-such-host.invalid')).rejects.toThrow();
  });
});

describe('dialling', () => {
  const dial = async (host: string, policy: { allowLocal: boolean }, addresses: string[] = ['8.8.8.8']) => {
    const attempter = createAttempter({ ...policy, lookup: async () => addresses, timeoutMs: 2_000 });
    try {
      return await attempter.attempt({
        projectId: '00000000-0000-4000-8000-000000000001',
        url: `https://${host}/hook`,
        deliveryId: '00000000-0000-4000-8000-000000000000',
        event: 'otp.sent',
        body: '{}',
        secrets: ['whsec_test'],
      });
    } finally {
      await attempter.close();
    }
  };

  it.each([...forbiddenHosts.loopback, ...forbiddenHosts.elsewhere])('%s is not dialled', async (host) => {
    await expect(dial(host, nobody)).resolves.toMatchObject({ status: null, error: 'forbidden_address' });
  });

  it.each(forbiddenHosts.elsewhere)('%s is not dialled in development either', async (host) => {
    await expect(dial(host, development)).resolves.toMatchObject({ error: 'forbidden_address' });
  });

  const literals = [...forbiddenHosts.loopback, ...forbiddenHosts.elsewhere]
    .map((host) => new URL(`https://${host}/`).hostname.replace(/^\[(.*)\]$/, '$1'))
    .filter((host) => /^[\d.]+$|:/.test(host));

  it.each([...new Set(literals)])('a name that resolves to %s is not dialled', async (address) => {
    expect(forbiddenRange(address, nobody)).not.toBeNull();
    const result = await dial('hooks.example.com', nobody, ['8.8.8.8', address]);
    expect(result).toMatchObject({ status: null, error: 'forbidden_address' });
  });

  it('a refusal names the range and not the address, which would tell about the network of the service', async () => {
    for (const address of ['169.254.169.254', '10.20.30.40', 'fd00::1234', '127.0.0.9']) {
      const answers = async () => [address];
      const saved = await resolveAndVet('hooks.example.com', nobody, answers);
      expect(saved).toEqual({
        ok: false,
        why: expect.stringMatching(/^points to a private network \([a-z-]+\)$/),
      });
      const { errorDetail } = await dial('hooks.example.com', nobody, [address]);
      expect(errorDetail).toMatch(/^the URL points to a private network \([a-z-]+\)$/);
    }
  });

  it('an answer that is no address at all is forbidden', () => {
    for (const nonsense of ['', 'example.com', '127.1', '2130706433', 'fe80::1%lo', '1.2.3.4/8']) {
      expect(forbiddenRange(nonsense, development)).not.toBeNull();
    }
  });
});
