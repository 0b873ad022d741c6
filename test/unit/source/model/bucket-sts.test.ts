import { describe, expect, test } from '@jest/globals';
import type { BucketSpec } from '#api/flux/bucket.js';
import { areFresh, keysIn, ldapForm, stsProblem } from '#controllers/source/bucket/model/sts.js';

const LDAP = { provider: 'ldap', endpoint: 'https://minio.example.com:9000', secretRef: { name: 'ldap' } } as const;
const NO_LOGIN = { provider: LDAP.provider, endpoint: LDAP.endpoint };
const AWS = { provider: 'aws', endpoint: 'https://sts.example.com' } as const;
const KEYS = { secretRef: { name: 'keys' } };

function problemOf(spec: Partial<BucketSpec>): unknown {
  return stsProblem({ interval: '1m', bucketName: 'b', endpoint: 'e', ...spec });
}

describe('a field of STS', () => {
  test.each<[string, Partial<BucketSpec>]>([
    ['none', {}],
    ['ldap', { sts: LDAP }],
    ['ldap, generic by name', { sts: LDAP, provider: 'generic' }],
    ['ldap over HTTP, with a path', { sts: { ...LDAP, endpoint: 'http://127.0.0.1:9000/sts' } }],
    ['ldap with a certificate', { sts: { ...LDAP, certSecretRef: { name: 'ca' } } }],
    ['ldap without a login, where it is not used', { sts: NO_LOGIN, ...KEYS }],
    ['aws', { sts: AWS, provider: 'aws', ...KEYS }],
  ])('can be used: %s', (_title, spec) => {
    expect(problemOf(spec)).toBeUndefined();
  });

  test.each<[string, Partial<BucketSpec>, string, RegExp]>([
    ['aws for generic', { sts: AWS }, 'InvalidSTSConfiguration', /^spec\.sts\.provider aws .* generic: set it to ldap/],
    [
      'ldap for aws',
      { sts: LDAP, provider: 'aws', ...KEYS },
      'InvalidSTSConfiguration',
      /^spec\.sts\.provider ldap is not for spec\.provider aws: set spec\.provider to generic/,
    ],
    [
      'a login for aws',
      { sts: { ...AWS, secretRef: { name: 'x' } }, provider: 'aws', ...KEYS },
      'InvalidSTSConfiguration',
      /^spec\.sts\.secretRef is not used .*: remove it$/,
    ],
    [
      'a certificate for aws',
      { sts: { ...AWS, certSecretRef: { name: 'x' } }, provider: 'aws', ...KEYS },
      'InvalidSTSConfiguration',
      /^spec\.sts\.certSecretRef is not used .*: remove it$/,
    ],
    [
      'ldap without a login',
      { sts: NO_LOGIN },
      'InvalidSTSConfiguration',
      /needs a Secret with username and password: name it in spec\.sts\.secretRef$/,
    ],
  ])('is refused: %s', (_title, spec, reason, problem) => {
    expect(problemOf(spec)).toEqual({ reason, problem: expect.stringMatching(problem) });
  });
});

test.each(['https://', 'http://a b', 'file:///etc/passwd', 'https://u:hunter2@h', 'https://u@h', 'https://h/#x'])(
  'is no endpoint: %s',
  (endpoint) => {
    const found = problemOf({ sts: { ...LDAP, endpoint } });
    const problem: unknown = expect.stringMatching(
      /^spec\.sts\.endpoint is not the URL of a server: write e\.g\. https:/,
    );
    expect(found).toEqual({ reason: 'URLInvalid', problem });
    expect(JSON.stringify(found)).not.toContain('hunter2');
  },
);

test('a login is escaped as a form', () => {
  const form = ldapForm('a&Action=x', 'p+ü &=%\n');
  expect(form).toContain('LDAPUsername=a%26Action%3Dx&LDAPPassword=p%2B%C3%BC+%26%3D%25%0A');
  expect(Object.fromEntries(new URLSearchParams(form))).toEqual({
    ...{ Action: 'AssumeRoleWithLDAPIdentity', Version: '2011-06-15' },
    ...{ LDAPUsername: 'a&Action=x', LDAPPassword: 'p+ü &=%\n' },
  });
});

