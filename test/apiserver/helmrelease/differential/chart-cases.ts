import { configMap, type Case } from './case.js';

const PLAIN = configMap('plain', '  step: {{ .Values.step | quote }}');

function crd(kind: string, plural: string, group = 'diff.example.com'): string {
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ${plural}.${group}
spec:
  group: ${group}
  names: {kind: ${kind}, plural: ${plural}}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, description: first, x-kubernetes-preserve-unknown-fields: true}}
`;
}

function chartYaml(name: string, more = ''): string {
  return `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n${more}`;
}

/** Charts whose point is how they are put together and rendered. */
export const CHART_CASES: readonly Case[] = [
  {
    name: 'plain-notes',
    files: {
      'values.yaml': 'step: zero\ndeep: {a: 1, gone: here}\n',
      'values.schema.json': JSON.stringify({ properties: { step: { type: 'string' } }, required: ['step'] }),
      'templates/plain.yaml': configMap(
        'plain',
        '  step: {{ .Values.step | quote }}\n  gone: {{ .Values.deep.gone | quote }}',
      ),
      'templates/NOTES.txt':
        'Hi <you> & "me", {{ .Release.Name }} of {{ .Chart.Name }} is at {{ .Release.Revision }}.\n---\n# Source: none\n  {{ .Template.Name }}: {{ .Values.step }}\n\n',
    },
    upgrade: { step: 'two', deep: { gone: null, more: ['x', { y: 1 }] } },
  },
  {
    name: 'notes-and-library',
    crossed: false,
    files: {
      'templates/NOTES.txt': '{{ include "note" . }}',
      'templates/_note.tpl':
        '{{- define "note" -}}{{ .Template.BasePath }} {{ .Capabilities.KubeVersion.Version }}{{- end -}}',
      'charts/kid/Chart.yaml': chartYaml('kid'),
      'charts/kid/templates/NOTES.txt': 'of the kid\n',
      'charts/kid/templates/map.yaml': configMap('kid', '  revision: {{ .Release.Revision | quote }}'),
      'charts/lib/Chart.yaml': chartYaml('lib', 'type: library\n'),
      'charts/lib/templates/_map.tpl': `{{- define "lib.map" -}}\n${configMap('{{ .name }}', '  value: {{ .value | quote }}')}{{- end -}}`,
      'templates/map.yaml': '{{ include "lib.map" (dict "name" "made" "value" .Values.step) }}\n',
    },
  },
  {
    name: 'crds',
    files: {
      'crds/things.yaml': `${crd('Thing', 'things')}---\n${crd('Other', 'others')}`,
      'templates/thing.yaml':
        'apiVersion: diff.example.com/v1\nkind: Thing\nmetadata: {name: thing}\nspec: {step: {{ .Values.step }}, big: 9007199254740993}\n',
    },
    kinds: ['things.diff.example.com/v1'],
  },
  {
    name: 'crds-of-helm-template',
    files: {
      'crds/tubes.yaml': `---\n# Source: other/templates/crd.yaml\n${crd('Tube', 'tubes')}`,
      'templates/tube.yaml':
        '# Source: crds-of-helm-template/templates/none.yaml\n---\n# Source: crds-of-helm-template/crds/tubes.yaml\n' +
        'apiVersion: diff.example.com/v1\nkind: Tube\nmetadata: {name: tube}\nspec: {step: {{ .Values.step }}}\n',
    },
    kinds: ['tubes.diff.example.com/v1'],
  },
  {
    name: 'crds-asked-for',
    crossed: false,
    files: {
      'crds/gauges.yaml': crd('Gauge', 'gauges', 'gauge.example.com'),
      'templates/gauge.yaml':
        '{{ if .Capabilities.APIVersions.Has "gauge.example.com/v1/Gauge" }}\n' +
        'apiVersion: gauge.example.com/v1\nkind: Gauge\nmetadata: {name: gauge}\nspec: {step: {{ .Values.step }}}\n' +
        '{{ else }}{{ fail "no gauges here" }}{{ end }}\n',
      'templates/plain.yaml': configMap('plain', '  step: {{ .Values.step | quote }}'),
    },
    kinds: ['gauges.gauge.example.com/v1'],
  },
  {
    name: 'crds-of-subcharts',
    crossed: false,
    files: {
      'Chart.yaml': chartYaml(
        'crds-of-subcharts',
        'dependencies:\n- {name: kid, version: 1.0.0}\n- {name: idle, version: 1.0.0, condition: idle.enabled}\n',
      ),
      'values.yaml': 'step: zero\nidle: {enabled: false}\n',
      'charts/kid/Chart.yaml': chartYaml('kid'),
      'charts/kid/crds/kids.yaml': `# Source: kid/templates/a.yaml\n${crd('Kid', 'kids', 'kid.example.com')}`,
      'charts/kid/templates/kid.yaml':
        'apiVersion: kid.example.com/v1\nkind: Kid\nmetadata: {name: kid}\nspec: {a: b}\n',
      'charts/idle/Chart.yaml': chartYaml('idle'),
      'charts/idle/crds/idles.yaml': crd('Idle', 'idles', 'idle.example.com'),
      'templates/plain.yaml': configMap(
        'plain',
        '  idle: {{ .Capabilities.APIVersions.Has "idle.example.com/v1" | quote }}',
      ),
    },
    upgrade: { idle: { enabled: false }, more: 'x' },
    kinds: ['kids.kid.example.com/v1'],
  },
  {
    name: 'crds-skipped',
    crossed: false,
    files: { 'crds/never.yaml': crd('Never', 'nevers'), 'templates/plain.yaml': PLAIN },
    helmFlags: ['--skip-crds'],
    spec: { install: { crds: 'Skip' }, upgrade: { crds: 'Skip', remediation: { remediateLastFailure: true } } },
  },
  {
    name: 'keep',
    files: {
      'templates/kept.yaml':
        '{{- if eq .Values.step "one" }}\n' +
        configMap('kept', '  a: b', '    helm.sh/resource-policy: keep') +
        '{{- end }}\n',
      'templates/always.yaml': configMap(
        'always',
        '  step: {{ .Values.step | quote }}',
        '    helm.sh/resource-policy: " Keep "',
      ),
      'templates/gone.yaml': '{{- if eq .Values.step "one" }}\n' + configMap('gone', '  a: b') + '{{- end }}\n',
    },
  },
  {
    name: 'schema-refuses',
    files: {
      'values.schema.json': JSON.stringify({ properties: { step: { type: 'integer' } } }),
      'templates/plain.yaml': PLAIN,
    },
    ends: { at: 'refused', words: /at '\/step': got string, want integer/ },
  },
  {
    name: 'schema-skipped',
    crossed: false,
    files: {
      'values.schema.json': JSON.stringify({ properties: { step: { type: 'integer' } } }),
      'templates/plain.yaml': PLAIN,
    },
    helmFlags: ['--skip-schema-validation'],
    spec: {
      install: { disableSchemaValidation: true },
      upgrade: { disableSchemaValidation: true, remediation: { remediateLastFailure: true } },
    },
  },
  {
    name: 'preserve-values',
    files: {
      'values.yaml': 'kept: by default\nmap: {a: 1, b: 1}\nlist: [1, 2]\n',
      'templates/values.yaml': configMap('values', '  all: {{ .Values | toJson | quote }}'),
    },
    install: { step: 'one', map: { b: 2, c: 3 }, list: [3] },
    upgrade: { step: 'two', map: { d: 4 }, added: true },
    upgradeFlags: ['--reuse-values'],
    spec: { upgrade: { preserveValues: true, remediation: { remediateLastFailure: true } } },
  },
  {
    name: 'release-and-capabilities',
    crossed: false,
    files: {
      'templates/a/b/c/map.yaml': configMap(
        'release',
        '  all: {{ .Release | toJson | quote }}\n  install: {{ .Release.IsInstall | quote }}\n  upgrade: {{ .Release.IsUpgrade | quote }}\n  next: {{ add .Release.Revision 1 | quote }}\n  type: {{ typeOf .Release.Revision }}',
      ),
      'templates/tpl.yaml': configMap('tpl', '  text: {{ tpl .Values.text . | quote }}'),
      'charts/kid/Chart.yaml': chartYaml('kid'),
      'charts/kid/templates/map.yaml': configMap(
        'kid',
        '  old: {{ .Capabilities.APIVersions.Has "policy/v1beta1" | quote }}',
      ),
      'templates/capabilities.yaml': configMap(
        'capabilities',
        `  has: '{{ .Capabilities.APIVersions.Has "apps/v1/Deployment" }} {{ .Capabilities.APIVersions.Has "v1" }}'
  old: '{{ .Capabilities.APIVersions.Has "extensions/v1beta1" }} {{ has "batch/v1beta1" .Capabilities.APIVersions }}'
  kube: '{{ .Capabilities.KubeVersion.Version }} {{ .Capabilities.KubeVersion.GitVersion }} {{ .Capabilities.KubeVersion.Major }} {{ .Capabilities.KubeVersion.Minor }}'
  semver: '{{ semverCompare ">=1.25-0" .Capabilities.KubeVersion.Version }}'
  helm: {{ .Capabilities.HelmVersion.Version }}
  all: |
    {{- range (sortAlpha .Capabilities.APIVersions) }}
    {{- if not (contains "example.com" .) }}
    {{ . }}
    {{- end }}
    {{- end }}`,
      ),
    },
    install: { text: '{{ .Release.Revision }}' },
    upgrade: { text: 'now {{ .Release.Revision }} {{ .Values.text | len }}' },
  },
  {
    name: 'kube-version',
    files: { 'Chart.yaml': chartYaml('kube-version', 'kubeVersion: ">=1.99.0"\n'), 'templates/plain.yaml': PLAIN },
    ends: { at: 'refused', words: /chart requires kubeVersion: >=1.99.0 which is incompatible/ },
  },
  {
    name: 'numbers',
    files: {
      'values.yaml': 'big: 9007199254740993\nfloat: 1.5\noctal: 0644\nexp: 1e3\nstep: zero\n',
      'templates/map.yaml': configMap(
        'numbers',
        '  big: {{ .Values.big | quote }}\n  int: {{ .Values.big | int64 | quote }}\n  own: {{ .Values.own | toJson | quote }}\n  rest: {{ list .Values.float .Values.octal .Values.exp | toJson | quote }}\n  yaml: |\n{{ toYaml .Values.own | indent 4 }}',
      ),
    },
    install: { own: { big: 9007199254740991, half: 0.5, tiny: 1e-7, huge: 1e21, minus: -0.25, text: '1e3' } },
    upgrade: { own: { big: 1234567, list: [1, 2.5, '3', true, null] } },
  },
  {
    name: 'required',
    files: { 'templates/map.yaml': configMap('a', '  b: {{ required "set .Values.name, please" .Values.name }}') },
    ends: { at: 'refused', words: /set \.Values\.name, please/ },
  },
  {
    name: 'fail-in-notes',
    files: { 'templates/plain.yaml': PLAIN, 'templates/NOTES.txt': '{{ fail "not on my watch" }}' },
    ends: { at: 'refused', words: /execution error at \(fail-in-notes\/templates\/NOTES\.txt:1:3\): not on my watch/ },
  },
  {
    name: 'not-yaml',
    files: { 'templates/map.yaml': 'kind: ConfigMap\n  broken: [\n' },
    ends: { at: 'refused', words: /YAML parse error on not-yaml\/templates\/map\.yaml/ },
  },
];
