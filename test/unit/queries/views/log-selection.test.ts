import { expect, it } from '@jest/globals';
import { logSources, MOST_LOGS, type LogQuery, type PodsOf } from '#queries/views/log-selection.js';

const PODS: readonly PodsOf[] = [
  { cluster: 'eu', child: 'a', pods: [{ namespace: 'prod', name: 'web-1', containers: ['web', 'sidecar'] }] },
  { cluster: 'us', child: 'b', pods: [{ namespace: 'prod', name: 'web-2', containers: ['web'] }] },
];

it.each<[LogQuery, string[]]>([
  [{}, ['web-1/web', 'web-2/web']],
  [{ pod: 'web-1' }, ['web-1/web']],
  [{ container: 'sidecar' }, ['web-1/sidecar']],
  [{ pod: 'web-2', container: 'web' }, ['web-2/web']],
])('%j selects %j', (query, expected) => {
  const selected = logSources(PODS, query);
  const sources = 'sources' in selected ? selected.sources : [];
  expect(sources.map(({ pod, container }) => `${pod}/${container}`)).toEqual(expected);
});

it('says what else there is only to those who did not choose', () => {
  expect(logSources(PODS, { pod: 'web-1' })).toMatchObject({ sources: [{ others: ['sidecar'] }] });
  expect(logSources(PODS, { container: 'sidecar' })).toMatchObject({ sources: [{ others: [] }] });
});

const CROWD = Array.from({ length: MOST_LOGS + 1 }, (_, index) => ({
  ...{ namespace: 'prod', name: `web-${index}` },
  containers: ['web'],
}));

it.each<[string, readonly PodsOf[], LogQuery, string]>([
  ['no pods', [{ cluster: 'eu', child: 'a', pods: [] }], {}, 'it has no pods that can be read'],
  ['another pod', PODS, { pod: 'x' }, '--pod x: it has only web-1, web-2'],
  ['another container', PODS, { container: 'x' }, '--container x: there are only sidecar, web'],
  ['a container of another pod', PODS, { pod: 'web-2', container: 'sidecar' }, 'there are only web'],
  ['too many', [{ cluster: 'eu', child: 'a', pods: CROWD }], {}, 'choose some of them with --cluster or --pod'],
])('refuses %s, and names what there is', (_, found, query, says) => {
  expect(logSources(found, query)).toEqual({ problem: expect.stringContaining(says) });
});
