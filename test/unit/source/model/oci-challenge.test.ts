import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseChallenge, tokenUrl } from '#controllers/source/oci/model/login.js';
import { cpuMsOf } from '../../../support/cpu-time.js';

describe('a challenge', () => {
  test.each([
    ['Basic realm="registry"', { scheme: 'basic' }],
    ['basic', { scheme: 'basic' }],
    [
      'Bearer realm="https://auth/token",service="hub"',
      { scheme: 'bearer', realm: 'https://auth/token', service: 'hub' },
    ],
    ['Bearer realm=https://auth/token', { scheme: 'bearer', realm: 'https://auth/token', service: undefined }],
    [
      'Basic realm="a", Bearer service="s", realm="https://auth/token", scope="x,y"',
      { scheme: 'bearer', realm: 'https://auth/token', service: 's' },
    ],
    [String.raw`Bearer realm="https://a/\"b"`, { scheme: 'bearer', realm: 'https://a/"b', service: undefined }],
    ['Bearer service="no realm"', undefined],
    ['Negotiate abc==', undefined],
    ['', undefined],
    [`Basic realm="${'a'.repeat(9_000)}"`, undefined],
  ])('%s', (header, challenge) => expect(parseChallenge(header)).toEqual(challenge));

  test('is read in linear time', () => {
    for (const text of [' '.repeat(8_000), 'a=" '.repeat(2_000), 'a '.repeat(4_000), '\\"'.repeat(4_000)]) {
      expect(cpuMsOf(() => parseChallenge(text))).toBeLessThan(1_000);
    }
  });

  test('whatever the header is', () => {
    fc.assert(fc.property(fc.string(), (header) => void parseChallenge(header)));
  });
});

describe('a token', () => {
  const place = { repository: 'org/app', registry: 'https://registry' };
  const bearer = (realm: string, service?: string) => ({ scheme: 'bearer', realm, service }) as const;

  test('is for pulling from one repository, whatever the registry asks for', () => {
    expect(tokenUrl(bearer('https://auth/token?scope=admin&account=x', 'hub'), place)).toBe(
      'https://auth/token?scope=repository%3Aorg%2Fapp%3Apull&account=x&service=hub',
    );
  });
  test.each([
    ['no URL', 'token', place],
    ['another scheme', 'file:///etc/passwd', place],
    ['a login in clear text though the registry uses TLS', 'http://auth/token', place],
    ['credentials', 'https://a:b@auth/token', place],
  ])('is not asked for at %s', (_title, realm, at) => expect(tokenUrl(bearer(realm), at)).toBeUndefined());
  test('may be asked for in clear text by a registry without TLS', () => {
    const insecure = { ...place, registry: 'http://registry' };
    expect(tokenUrl(bearer('http://auth/token'), insecure)).toMatch(/^http:\/\/auth\/token\?scope=/);
  });
});
