import { expect, it } from '@jest/globals';
import {
  eventsPath,
  logsPath,
  manifestPath,
  treePath,
  valuesPath,
} from '#console/web/application/model/member-paths.js';

const APPLICATION = '/api/v1/namespaces/shop/applications/web';

it.each([
  [treePath(APPLICATION, 'eu'), '/tree?cluster=eu'],
  [treePath(APPLICATION, 'a&b=c'), '/tree?cluster=a%26b%3Dc'],
  [valuesPath(APPLICATION, ''), '/values'],
  [valuesPath(APPLICATION, 'eu'), '/values?cluster=eu'],
  [manifestPath(APPLICATION, 'HelmRelease shop/web'), '/manifest?child=HelmRelease+shop%2Fweb'],
  [eventsPath(APPLICATION, ''), '/events'],
  [eventsPath(APPLICATION, 'eu'), '/events?cluster=eu'],
  [
    logsPath(APPLICATION, { cluster: 'eu', pod: 'p', container: 'c', tailLines: 5, previous: false, follow: false }),
    '/logs?cluster=eu&pod=p&container=c&tailLines=5',
  ],
  [
    logsPath(APPLICATION, { cluster: 'eu', pod: 'p', container: 'c', tailLines: 5, previous: true, follow: true }),
    '/logs?cluster=eu&pod=p&container=c&tailLines=5&previous=true&follow=true',
  ],
])('asks at %s', (path, expected) => {
  expect(path).toBe(APPLICATION + expected);
});
