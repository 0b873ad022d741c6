import { describe, expect, test } from '@jest/globals';
import { mirrorUrl } from '#cli/download-option.js';

describe('a mirror is read over TLS, or on this machine', () => {
  test.each([
    ['https://mirror.example', true],
    ['https://mirror.example:8443/tools/', true],
    ['http://127.0.0.1:8080', true],
    ['http://localhost:8080', true],
    ['http://mirror.example', false],
    ['ftp://mirror.example', false],
    ['mirror.example', false],
    ['', false],
    ['file:///tmp', false],
  ])('%j: %s', (url, fits) => {
    if (fits) expect(mirrorUrl(url)).toBe(url);
    else expect(() => mirrorUrl(url)).toThrow('must be the https URL of a mirror');
  });
});
