import { describe, expect, it } from '@jest/globals';
import type { InlineSource } from '#api/v1alpha1/inline-source.js';
import { inlineProblem } from '#controllers/application/model/spec/source-checks.js';

const HTTPS = { repo: 'https://charts.example.com', chart: 'web' };
const OCI = { repo: 'oci://ghcr.io/org/web' };

describe('an inline source', () => {
  it.each<[string, InlineSource]>([
    ['a repository and a chart', HTTPS],
    ['with a path and a port', { ...HTTPS, repo: 'https://charts.example.com:8443/stable/' }],
    ['with a range', { ...HTTPS, version: '>=1.2 <2' }],
    ['with credentials in Secrets', { ...HTTPS, secretRef: { name: 'login' }, caSecretRef: { name: 'ca' } }],
    ['that skips nothing', { ...HTTPS, insecureSkipTLS: false }],
    ['a registry that is the chart', OCI],
    ['a registry and a chart below', { repo: 'oci://ghcr.io/org/', chart: 'charts/web', version: '1.2.3+build' }],
    ['a host and a chart', { repo: 'oci://ghcr.io', chart: 'web' }],
    ['a registry without TLS', { ...OCI, insecureSkipTLS: true }],
  ])('%s: is valid', (_name, inline) => expect(inlineProblem(inline, 'inline')).toBeUndefined());

  it.each<[string, string, InlineSource]>([
    ['nothing', 'inline.repo is missing', {}],
    ['a chart alone', 'inline.repo is missing', { chart: 'web' }],
    ['the URL of an archive alone', 'inline.chart is an archive', { chart: 'https://a.example.com/web-1.0.0.tgz' }],
    ['an archive as chart', 'inline.chart is an archive', { ...HTTPS, chart: 'web-1.0.0.tgz' }],
    ['an archive as repository', 'inline.repo is an archive', { repo: 'https://a.example.com/web-1.0.0.tgz' }],
    ['plain HTTP', 'inline.repo is plain HTTP', { ...HTTPS, repo: 'http://charts.example.com' }],
    ['a user in the URL', 'inline.repo contains credentials', { ...HTTPS, repo: 'https://me@charts.example.com' }],
    ['a login in the URL', 'inline.repo contains credentials', { ...HTTPS, repo: 'https://me:pw@charts.example.com' }],
    ['a login without TLS', 'inline.repo contains credentials', { ...HTTPS, repo: 'http://me:pw@charts.example.com' }],
    ['a login for a registry', 'inline.repo contains credentials', { repo: 'oci://me:pw@ghcr.io/org/web' }],
    ['a token in the query', 'inline.repo has a query', { ...HTTPS, repo: 'https://charts.example.com/?sig=pw' }],
    ['a fragment', 'inline.repo has a query or fragment', { ...HTTPS, repo: 'https://charts.example.com/#pw' }],
    ['an empty query', 'inline.repo has a query', { ...HTTPS, repo: 'https://charts.example.com/?' }],
    ['an empty fragment', 'inline.repo has a query', { ...HTTPS, repo: 'https://charts.example.com/#' }],
    ['an empty user', 'inline.repo contains credentials', { ...HTTPS, repo: 'https://@charts.example.com' }],
    [
      'a scheme in upper case',
      'inline.repo is not a URL that begins',
      { ...HTTPS, repo: 'HTTPS://charts.example.com' },
    ],
    [
      'a registry as a number in upper case',
      'inline.repo is not a URL that begins',
      { ...HTTPS, repo: 'OCI://2852039166/x' },
    ],
    [
      'a scheme without slashes',
      'inline.repo is not a URL that begins',
      { ...HTTPS, repo: 'https:charts.example.com' },
    ],
    ['another scheme', 'inline.repo is not a URL', { ...HTTPS, repo: 'file:///etc' }],
    ['a scheme of git', 'inline.repo is not a URL', { ...HTTPS, repo: 'ssh://example.com/x' }],
    ['junk', 'inline.repo is not a URL', { ...HTTPS, repo: 'charts' }],
    ['a URL with a space', 'inline.repo is not a URL', { ...HTTPS, repo: 'https://charts.example.com/a b' }],
    ['a URL with a line break', 'inline.repo is not a URL', { ...HTTPS, repo: 'https://charts.exam\nple.com' }],
    ['a URL with a backslash', 'inline.repo is not a URL', { ...HTTPS, repo: String.raw`https:\\charts.example.com` }],
    ['no host', 'inline.repo is not a URL', { repo: 'oci:///web' }],
    ['a link-local address', 'inline.repo is a link-local', { ...HTTPS, repo: 'https://169.254.169.254/latest' }],
    ['the same as a number', 'inline.repo is a link-local', { ...HTTPS, repo: 'https://2852039166/latest' }],
    ['the same in IPv6', 'inline.repo is a link-local', { ...HTTPS, repo: 'https://[::ffff:169.254.169.254]/' }],
    ['the same within IPv6', 'inline.repo is a link-local', { ...HTTPS, repo: 'https://[::a9fe:a9fe]/' }],
    ['a metadata server', 'inline.repo is a link-local', { ...HTTPS, repo: 'https://metadata.google.internal./' }],
    ['a link-local registry', 'inline.repo is a link-local', { repo: 'oci://169.254.169.254/web' }],
    ['a link-local registry as a number', 'inline.repo is a link-local', { repo: 'oci://2852039166/web' }],
    ['a registry with a tag', 'inline.repo is not oci://', { repo: 'oci://ghcr.io/org/web:1.0.0' }],
    ['a registry in upper case', 'inline.repo is not oci://', { repo: 'oci://ghcr.io/Org/web' }],
    ['a registry without a path', 'inline.repo is not oci://', { repo: 'oci://ghcr.io' }],
    ['a chart that leads out', 'inline.repo with chart is not oci://', { repo: 'oci://ghcr.io/org', chart: '../web' }],
    ['no chart', 'inline.chart is missing', { repo: HTTPS.repo }],
    ['a path as chart', 'inline.chart is not the name', { ...HTTPS, chart: './charts/web' }],
    ['junk as version', 'inline.version is neither', { ...HTTPS, version: 'newest' }],
    ['a tag as version', 'inline.version is neither', { ...OCI, version: 'latest' }],
    ['TLS skipped for a repository', 'inline.insecureSkipTLS is for registries', { ...HTTPS, insecureSkipTLS: true }],
    [
      'TLS skipped and an authority',
      'inline.insecureSkipTLS and caSecretRef',
      { ...OCI, insecureSkipTLS: true, caSecretRef: { name: 'ca' } },
    ],
  ])('%s: %s', (_name, message, inline) => {
    const problem = inlineProblem(inline, 'inline');
    expect(problem?.message.slice(0, message.length)).toBe(message);
    expect(problem?.message).not.toMatch(/pw|me@/);
  });
});
