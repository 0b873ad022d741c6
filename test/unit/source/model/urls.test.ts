import { describe, expect, test } from '@jest/globals';
import {
  chartUrl,
  gitUrl,
  gitUrlProblem,
  helmUrlProblem,
  indexUrl,
  isRegistry,
  isSameServer,
  namedHost,
  printableUrl,
  sharesCredentials,
} from '#controllers/source/model/urls.js';
import type { Source } from '#controllers/source/model/source.js';

describe('addresses', () => {
  test.each([
    'https://host/a.git',
    'http://127.0.0.1:8080/a',
    'ssh://git@host/a',
    'ssh://git@host:22/a',
    'https://[::1]:80/a%20b',
  ])('%s is fine for git', (url) => expect(gitUrlProblem(url)).toBeUndefined());
  test.each([
    ...['git@host:a', 'file:///etc', 'ext::sh -c x', '--upload-pack=x', 'https://', ''],
    ...['ssh://-oProxyCommand=x/a', 'ssh://-oX@host/a', 'ssh://git@-oX/a', 'https://host/a\nb', 'https://host/a b'],
    ...['https:evil/x', 'https:/evil/x', String.raw`https:\\evil/x`, String.raw`https://github.com\@evil.test/x`],
    ...['ssh://git@evil.test%2Fx@github.com/app', 'ssh://%2DoProxyCommand=x/a', 'https://host%2eevil/a'],
    ...['ssh://git@github.com/x@[evil.test]/y', 'ssh://git@github.com/x%40%5Bevil.test%5D/y', 'ssh://git@a@b/c'],
    ...['https://host?@evil.test/a', 'https://host#@evil.test/a', 'https://höst/a', 'https://host:/a', 'https://*/a'],
    ...['https://host/a%0ab', 'https://host/a%', 'https://host/a\tb', 'ssh:host/a', 'https://-host/a'],
    ...['SSH://git@host/a', 'HTTPS://host/a', 'ssh://git@host/a?x@[evil]/b'],
    ...['https://host/a\0b', ' https://host/a', 'http::https://host/a'],
  ])('%j is not', (url) => expect(gitUrlProblem(url)).toContain('spec.url is not'));
  test.each([
    ['https://host/a', 'https://host/b', true],
    ['https://host/a', 'https://host:444/b', false],
    ['https://host/a', 'http://host/b', false],
    ['https://host/a', 'https://host.evil/b', false],
    ['ssh://git@host/a', 'ssh://git@host/b', true],
    ['ssh://git@host/a', 'ssh://git@host:23/b', false],
  ])('the server of %s is that of %s: %s', (asked, next, same) => expect(isSameServer(asked, next)).toBe(same));
  test.each(['https://user:secret@host/a', 'https://token@host/a', 'ssh://git:secret@host/a'])(
    '%s holds a secret',
    (url) => {
      expect(gitUrlProblem(url)).toMatch(/contains credentials.*spec\.secretRef/);
      expect(gitUrlProblem(url)).not.toContain('secret@');
    },
  );
  test.each([
    ['https://HOST:443/a', 'https://host/a'],
    ['http://0x7f.1/a', 'http://127.0.0.1/a'],
    ['ssh://git@host:22/a', 'ssh://git@host:22/a'],
  ])('git is given %s as %s', (text, url) => expect(gitUrl(text)).toBe(url));
  test('a Helm repository is http or https', () => {
    expect(helmUrlProblem('https://host/charts')).toBeUndefined();
    expect(helmUrlProblem('oci://host/charts')).toContain('spec.type');
    expect(helmUrlProblem('https://u:p@host')).toContain('spec.secretRef');
  });
});

test.each([
  ['a Helm repository is none', { url: 'https://host/charts' }, false],
  ['by its type', { url: 'https://host/charts', type: 'oci' as const }, true],
  ['by its URL', { url: 'oci://host/charts', type: 'default' as const }, true],
])('a registry is told: %s', (_title, spec, expected) => {
  const repository = {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'HelmRepository',
    metadata: { name: 'x' },
    spec,
  };
  expect(isRegistry(repository)).toBe(expected);
});

describe('a chart lies where the index says, seen from the repository', () => {
  test.each([
    ['https://h/charts', 'web-1.tgz', 'https://h/charts/web-1.tgz'],
    ['https://h/charts/', 'web-1.tgz', 'https://h/charts/web-1.tgz'],
    ['https://h/charts', 'a/web-1.tgz', 'https://h/charts/a/web-1.tgz'],
    ['https://h/charts', '/web-1.tgz', 'https://h/web-1.tgz'],
    ['https://h/charts', 'https://other/web-1.tgz', 'https://other/web-1.tgz'],
    ['https://h/charts?token=x', 'web-1.tgz', 'https://h/charts/web-1.tgz?token=x'],
    ['https://h/charts?token=x', 'https://other/web-1.tgz', 'https://other/web-1.tgz'],
    ['https://h/charts', 'web-1.0.0+x.tgz', 'https://h/charts/web-1.0.0+x.tgz'],
    ['https://h/charts', 'oci://h/web', undefined],
    ['https://h/charts', 'file:///etc/passwd', undefined],
  ])('%s %s', (repository, reference, url) => expect(chartUrl(repository, reference)).toBe(url));

  test('and the index beside them', () => {
    expect(indexUrl('https://h/charts')).toBe('https://h/charts/index.yaml');
    expect(indexUrl('https://h/charts/?token=x')).toBe('https://h/charts/index.yaml?token=x');
  });
});

describe('a login goes on', () => {
  test.each([
    ['to the same scheme, host and port', 'https://h/a', 'https://h:443/b', true],
    ['to the same host with TLS', 'http://h/a', 'https://h/a', true],
    ['not to another host', 'https://h/a', 'https://other/a', false],
    ['not to a subdomain', 'https://h/a', 'https://x.h/a', false],
    ['not to another port', 'https://h/a', 'https://h:8443/a', false],
    ['not to the same host without TLS', 'https://h/a', 'http://h/a', false],
    ['not to another host with TLS', 'http://h/a', 'https://other/a', false],
  ])('%s', (_title, asked, next, expected) => expect(sharesCredentials(asked, next)).toBe(expected));
});

test('messages show neither credentials nor query', () => {
  expect(printableUrl('https://u:p@h/a?token=x')).toBe('https://h/a');
});

describe('the host that may be link-local', () => {
  const source = (metadata: object): Source => ({
    ...{ apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'HelmRepository' },
    metadata: { name: 'charts', namespace: 'shop', ...metadata },
    spec: {},
  });

  test.each([
    ['of an object is the one that it names', 'host', source({ uid: 'u' })],
    ['of a chart without an object is none', '', source({})],
    ['of an inline source is none', '', source({ uid: 'u', labels: { 'gitops.kubesphere.io/inline-source': 'true' } })],
  ])('%s', (_name, host, of) => expect(namedHost(of, 'host')).toBe(host));
});
