import { configMap, hookMap, job, type Case } from './case.js';

const EVENTS = [
  'pre-install',
  'post-install',
  'pre-upgrade',
  'post-upgrade',
  'pre-rollback',
  'post-rollback',
  'pre-delete',
  'post-delete',
];

const PLAIN = configMap('plain', '  step: {{ .Values.step | quote }}');

/** Charts whose point is their hooks. */
export const HOOK_CASES: readonly Case[] = [
  {
    name: 'hooks-every-kind',
    files: {
      'templates/plain.yaml': PLAIN,
      ...Object.fromEntries(EVENTS.map((event) => [`templates/${event}.yaml`, hookMap(event, event)])),
    },
  },
  {
    name: 'hooks-odd',
    files: {
      'templates/plain.yaml': PLAIN,
      'templates/unknown.yaml': hookMap('unknown', 'crd-install'),
      'templates/half-known.yaml': hookMap('half-known', 'pre-install,sometime'),
      'templates/old-test.yaml': hookMap('old-test', 'test-success'),
      'templates/spaces.yaml': hookMap('spaces', '"Pre-Install , POST-UPGRADE"'),
      'templates/twice.yaml': hookMap('twice', 'pre-install,pre-install'),
      'templates/mixed.yaml': `${configMap('mixed', '  step: {{ .Values.step | quote }}')}---\n${hookMap('mixed-hook', 'post-install')}---\n${hookMap('mixed-hook-2', 'pre-upgrade')}`,
      'templates/two-kinds.yaml': `apiVersion: v1
kind: List
metadata: {annotations: {helm.sh/hook: pre-install}}
items:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: in-list-1}, data: {a: b}}
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: in-list-2}, data: {a: b}}
`,
    },
  },
  {
    name: 'hooks-fail-install',
    files: {
      'templates/plain.yaml': PLAIN,
      'templates/fine.yaml': hookMap('fine', 'pre-install', '    helm.sh/hook-delete-policy: hook-succeeded'),
      'templates/bad.yaml': job('bad', 'fail', '    helm.sh/hook: pre-install\n    helm.sh/hook-weight: "1"'),
      'templates/late.yaml': hookMap('late', 'pre-install', '    helm.sh/hook-weight: "2"'),
    },
    ends: { at: 'install', words: /failed pre-install: .*bad/s },
  },
];
