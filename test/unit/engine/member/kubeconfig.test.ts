import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { KubeconfigProblem, readKubeconfig } from '#engine/member/kubeconfig.js';
import { selfSignedCertificate } from '../../../support/certificate.js';
import { rsaKeyOf } from '../../../support/rsa-key.js';

const SECRET = 's3cr3t';
const server = 'https://member.example:6443';
const { cert, key } = selfSignedCertificate('test', 'tests');
const other = selfSignedCertificate('test', 'tests');

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function config(cluster: object, user: object = { token: SECRET }): string {
  // JSON is YAML.
  return JSON.stringify({
    'current-context': 'main',
    contexts: [
      { name: 'other', context: { cluster: 'x', user: 'x' } },
      { name: 'main', context: { cluster: 'c', user: 'u' } },
    ],
    clusters: [{ name: 'c', cluster: { server, ...cluster } }],
    users: [{ name: 'u', user }],
  });
}

function problemOf(content: string, allowInsecure = false): string {
  try {
    readKubeconfig(content, { allowInsecure });
  } catch (error: unknown) {
    if (error instanceof KubeconfigProblem && error.cause === undefined) return error.message;
    throw error;
  }
  return 'none';
}

describe('accepted', () => {
  test.each<[string, object, object, object]>([
    ['a token', {}, { token: 't' }, { token: 't' }],
    ['a user name and password', {}, { username: 'u', password: 'p' }, { username: 'u', password: 'p' }],
    [
      'a client certificate',
      {},
      { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) },
      { cert, key },
    ],
    ['a certificate authority', { 'certificate-authority-data': base64(cert) }, {}, { ca: cert }],
    [
      'several certificate authorities',
      { 'certificate-authority-data': base64(`# ours\n${cert}\n${other.cert}`) },
      {},
      { ca: `# ours\n${cert}\n${other.cert}` },
    ],
    ['the name in the certificate', { 'tls-server-name': 'api.example' }, {}, { tlsServerName: 'api.example' }],
    [
      'a proxy, which may ask for a password',
      { 'proxy-url': 'http://u:p@proxy:3128' },
      {},
      { proxyUrl: 'http://u:p@proxy:3128' },
    ],
    ['no credential at all', {}, {}, {}],
    ['fields that are set to nothing', { 'certificate-authority': '' }, { exec: null, tokenFile: '' }, {}],
    ['a token beside a token file', {}, { token: 't', tokenFile: '/t' }, { token: 't' }],
    [
      'data beside a file, which is not read',
      { 'certificate-authority': '/ca.pem', 'certificate-authority-data': base64(cert) },
      {},
      { ca: cert },
    ],
    ['TLS that is told to be checked', { 'insecure-skip-tls-verify': false }, {}, {}],
  ])('%s', (_sentence, cluster, user, expected) => {
    expect(readKubeconfig(config(cluster, user), { allowInsecure: false })).toEqual({ server, ...expected });
  });

  test('YAML with the current context among others', () => {
    const text = `current-context: a
contexts: [{name: a, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://m:1/prefix"}}]
users: [{name: u, user: {token: abc}}]`;
    expect(readKubeconfig(text, { allowInsecure: false })).toEqual({ server: 'https://m:1/prefix', token: 'abc' });
  });

  test('insecure TLS and plain HTTP, when they are allowed', () => {
    const insecure = { 'insecure-skip-tls-verify': true };
    expect(readKubeconfig(config(insecure, {}), { allowInsecure: true })).toEqual({
      server,
      insecureSkipTlsVerify: true,
    });
    expect(problemOf(config({ server: 'http://member' }), true)).toBe('none');
  });
});

describe('refused: the user', () => {
  test.each<[string, object, RegExp]>([
    [
      'a program',
      { exec: { command: SECRET } },
      /^its user sets exec; credential plugins are never run; use a token or/,
    ],
    ['a provider', { 'auth-provider': { name: SECRET } }, /^its user sets auth-provider; use a token/],
    ['an impersonated user', { as: SECRET }, /^its user sets as; use the credential of that user/],
    ['impersonated groups', { 'as-groups': [SECRET] }, /^its user sets as-groups; /],
    ['an impersonated UID', { 'as-uid': SECRET }, /^its user sets as-uid; /],
    ['impersonated extras', { 'as-user-extra': { a: [SECRET] } }, /^its user sets as-user-extra; /],
    ['a token file', { tokenFile: `/${SECRET}` }, /^names a tokenFile, and files are never read; set token$/],
    ['a certificate file', { 'client-certificate': `/${SECRET}` }, /^names the file client-certificate, .*--flatten/],
    ['a key file', { 'client-key': `/${SECRET}` }, /^names the file client-key, .*--flatten/],
    ['a token that is no string', { token: { [SECRET]: 1 } }, /^token is not a string$/],
    ['a token with a line break', { token: `${SECRET}\n` }, /^its token contains a space, a line break or/],
    ['a token that is not ASCII', { token: `${SECRET}é` }, /^its token contains a space, a line break or/],
    [
      'a certificate without its key',
      { 'client-certificate-data': base64(cert) },
      /^its user has client-cert.* without/,
    ],
    ['a key without its certificate', { 'client-key-data': base64(key) }, /^its user has client-key-data without/],
    [
      'a huge key',
      { 'client-certificate-data': base64(cert), 'client-key-data': base64(rsaKeyOf({}, 16_384)) },
      /^its client-key-data is not an RSA key of 8192 bits at most, /,
    ],
    [
      'a certificate with the key of another',
      { 'client-certificate-data': base64(cert), 'client-key-data': base64(other.key) },
      /^its certificates or key are not valid PEM, or do not belong together$/,
    ],
    [
      'a certificate that is none',
      { 'client-certificate-data': base64(SECRET), 'client-key-data': base64(key) },
      /^its certificates or key are not valid PEM/,
    ],
  ])('%s', (_sentence, user, expected) => {
    const problem = problemOf(config({}, user));
    expect(problem).toMatch(expected);
    expect(problem).not.toContain(SECRET);
  });
});

