import { describe, expect, test } from '@jest/globals';
import { chartTraits, type ChartTraits } from '#controllers/helmrelease/model/chart-traits.js';
import { isNotesSource, preamble } from '#controllers/helmrelease/model/preamble.js';

// The real helm shows what it makes of these templates, in test/apiserver/helmrelease/differential.

function traits(change: Partial<ChartTraits>): ChartTraits {
  return { ...chartTraits('web', []), depth: 2, ...change };
}

describe('preamble', () => {
  test.each<[string, Partial<ChartTraits>, number, number | undefined]>([
    ['asks for nothing', {}, 3, 2],
    ['asks for the revision of its first one', { usesRevision: true }, 1, 2],
    ['gets its API versions from the cluster', { usesApiVersions: true }, 3, undefined],
  ])('is empty for a chart that %s', (_name, change, revision, apiVersions) => {
    const given = apiVersions === undefined ? {} : { apiVersions };
    expect(preamble({ traits: traits(change), revision, ...given })).toEqual([]);
  });

  test('sets the revision before any other template runs', () => {
    expect(preamble({ traits: traits({ usesRevision: true }), revision: 7 })).toEqual([
      { path: 'templates/z/z/fairlead-first.yaml', text: '{{- $_ := set .Release "Revision" 7 -}}\n' },
    ]);
  });

  test('sets a version that is not the one in Chart.yaml', () => {
    expect(preamble({ traits: traits({}), revision: 1, version: '1.0.0+0123456789ab' })).toEqual([
      {
        path: 'templates/z/z/fairlead-first.yaml',
        text: '{{- $_ := set .Chart "Version" "1.0.0+0123456789ab" -}}\n',
      },
    ]);
  });

  test('cuts the API versions down to those of the cluster', () => {
    const [first] = preamble({ traits: traits({ usesApiVersions: true }), revision: 7, apiVersions: 42 });
    expect(first?.text).toContain('(sub (len $known) 42)');
    expect(first?.text).not.toContain('Revision');
  });

  test('prints the notes as a separate document', () => {
    const [notes] = preamble({ traits: traits({ hasNotes: true }), revision: 1 });
    // helm that has a cluster refuses documents that are no objects.
    expect(notes?.text).toMatch(/^kind: ConfigMap$/m);
    expect(notes?.text).toContain('include "web/templates/NOTES.txt" . | toJson');
    expect(isNotesSource(`web/${notes?.path ?? ''}`)).toBe(true);
  });
});

test('only the chart itself can carry notes', () => {
  expect(isNotesSource('web/templates/NOTES.txt')).toBe(false);
  expect(isNotesSource('web/charts/sub/templates/00-fairlead-notes.yaml')).toBe(false);
});
