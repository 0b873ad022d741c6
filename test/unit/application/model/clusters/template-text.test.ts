import { describe, expect, test } from '@jest/globals';
import { actionsOf } from '#controllers/application/model/destinations/template-text.js';
import { cpuMsOf } from '../../../../support/cpu-time.js';

function wordsOf(text: string): string[] {
  return actionsOf(text).flatMap(({ words }) => words);
}

function fieldsOf(text: string): string[] {
  return actionsOf(text).flatMap(({ fields }) => fields.map((path) => path.join('.')));
}

describe('the words of a template', () => {
  test.each<[text: string, words: string[]]>([
    ['now {{ upper .a }} now', ['upper']],
    ['{{- $x := list 1 2 -}}', ['list']],
    ['{{ printf "now %s" .now | quote }}', ['printf', 'quote']],
    ['{{ "}}" | now }}', ['now']],
    ['{{ `"` }}{{ now }}', ['now']],
    ["{{ '\"' }}{{ now }}", ['now']],
    ['{{ "\\"" | now }}', ['now']],
    ['{{/* now }} */}}{{ upper "a" }}', ['upper']],
    ['{{- /* now */ -}}{{ now }}', ['now']],
    ['{{ .x.keys }}{{ $keys }}{{ (list 1).keys }}', ['list']],
    ['{{ "open', []],
    ['{{/* open', []],
    ['{{', []],
  ])('%j', (text, words) => expect(wordsOf(text)).toEqual(words));
});

describe('the fields that a template reads', () => {
  test.each<[text: string, fields: string[]]>([
    ['{{ .a.b }}{{ $.c }}', ['a.b', 'c']],
    ['{{ range .a }}{{ .b }}{{ $.c }}{{ end }}{{ .d }}', ['a', 'c', 'd']],
    ['{{ if .a }}{{ .b }}{{ else }}{{ .c }}{{ end }}', ['a', 'b', 'c']],
    ['{{ with .a }}{{ if .b }}{{ .c }}{{ end }}{{ end }}', ['a']],
    ['{{ define "x" }}{{ .a }}{{ $.b }}{{ end }}{{ .c }}', ['c']],
    ['{{ $x := .a }}{{ $x.b }}', ['a']],
    ['{{ (index .a 0).b }}', ['a']],
  ])('%j', (text, fields) => expect(fieldsOf(text)).toEqual(fields));
});

test.each(['{{ "', "{{ '", '{{ `', '{{/*', '{{ (', '{{ .a', '{{ $', '}}{{'])(
  'a text of many %j is read in a moment',
  (part) => {
    const text = part.repeat(65_536 / part.length);
    expect(cpuMsOf(() => actionsOf(text))).toBeLessThan(2_000);
  },
);
