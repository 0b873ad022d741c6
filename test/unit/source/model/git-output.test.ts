import { expect, test } from '@jest/globals';
import { gitMessage } from '#controllers/source/git/git-error.js';
import { cpuMsOf } from '../../../support/cpu-time.js';

test.each([
  ['no hints, one line', 'warning: x\nhint: y\nfatal: a\nfatal: b\n', 'fatal: a; fatal: b'],
  [
    'no durations',
    "fatal: Failed to connect to h port 1 after 13 ms: Couldn't connect",
    "fatal: Failed to connect to h port 1: Couldn't connect",
  ],
  [
    'no credentials of a URL',
    "fatal: unable to access 'https://user:pass@h/a'",
    "fatal: unable to access 'https://h/a'",
  ],
  [
    'what may be wrong with a certificate',
    "fatal: unable to access 'https://h/a/': server certificate verification failed. CAfile: ca.crt CRLfile: none",
    "fatal: unable to access 'https://h/a/': server certificate verification failed. It has expired, or its CA is not trusted",
  ],
  [
    'no alarm of ssh, but its cause',
    '@@@@\n@ WARNING: CHANGED! @\nIT IS POSSIBLE THAT\nSomeone could\nHost key verification failed.\nfatal: Could not read\n\nPlease make sure\nand the repository exists.',
    'Host key verification failed.; fatal: Could not read',
  ],
  ['no secrets', 'remote: bad token s3cret', 'remote: bad token ***'],
  ['no secrets inside of words', 'remote: tokens3cretly', 'remote: token***ly'],
  [
    'no page of a server',
    "remote: SECRET\nfatal: repository 'http://h/a/' not found",
    "fatal: repository 'http://h/a/' not found",
  ],
  ['no short secrets', 'remote: bad x, (x) x', 'remote: bad ***, (***) ***'],
  [
    'other words whole',
    "fatal: could not fetch 'https://example.com/x-y'",
    "fatal: could not fetch 'https://example.com/x-y'",
  ],
])('%s', (_why, stderr, message) => expect(gitMessage(stderr, ['s3cret', 'x', ''])).toBe(message));

test('a flood is cut', () => expect(gitMessage('x'.repeat(10_000))).toHaveLength(600));

test.each(['a', ' CAfile: ', 'a://', ' after 1', 's3cret', '-x'])('a flood of "%s" costs little', (text) => {
  const flood = `remote: ${text.repeat(262_144 / text.length)}\nfatal: early EOF`;
  expect(cpuMsOf(() => gitMessage(flood, ['s3cret', 'x']))).toBeLessThan(1_000);
});

test('secrets are texts, not patterns', () =>
  expect(gitMessage('remote: a.c$^(d abcd$^(d', ['a.c$^(d'])).toBe('remote: *** abcd$^(d'));
