import { describe, expect, test } from '@jest/globals';
import { Command } from 'commander';
import { downloadOption, mirrorUrl } from '#cli/command/arguments.js';

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
    ['https://user:s3cret@mirror.example', false],
    ['https://@mirror.example', false],
    ['https://mirror.example?token=s3cret', false],
    ['https://mirror.example#s3cret', false],
  ])('%j: %s', (url, fits) => {
    if (fits) expect(mirrorUrl(url)).toBe(url);
    else expect(() => mirrorUrl(url)).toThrow('must be the https URL of a mirror');
  });

  test('a password is not printed', () => {
    const parse = (): unknown =>
      new Command().addOption(downloadOption()).parse(['--download', 'https://user:s3cret@mirror'], { from: 'user' });
    expect(parse).toThrow(/^--download must be the https URL of a mirror, without user, query and fragment/);
    expect(parse).not.toThrow('s3cret');
  });
});
