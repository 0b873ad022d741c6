import { describe, expect, test } from '@jest/globals';
import { wantedChart, chartTag, chartVersion } from '#controllers/source/model/choose-version.js';
import { chartsPlace, registryUrlProblem } from '#controllers/source/oci/model/reference.js';

describe('a version', () => {
  test.each([
    ['1.2.3', '1.2.3'],
    ['v1.2.3', 'v1.2.3'],
    ['1.2.3-rc.1+build.2', '1.2.3-rc.1_build.2'],
    ['1.2', undefined],
    ['1.2.x', undefined],
    ['>=1.0.0', undefined],
    ['1.2.3 || 2.0.0', undefined],
    ['', undefined],
  ])('%s has the tag %s', (version, tag) => expect(chartTag(version)).toBe(tag));
  test('comes back from its tag', () => expect(chartVersion('1.2.3-rc.1_build.2')).toBe('1.2.3-rc.1+build.2'));
});

describe('the place of a chart', () => {
  test.each([
    ['oci://host/charts', 'web'],
    ['oci://host/charts/', 'web'],
    ['oci://host', 'charts/web'],
  ])('%s %s', (url, chart) => {
    expect(chartsPlace(url, wantedChart({ chart }))).toEqual({ place: { host: 'host', name: 'charts/web' } });
  });
  test.each([['../web'], ['web:1.0'], [''], ['Web']])('%j is refused', (chart) => {
    expect(chartsPlace('oci://host/charts', wantedChart({ chart }))).toEqual({
      problem: `spec.chart ${JSON.stringify(chart)} is not the name of a repository in oci://host/charts`,
    });
  });
});

describe('the URL of a registry', () => {
  test.each(['oci://host', 'oci://host:5000/', 'oci://ghcr.io/org/charts'])('%s is fine', (url) =>
    expect(registryUrlProblem(url)).toBeUndefined(),
  );
  test.each([
    ['https://host/charts', 'remove spec.type'],
    ['oci://host/charts?x=y', 'is not oci://'],
    ['oci://host/Charts', 'in lower case'],
    ['oci://robot:secret@host/charts', 'spec.secretRef'],
  ])('%s is refused', (url, problem) => {
    expect(registryUrlProblem(url)).toContain(problem);
    expect(registryUrlProblem(url)).not.toContain('secret@');
  });
});