const NAMESPACE = 'https://sts.amazonaws.com/doc/2011-06-15/';
const FIELDS = { AccessKeyId: 'A', SecretAccessKey: 'S', SessionToken: 'T', Expiration: '1970-01-01T01:00:00Z' };

/** As MinIO answers. */
function answer(fields: Readonly<Record<string, string | undefined>> = {}): string {
  const given: Readonly<Record<string, string | undefined>> = { ...FIELDS, ...fields };
  const all = Object.entries(given).filter(([, text]) => text !== undefined);
  const credentials = all.map(([name, text]) => `<${name}>${text}</${name}>`).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>
<AssumeRoleWithLDAPIdentityResponse xmlns="${NAMESPACE}"><AssumeRoleWithLDAPIdentityResult><Credentials>${credentials}</Credentials></AssumeRoleWithLDAPIdentityResult><ResponseMetadata><RequestId>R</RequestId></ResponseMetadata></AssumeRoleWithLDAPIdentityResponse>`;
}

describe('an answer', () => {
  const keys = { accessKeyId: 'A', secretAccessKey: 'S', sessionToken: 'T', issuedAtMs: 0, expiresAtMs: 3_600_000 };

  test.each([
    ['keys', answer(), keys],
    ['keys with spaces around', answer({ AccessKeyId: '\n A \n' }), keys],
    ['keys in pieces', answer({ SessionToken: '<![CDATA[T]]>&amp;' }), { ...keys, sessionToken: 'T&' }],
    ['the longest token', answer({ SessionToken: 't'.repeat(8_192) }), { ...keys, sessionToken: 't'.repeat(8_192) }],
  ])('has %s', (_title, xml, expected) => {
    expect(keysIn(xml, 0)).toEqual(expected);
  });

  test.each([
    ['no text', ''],
    ['a website', '<!DOCTYPE html><html><body/></html>'],
    ['JSON', '{"AccessKeyId":"A"}'],
    ['half of one', answer().slice(0, -30)],
    ['an error', '<ErrorResponse><Error><Code>X</Code></Error></ErrorResponse>'],
    ['the answer to another question', answer().replaceAll('LDAPIdentity', 'WebIdentity')],
    ['no access key', answer({ AccessKeyId: undefined })],
    ['an empty secret key', answer({ SecretAccessKey: '' })],
    ['no token', answer({ SessionToken: undefined })],
    ['a token that would be two headers', answer({ SessionToken: 'a\r\nx: y' })],
    ['a token that is no header', answer({ SessionToken: 'ü' })],
    ['a token that is too long', answer({ SessionToken: 't'.repeat(8_193) })],
    ['an access key that is too long', answer({ AccessKeyId: 'a'.repeat(257) })],
    ['no end', answer({ Expiration: undefined })],
    ['an end that is no time', answer({ Expiration: 'soon' })],
    ['elements in elements', '<a>'.repeat(20_000)],
    ['an entity of its own', `<!DOCTYPE a [<!ENTITY x "y">]>${answer({ SessionToken: '&x;' })}`],
  ])('has no keys: %s', (_title, xml) => {
    expect(keysIn(xml, 0)).toEqual({ problem: 'answers with something else than keys' });
  });

  test.each([3_600_000 - 59_999, 3_600_000, 9_999_999])('has keys that end too soon at %d', (now) => {
    expect(keysIn(answer(), now)).toEqual({ problem: expect.stringContaining('less than a minute') });
  });
});

test('keys are fresh for four fifths of their time', () => {
  const keys = { accessKeyId: 'A', secretAccessKey: 'S', sessionToken: 'T', issuedAtMs: 1_000, expiresAtMs: 101_000 };
  expect([1_000, 80_999, 81_000, 101_000].map((now) => areFresh(keys, now))).toEqual([true, true, false, false]);
});
