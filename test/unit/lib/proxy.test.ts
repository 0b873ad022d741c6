import { describe, expect, test } from '@jest/globals';
import { proxyFor, proxySettings } from '#lib/net/proxy.js';

const PROXY = 'http://proxy:3128';

describe('the environment says which proxy to use', () => {
  test.each([
    ['each scheme has its own', { HTTP_PROXY: 'http://a', HTTPS_PROXY: 'https://b' }, ['http://a', 'https://b']],
    ['lower case will do', { http_proxy: 'http://a', https_proxy: 'http://b' }, ['http://a', 'http://b']],
    ['upper case wins', { HTTPS_PROXY: 'http://a', https_proxy: 'http://b' }, [undefined, 'http://a']],
    ['empty is none', { HTTP_PROXY: '', HTTPS_PROXY: '' }, [undefined, undefined]],
    ['without a scheme it means http', { HTTP_PROXY: 'proxy:3128' }, ['http://proxy:3128', undefined]],
    ['credentials and SOCKS are fine', { HTTPS_PROXY: 'socks5://u:p@h:1' }, [undefined, 'socks5://u:p@h:1']],
  ])('%s', (_title, env, [http, https]) => expect(proxySettings(env)).toMatchObject({ http, https }));

  test.each(['ftp://user:secret@h', 'http://:3128', ' ::'])('%j is none, and is not shown', (value) => {
    const settings = (): unknown => proxySettings({ HTTPS_PROXY: value });
    expect(settings).toThrow(/^HTTPS_PROXY is not the URL of a proxy/);
    expect(settings).not.toThrow(value);
  });
});

describe('a request goes through the proxy of its scheme', () => {
  test.each([
    ['http://host/', 'http://a'],
    ['https://host/', 'http://b'],
    ['ssh://git@host/', undefined],
  ])('%s', (address, expected) => {
    expect(proxyFor(address, { http: 'http://a', https: 'http://b' })).toBe(expected);
  });
  test('https never falls back to the proxy of http', () => {
    expect(proxyFor('https://host/', { http: 'http://a' })).toBeUndefined();
  });
});

describe('hosts that are reached directly, as Go reads NO_PROXY', () => {
  test.each([
    ['', 'https://example.com/', false],
    ['*', 'https://example.com/', true],
    ['example.com', 'https://example.com/', true],
    ['EXAMPLE.com', 'https://example.COM/', true],
    ['example.com', 'https://www.example.com/', true],
    ['example.com', 'https://notexample.com/', false],
    ['.example.com', 'https://www.example.com/', true],
    ['.example.com', 'https://example.com/', false],
    ['*.example.com', 'https://www.example.com/', true],
    ['*.example.com', 'https://example.com/', false],
    ['a.com, example.com ,,b.com', 'https://example.com/', true],
    ['example.com:443', 'https://example.com/', true],
    ['example.com:8443', 'https://example.com/', false],
    ['example.com:80', 'http://example.com/', true],
    ['example.com:', 'http://example.com/', true],
    [':80', 'http://example.com/', false],
    ['10.0.0.0/8', 'https://10.1.2.3/', true],
    ['10.0.0.0/8', 'https://11.1.2.3/', false],
    ['10.0.0.0/99', 'https://10.1.2.3/', false],
    ['10.0.0.0/8', 'https://example.com/', false],
    ['10.1.2.3', 'https://10.1.2.3/', true],
    ['10.1.2.3:443', 'https://10.1.2.3/', true],
    ['10.1.2.3:80', 'https://10.1.2.3/', false],
    ['fd00::/8', 'https://[fd00::1]/', true],
    ['fd00::1', 'https://[fd00::1]/', true],
    ['[fd00::1]:443', 'https://[fd00::1]/', true],
    ['[fd00::1]:80', 'https://[fd00::1]/', false],
  ])('%j: %s: %s', (none, address, direct) => {
    expect(proxyFor(address, { http: PROXY, https: PROXY, none })).toBe(direct ? undefined : PROXY);
  });

  test.each(['http://localhost/', 'http://127.0.0.1:80/', 'http://127.9.9.9/', 'http://[::1]:80/'])(
    '%s always',
    (address) => expect(proxyFor(address, { http: PROXY })).toBeUndefined(),
  );
});