describe('refused: the cluster', () => {
  test.each<[string, object, RegExp]>([
    [
      'insecure TLS',
      { 'insecure-skip-tls-verify': true },
      /^sets insecure-skip-tls-verify; give certificate-authority-data/,
    ],
    ['a file', { 'certificate-authority': `/${SECRET}` }, /^names the file certificate-authority, .*--flatten/],
    ['no server', { server: '' }, /^its cluster has no server$/],
    ['a server that is no string', { server: 1 }, /^server is not a string$/],
    ['a server that is no URL', { server: SECRET }, /^the server of its cluster is not an http\(s\) URL$/],
    ['a server behind another protocol', { server: `ftp://${SECRET}` }, /^the server of its cluster is not an http/],
    ['plain HTTP', { server: `http://${SECRET}` }, /^the server of its cluster is plain http, .* use https$/],
    [
      'a server with a password',
      { server: `https://${SECRET}:${SECRET}@member` },
      /^the server of its cluster contains more than scheme, host, port and path/,
    ],
    [
      'a server with a query',
      { server: `https://member?token=${SECRET}` },
      /^the server of its cluster contains more than/,
    ],
    [
      'a metadata server',
      { server: 'https://169.254.169.254' },
      /^the server of its cluster is a link-local address or/,
    ],
    [
      'the same as a number',
      { server: 'https://2852039166:443' },
      /^the server of its cluster is a link-local address/,
    ],
    [
      'the same in IPv6',
      { server: 'https://[::ffff:a9fe:a9fe]' },
      /^the server of its cluster is a link-local address/,
    ],
    ['its name', { server: 'https://metadata.google.internal.' }, /^the server of its cluster is a link-local address/],
    [
      'a proxy that is a metadata server',
      { 'proxy-url': `http://${SECRET}:${SECRET}@169.254.169.254` },
      /^the proxy-url of its cluster is a link-local address or a metadata server, which no cluster is/,
    ],
    ['another proxy', { 'proxy-url': `socks5://${SECRET}` }, /^the proxy-url of its cluster is not an http/],
    ['an authority that is none', { 'certificate-authority-data': base64(SECRET) }, /^its certificate.* not valid PEM/],
    [
      'a damaged authority behind a good one',
      { 'certificate-authority-data': base64(`${cert}${cert.replaceAll('M', 'x')}`) },
      /^its certificates or key are not valid PEM/,
    ],
  ])('%s', (_sentence, cluster, expected) => {
    const problem = problemOf(config(cluster));
    expect(problem).toMatch(expected);
    expect(problem).not.toContain(SECRET);
  });
});

describe('refused: the file', () => {
  test.each([
    ['not YAML', `token: [${SECRET}`, 'is not valid YAML'],
    ['a tab', `\ttoken: ${SECRET}`, 'is not valid YAML'],
    ['text', SECRET, 'is not a kubeconfig: it is not a YAML map'],
    ['a list', `[${SECRET}]`, 'is not a kubeconfig: it is not a YAML map'],
    ['no current context', `users: [{name: ${SECRET}}]`, 'sets no current-context'],
    ['a missing context', 'current-context: a', 'contexts has no entry "a"'],
    ['contexts that are no list', `{current-context: a, contexts: {a: ${SECRET}}}`, 'contexts has no entry "a"'],
    [
      'a missing cluster',
      '{current-context: a, contexts: [{name: a, context: {cluster: c, user: u}}]}',
      'clusters has no entry "c"',
    ],
    [
      'a context without a cluster',
      '{current-context: a, contexts: [{name: a, context: {user: u}}]}',
      'its context has no cluster',
    ],
    [
      'a missing user',
      `{current-context: a, contexts: [{name: a, context: {cluster: c, user: u}}], clusters: [{name: c, cluster: {server: "${server}"}}]}`,
      'users has no entry "u"',
    ],
  ])('%s', (_sentence, content, expected) => expect(problemOf(content)).toBe(expected));
});

test('a context without a user has no credential', () => {
  const text = `{current-context: a, contexts: [{name: a, context: {cluster: c}}], clusters: [{name: c, cluster: {server: "${server}"}}]}`;
  expect(readKubeconfig(text, { allowInsecure: false })).toEqual({ server });
});

test('whatever is wrong, no value is shown', () => {
  const value = fc.constantFrom<unknown>(SECRET, [SECRET], { [SECRET]: SECRET }, `${SECRET}\n`, `\u0000${SECRET}`);
  const names = ['server', 'certificate-authority-data', 'certificate-authority', 'tls-server-name', 'proxy-url'];
  const users = ['token', 'tokenFile', 'client-key-data', 'client-certificate-data', 'username', 'password', 'exec'];
  const pick = (keys: string[]) => fc.dictionary(fc.constantFrom(...keys), value);
  fc.assert(
    fc.property(pick(names), pick(users), fc.nat(), (cluster, user, cut) => {
      const whole = config(cluster, user);
      for (const content of [whole, whole.slice(0, cut % whole.length)])
        expect(problemOf(content)).not.toContain(SECRET);
    }),
  );
});
