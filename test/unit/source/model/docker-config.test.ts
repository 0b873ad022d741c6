import { describe, expect, test } from '@jest/globals';
import { findLogin } from '#controllers/source/oci/model/login.js';

const entry = (username: string): { auth: string } => ({
  auth: Buffer.from(`${username}:secret:1`).toString('base64'),
});
const loginOf = (username: string): object => ({ login: { username, password: 'secret:1' } });
const at = (host: string, name = 'org/app') => ({ host, name });

describe('the login for a repository', () => {
  test.each([
    ['of its host', { ghcr: entry('other'), 'ghcr.io': entry('robot') }, at('ghcr.io'), loginOf('robot')],
    ['of a host with a port', { 'host:5000': entry('robot') }, at('host:5000'), loginOf('robot')],
    ['never of another port', { host: entry('robot') }, at('host:5000'), { login: undefined }],
    ['never of a host that begins alike', { 'ghcr.io': entry('robot') }, at('ghcr.io.evil'), { login: undefined }],
    ['never of a path that begins alike', { 'ghcr.io/org': entry('x') }, at('ghcr.io', 'orgs/a'), { login: undefined }],
    [
      'of the longest path',
      { 'ghcr.io': entry('host'), 'ghcr.io/org': entry('org'), 'ghcr.io/org/other': entry('other') },
      at('ghcr.io'),
      loginOf('org'),
    ],
    ['of Docker Hub by its other name', { 'docker.io': entry('robot') }, at('index.docker.io'), loginOf('robot')],
    ['in upper case', { 'GHCR.io': entry('robot') }, at('ghcr.IO'), loginOf('robot')],
    ['with a scheme', { 'https://ghcr.io': entry('robot') }, at('ghcr.io'), loginOf('robot')],
    ['of Docker Hub', { 'https://index.docker.io/v1/': entry('robot') }, at('index.docker.io'), loginOf('robot')],
    ['in two fields', { 'ghcr.io': { username: 'robot', password: 'secret:1' } }, at('ghcr.io'), loginOf('robot')],
    ['of nobody', {}, at('ghcr.io'), { login: undefined }],
  ])('%s', (_title, auths, repository, found) => {
    expect(findLogin(JSON.stringify({ auths }), repository)).toEqual(found);
  });

  test.each([
    ['{', 'is not JSON with an object `auths`'],
    ['[]', 'is not JSON with an object `auths`'],
    ['{"auths": []}', 'is not JSON with an object `auths`'],
    ['{"auths": {"ghcr.io": "secret"}}', 'has neither auth nor username and password'],
    ['{"auths": {"ghcr.io": {"auth": "c2VjcmV0"}}}', 'has neither auth nor username and password'],
    ['{"auths": {"ghcr.io": {"identitytoken": "secret"}}}', 'has only identitytoken: log in with user name'],
  ])('%s is reported without a word of it', (text, problem) => {
    const found = findLogin(text, at('ghcr.io'));
    expect(found).toEqual({ problem: expect.stringContaining(problem) });
    expect(JSON.stringify(found)).not.toContain('secret');
  });
});
