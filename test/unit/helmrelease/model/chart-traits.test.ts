import { describe, expect, test } from '@jest/globals';
import { chartTraits, textTraits, withText } from '#controllers/helmrelease/model/chart-traits.js';

describe('textTraits', () => {
  test.each([
    ['{{ .Release.Revision }}', true],
    ['{{ index .Release "Revision" }}', true],
    ['{{ toYaml .Release }}', true],
    ['{{ $.Release.Name }} {{ .Release.IsUpgrade }}', false],
    ['revisionHistoryLimit: 3', false],
  ])('%s asks for the revision: %s', (text, expected) => {
    expect(textTraits(text).usesRevision).toBe(expected);
  });

  test.each([
    ['{{ if .Capabilities.APIVersions.Has "v1" }}', true],
    ['{{ with $.Capabilities }}', true],
    ['{{ .Capabilities.KubeVersion.Version }}', false],
  ])('%s asks for the API versions: %s', (text, expected) => {
    expect(textTraits(text).usesApiVersions).toBe(expected);
  });

  test.each([
    ['{{ lookup "v1" "Secret" .Release.Namespace "x" }}', true],
    ['{{ (lookup $version $kind "" "").items }}', true],
    ['# a lookup: of DNS', false],
    ['{{ .Values.lookupTable }}', false],
  ])('%s looks up objects: %s', (text, expected) => {
    expect(textTraits(text).usesLookup).toBe(expected);
  });
});

describe('chartTraits', () => {
  test('an empty chart asks for nothing', () => {
    expect(chartTraits('web', [])).toEqual({
      ...{ name: 'web', hasNotes: false, depth: 0 },
      ...{ usesRevision: false, usesApiVersions: false, usesLookup: false },
      crds: 'none',
    });
  });

  test('one file is enough, and the deepest counts', () => {
    const files = [
      { path: 'templates/NOTES.txt', text: 'hello' },
      { path: 'charts/a/templates/x/y.yaml', text: '{{ .Capabilities.APIVersions }}' },
      { path: 'templates/a.yaml', text: '{{ .Release.Revision }}' },
    ];
    expect(chartTraits('web', files)).toEqual({
      ...{ name: 'web', hasNotes: true, depth: 5 },
      ...{ usesRevision: true, usesApiVersions: true, usesLookup: false },
      crds: 'none',
    });
  });

  test('notes of a subchart are not those of the chart, and prose is not a template', () => {
    const files = [
      { path: 'charts/a/templates/NOTES.txt', text: '' },
      { path: 'README.md', text: 'uses .Release.Revision and lookup "v1"' },
    ];
    expect(chartTraits('web', files)).toMatchObject({ hasNotes: false, usesRevision: false, usesLookup: false });
  });
});

test('a text that may be run as a template counts, and takes nothing away', () => {
  const traits = withText(chartTraits('web', []), '{"text":"{{ .Release.Revision }}"}');
  expect(traits.usesRevision).toBe(true);
  expect(withText(traits, 'plain')).toEqual(traits);
});
