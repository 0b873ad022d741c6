import { expect, test } from '@jest/globals';
import { gitMessage } from '../../../../../controllers/flux/source/model/git-output.js';

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
  ['no secrets', 'remote: bad token s3cret', 'remote: bad token ***'],
])('%s', (_why, stderr, message) => expect(gitMessage(stderr, ['s3cret', ''])).toBe(message));

test('a flood is cut', () => expect(gitMessage('x'.repeat(10_000))).toHaveLength(600));
