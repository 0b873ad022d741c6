import { describe, expect, test } from '@jest/globals';
import { chartMessage, versionMetadata, withMetadata } from '#controllers/source/helmchart/build.js';
import type { HelmChart } from '#controllers/source/model/source.js';

function chart(spec: Partial<HelmChart['spec']>): HelmChart {
  return {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'HelmChart',
    metadata: { name: 'web', namespace: 'apps', generation: 3 },
    spec: { chart: 'web', interval: '1m', sourceRef: { kind: 'GitRepository', name: 'app' }, ...spec },
  };
}

const REVISION = 'main@sha1:0123456789abcdef0123456789abcdef01234567';

describe('the version identifies the content of the chart', () => {
  test.each([
    ['nothing special', {}, '1.2.3'],
    ['values files: the generation', { valuesFiles: ['a.yaml'] }, '1.2.3+3'],
    ['any revision: 12 characters of it', { reconcileStrategy: 'Revision' as const }, '1.2.3+0123456789ab'],
    ['both', { reconcileStrategy: 'Revision' as const, valuesFiles: ['a.yaml'] }, '1.2.3+0123456789ab.3'],
    [
      'a Helm repository has no revisions of a chart',
      { reconcileStrategy: 'Revision' as const, sourceRef: { kind: 'HelmRepository' as const, name: 'x' } },
      '1.2.3',
    ],
  ])('%s', (_why, spec, version) => {
    expect(withMetadata('1.2.3', versionMetadata(chart(spec), { revision: REVISION }))).toBe(version);
  });

  test.each([
    ['any revision, with the digest of the files', 'Revision' as const, '1.2.3+0123456789ab.fedcba987654'],
    ['versions of the chart alone', 'ChartVersion' as const, '1.2.3'],
  ])('of several files of one revision: %s', (_why, reconcileStrategy, version) => {
    const files = { revision: REVISION, digest: `sha256:fedcba9876543210${'0'.repeat(48)}` };
    expect(withMetadata('1.2.3', versionMetadata(chart({ reconcileStrategy }), files))).toBe(version);
  });

  test.each([
    ['1.2.3-rc.1+old', 'new', '1.2.3-rc.1+new'],
    ['1.2.3+old', '', '1.2.3+old'],
    ['v1.2', '', 'v1.2'],
    ['v1.2', 'x', '1.2.0+x'],
    ['latest', '', undefined],
    ['latest', 'x', undefined],
  ])('%s with %j is %s', (version, metadata, expected) => expect(withMetadata(version, metadata)).toBe(expected));
});

test('messages are worded as Flux words them', () => {
  const made = { name: 'web', version: '1.2.3', valuesFiles: [] };
  expect(chartMessage({ ...made, action: 'pulled' })).toBe("pulled 'web' chart with version '1.2.3'");
  expect(chartMessage({ ...made, action: 'packaged', valuesFiles: ['a.yaml', 'b.yaml'] })).toBe(
    "packaged 'web' chart with version '1.2.3' and merged values files [a.yaml b.yaml]",
  );
});
