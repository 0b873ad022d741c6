import { expect, it } from '@jest/globals';
import { problemOf } from '#queries/members/read-destination.js';
import { CancelledError, TransientError } from '#lib/errors.js';
import { connectionError } from '#runtime/client/responses.js';

const host = { server: 'https://192.0.2.7:6443' };

function cutOff(server: string): Error {
  return connectionError(new Error(`connect ECONNREFUSED ${new URL(server).host}`), {
    attempt: 'GET pods',
    server,
    source: undefined,
  });
}

it.each([
  ['a host that fails meanwhile', cutOff(host.server), 'GET pods: the API server cannot be reached'],
  [
    'a host behind another error',
    new Error(`the release cannot be read: ${cutOff(host.server).message}`, { cause: cutOff(host.server) }),
    'GET pods: the API server cannot be reached',
  ],
  [
    'a host that nothing is said of',
    new TransientError(`${host.server} said no`, { reason: 'Unreachable' }),
    'the API server could not be asked',
  ],
  [
    'a member, whose kubeconfig the user has read',
    cutOff('https://192.0.2.9:6443'),
    'GET pods: https://192.0.2.9:6443 cannot be reached: connect ECONNREFUSED 192.0.2.9:6443',
  ],
  ['a member that hangs', new CancelledError(), 'no answer in time'],
])('says of %s what a user may know', (_, error, problem) => {
  expect(problemOf(error, host)).toBe(problem);
});
