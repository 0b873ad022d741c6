import { configMap, type Case } from './case.js';

/** Charts whose point is what they put on the cluster, and how their files are written. */
export const OBJECT_CASES: readonly Case[] = [
  {
    name: 'empties',
    files: {
      'templates/empty.yaml': '',
      'templates/blank.yaml': '\n   \n\n',
      'templates/comment.yaml': '# nothing here\n',
      'templates/off.yaml': '{{- if false }}\nkind: ConfigMap\n{{- end }}\n',
      'templates/lines.yaml': '---\n---\n# a comment\n---\n',
      'templates/multi.yaml': `---\n# before\n${configMap('first', '  a: b')}---   \n\n${configMap('second', '  step: {{ .Values.step | quote }}')}---\n`,
      'templates/end.yaml': `${configMap('ended', '  a: b')}...\n`,
    },
  },
  {
    name: 'lists',
    files: {
      'templates/list.yaml': `apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: one}, data: {step: {{ .Values.step }}}}
  - {apiVersion: v1, kind: Secret, metadata: {name: two}, stringData: {a: b}}
`,
      'templates/typed.yaml': `apiVersion: v1
kind: ConfigMapList
items:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: typed}, data: {step: {{ .Values.step }}}}
`,
    },
  },
  {
    name: 'labels',
    files: {
      'templates/map.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: labels
  labels: {app.kubernetes.io/managed-by: Tiller, own: label}
  annotations: {meta.helm.sh/release-name: someone, own: annotation}
`,
      'templates/hook.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: hook
  labels: {app.kubernetes.io/managed-by: Tiller}
  annotations: {helm.sh/hook: "pre-install,pre-upgrade"}
`,
    },
  },
  {
    name: 'generate-name',
    files: { 'templates/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: made-}\n' },
    ends: { at: 'install', words: /name/ },
  },
];
