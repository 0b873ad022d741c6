import { expect, it } from '@jest/globals';
import { firstLog } from '#console/web/application/model/log.js';

const containers = ['app', 'sidecar', 'init'];

it.each([
  ['of a pod that is well: as kubectl', { containers }, { container: 'app', previous: false }],
  [
    'of a container that fails while it runs',
    { containers, blamed: { container: 'sidecar', isRestarting: false } },
    { container: 'sidecar', previous: false },
  ],
  [
    'of one that waits for its restart',
    { containers, blamed: { container: 'init', isRestarting: true } },
    { container: 'init', previous: true },
  ],
  [
    'of one that cannot be chosen, e.g. from an older server',
    { containers, blamed: { container: 'gone', isRestarting: true } },
    { container: 'app', previous: false },
  ],
  ['of nothing', { containers: [] }, { container: '', previous: false }],
])('begins with the log %s', (_, object, expected) => {
  expect(firstLog(object)).toEqual(expected);
});
