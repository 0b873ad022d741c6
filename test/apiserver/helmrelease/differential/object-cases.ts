import { configMap, hookMap, job, type Case } from './case.js';

/** Charts whose point is what they put on the cluster, and how their files are written. */
export const OBJECT_CASES: readonly Case[] = [
  {
    name: 'namespace-not-set',
    files: {
      'templates/null.yaml': configMap('nobody', '  step: {{ .Values.step | quote }}').replace(
        'metadata:',
        'metadata:\n  namespace: {{ .Values.none }}',
      ),
      'templates/empty.yaml': configMap('nothing', '  step: {{ .Values.step | quote }}').replace(
        'metadata:',
        'metadata:\n  namespace: ""',
      ),
      'templates/hook.yaml': hookMap('hook', 'pre-install,pre-upgrade').replace('metadata:', 'metadata:\n  namespace:'),
    },
  },
  {
    name: 'scopes',
    kinds: [
      ...['clusterroles.rbac.authorization.k8s.io/v1', 'clusterrolebindings.rbac.authorization.k8s.io/v1'],
      'priorityclasses.scheduling.k8s.io/v1',
    ],
    files: {
      'templates/role.yaml': `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: "{{ .Release.Namespace }}:reader"}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: "{{ .Release.Namespace }}:reader"}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "{{ .Release.Namespace }}:reader"}
subjects: [{kind: ServiceAccount, name: default, namespace: {{ .Release.Namespace }}}]
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: "{{ .Release.Namespace }}-high"}
value: 7
---
${configMap('explicit\n  namespace: {{ .Release.Namespace }}', '  step: {{ .Values.step | quote }}')}`,
    },
  },
  {
    name: 'renamed',
    // What is left of the other one's fields goes with us, and stays with helm, which owns them under another name.
    crossed: 'to-engine',
    files: {
      'templates/map.yaml': configMap('named-{{ .Values.step }}', '  a: b'),
      'templates/fields.yaml': configMap('fields', '  {{ .Values.step }}: here\n  always: here'),
      'templates/moved.yaml': configMap('moved', '  a: b'),
    },
  },
  {
    name: 'slimmed',
    crossed: 'to-engine',
    kinds: ['deployments.apps/v1', 'services/v1'],
    files: {
      'templates/deployment.yaml': `apiVersion: apps/v1
kind: Deployment
metadata:
  name: slimmed
{{- if eq .Values.step "one" }}
  annotations: {only: first}
{{- end }}
spec:
  replicas: 1
  selector: {matchLabels: {app: slimmed}}
  template:
    metadata: {labels: {app: slimmed}}
    spec:
      containers:
        - name: web
          image: web
          env:
            - {name: ALWAYS, value: here}
{{- if eq .Values.step "one" }}
            - {name: FIRST, value: here}
          ports: [{name: tls, containerPort: 443}]
          volumeMounts: [{name: tls, mountPath: /tls}]
        - {name: side, image: side}
      volumes: [{name: tls, emptyDir: {}}]
{{- end }}
`,
      'templates/service.yaml': `apiVersion: v1
kind: Service
metadata: {name: slimmed}
spec:
  selector: {app: slimmed}
  ports:
    - {name: http, port: 80}
{{- if eq .Values.step "one" }}
    - {name: tls, port: 443}
{{- end }}
`,
    },
  },
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
    name: 'only-comments',
    crossed: false,
    files: { 'templates/comment.yaml': '# nothing at all\n' },
  },
  {
    name: 'texts',
    files: {
      'templates/crlf.yaml': configMap(
        'crlf',
        '  step: {{ .Values.step | quote }}\n  text: |\n    one\n    two',
      ).replaceAll('\n', '\r\n'),
      'templates/two.yaml': `${configMap('one', '  a: b')}---\n${configMap('two', '  a: b')}`.replaceAll('\n', '\r\n'),
      'templates/unicode.yaml': configMap(
        'unicode',
        '  text: {{ .Values.text | quote }}\n  key: {{ .Values.text | b64enc }}',
      ),
      'templates/dialect.yaml': configMap(
        'dialect',
        '  "yes": "yes"\n  on: "on"\n  null-text: "null"\n  octal: "0644"\n  time: "12:30:45"\n  folded: >-\n    one\n    two\n  kept: |+\n    text\n\n  multi: "a\\\n    b"',
      ),
      'templates/anchors.yaml': configMap('anchors', '  a: &x "1"\n  b: *x'),
    },
    // No blanks beside U+2028: helm loses them where it reads the values.
    install: { text: 'Grüße, 世界 🚀\u2028\\ " \' tab\t nul-free' },
    upgrade: { text: 'é́ \u00a0 ﬁ: {a} - # no' },
  },
  {
    name: 'lists-and-labels',
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
      'templates/labels.yaml': `apiVersion: v1
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
    name: 'metadata',
    version: '1.0.0+build.5',
    files: {
      'Chart.yaml': `apiVersion: v2
name: metadata
version: 1.0.0+build.5
appVersion: 1.10
description: Numbers, people and times
deprecated: true
home: https://example.com
icon: https://example.com/x.png
keywords: [a, 1]
maintainers: [{name: Jo, email: jo@example.com}]
annotations: {note: "1"}
`,
      'templates/map.yaml': configMap(
        'metadata',
        '  chart: {{ .Chart | toJson | quote }}\n  label: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}',
      ),
    },
  },
  {
    name: 'generate-name',
    files: { 'templates/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: made-}\n' },
    ends: { at: 'install', words: /name/ },
  },
  {
    name: 'job-fails',
    files: { 'templates/job.yaml': job('work', 'fail') },
    ends: { at: 'install', words: /work/ },
  },
];
