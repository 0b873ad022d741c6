import { expect, test } from '@jest/globals';
import { externalProblem } from '#controllers/source/externalartifact/fetch.js';

const artifact = { url: 'http://artifacts.example.svc/a.tar.gz', digest: `sha256:${'0'.repeat(64)}`, size: 100 };

test.each([
  ['over HTTP', {}],
  ['over TLS', { url: 'https://artifacts.example.com:8443/a.tar.gz?token=x' }],
  ['of no size', { size: 0 }],
])('an artifact %s is fetched', (_title, change) => {
  expect(externalProblem({ ...artifact, ...change })).toBeUndefined();
});

test.each([
  ['of a file', { url: 'file:///etc/passwd' }, 'status.artifact.url'],
  ['of another protocol', { url: 'ftp://example.com/a' }, 'status.artifact.url'],
  ['without a host', { url: 'http://' }, 'status.artifact.url'],
  ['with a login', { url: 'http://a:b@example.com/a' }, 'status.artifact.url'],
  ['with an endless URL', { url: `http://example.com/${'a'.repeat(10_000)}` }, 'status.artifact.url'],
  ['with another digest', { digest: `sha512:${'0'.repeat(128)}` }, 'status.artifact.digest'],
  ['with half a digest', { digest: 'sha256:0' }, 'status.artifact.digest'],
  ['that is too large', { size: 2 ** 40 }, 'status.artifact.size'],
])('an artifact %s is refused', (_title, change, field) => {
  const problem = externalProblem({ ...artifact, ...change });
  expect(problem).toContain(field);
  expect(problem).not.toContain('b@');
});
