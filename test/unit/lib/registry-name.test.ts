import { describe, expect, test } from '@jest/globals';
import { registryRepository } from '#lib/net/registry-name.js';

describe('a repository of a registry', () => {
  test.each([
    ['oci://ghcr.io/org/app', { host: 'ghcr.io', name: 'org/app' }],
    ['oci://127.0.0.1:5000/app/', { host: '127.0.0.1:5000', name: 'app' }],
    ['oci://[::1]:5000/a/b/c', { host: '[::1]:5000', name: 'a/b/c' }],
    ['oci://host/a.b/c__d/e-f--g', { host: 'host', name: 'a.b/c__d/e-f--g' }],
    ['oci://docker.io/nginx', { host: 'index.docker.io', name: 'library/nginx' }],
    ['oci://docker.io/org/app', { host: 'index.docker.io', name: 'org/app' }],
  ])('%s', (url, repository) => expect(registryRepository(url)).toEqual(repository));

  test.each([
    'https://host/app',
    'oci://host',
    'oci://host/app:1.0',
    'oci://robot:secret@host/app',
    'oci:///app',
    'oci://host:99999/app',
    'oci://999.999.999.999/app',
    'oci://[1::2::3]/app',
    'oci://host/App',
    'oci://host/../etc',
    'oci://host/a//b',
    'oci://host/a?x=y',
    'oci://host#x/a',
    `oci://host/${'a'.repeat(256)}`,
  ])('%s is none', (url) => expect(registryRepository(url)).toBeUndefined());
});
