import { configMap, hookMap, job, type Case } from './case.js';

const STEP = '  step: {{ .Values.step | quote }}';
const PLAIN = configMap('plain', STEP);

function subchart(name: string, template: string, values = ''): Record<string, string> {
  return {
    [`charts/${name}/Chart.yaml`]: `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`,
    [`charts/${name}/values.yaml`]: values,
    [`charts/${name}/templates/map.yaml`]: template,
  };
}

function pod(name: string, outcome: string, more = ''): string {
  return `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  annotations:
    helm.sh/hook: test
    sandbox.fairlead.dev/outcome: ${outcome}
${more}
spec:
  restartPolicy: Never
  containers: [{name: main, image: example.com/x}]
`;
}

/** Without `hook-failed` alone: helm refuses to take over a hook that is left by someone else. */
const POLICIES = ['before-hook-creation', 'hook-succeeded', 'hook-succeeded,before-hook-creation'];

/** Workloads, hooks under load, and charts made of charts. */
export const MORE_CASES: readonly Case[] = [
  {
    name: 'lookups',
    files: {
      'templates/map.yaml': configMap(
        'looked-up',
        `${STEP}
  account: {{ (lookup "v1" "ServiceAccount" .Release.Namespace "default").metadata.name | quote }}
  own: {{ (lookup "v1" "ConfigMap" .Release.Namespace "plain").data | toJson | quote }}
  none: {{ lookup "v1" "ConfigMap" .Release.Namespace "absent" | toJson | quote }}
  spaces: {{ len (lookup "v1" "Namespace" "" "kube-system") | quote }}`,
      ),
      'templates/plain.yaml': PLAIN,
    },
  },
  {
    name: 'subcharts',
    files: {
      'Chart.yaml': `apiVersion: v2
name: subcharts
version: 1.0.0
dependencies:
  - {name: chosen, version: 1.0.0, repository: "", condition: chosen.enabled}
  - {name: tagged, version: 1.0.0, repository: "", tags: [extras]}
  - {name: twin, version: 1.0.0, repository: "", alias: left}
  - {name: twin, version: 1.0.0, repository: "", alias: right}
  - {name: giver, version: 1.0.0, repository: "", import-values: [data, {child: inner, parent: taken}]}
`,
      'values.yaml':
        'chosen: {enabled: true}\ntags: {extras: false}\nglobal: {who: all}\nleft: {hand: l}\nright: {hand: r}\nstep: zero\n',
      ...subchart('chosen', configMap('chosen', '  who: {{ .Values.global.who }}')),
      ...subchart('tagged', configMap('tagged', '  who: {{ .Values.global.who }}')),
      ...subchart('twin', configMap('{{ .Chart.Name }}', '  hand: {{ .Values.hand }}'), 'hand: none\n'),
      ...subchart('giver', configMap('giver', '  a: b'), 'exports: {data: {given: "1"}}\ninner: {deep: "2"}\n'),
      'templates/map.yaml': configMap(
        'taken',
        `${STEP}\n  given: {{ .Values.given | quote }}\n  deep: {{ .Values.taken.deep | quote }}`,
      ),
    },
    upgrade: { chosen: { enabled: false }, tags: { extras: true }, global: { who: 'some' }, left: { hand: 'both' } },
  },
  {
    name: 'tested',
    files: {
      'templates/plain.yaml': PLAIN,
      'templates/tests/one.yaml': pod('one', 'succeed', '    helm.sh/hook-weight: "2"'),
      'templates/tests/two.yaml': hookMap('two', 'test', '    helm.sh/hook-weight: "-1"'),
      'templates/tests/gone.yaml': hookMap('gone', 'test', '    helm.sh/hook-delete-policy: hook-succeeded'),
    },
    tests: true,
    spec: { test: { enable: true } },
  },
  {
    name: 'hooks-ordered',
    files: {
      'templates/plain.yaml': PLAIN,
      ...Object.fromEntries(
        POLICIES.map((policy, index) => [
          `templates/${index}.yaml`,
          hookMap(`policy-${index}`, 'pre-install,post-upgrade', `    helm.sh/hook-delete-policy: ${policy}`),
        ]),
      ),
      ...Object.fromEntries(
        ['5', '-3', '0', '10', 'x']
          .slice(0, 4)
          .map((weight, index) => [
            `templates/w${index}.yaml`,
            hookMap(`weight-${index}`, 'post-install,pre-upgrade,pre-rollback', `    helm.sh/hook-weight: "${weight}"`),
          ]),
      ),
      'templates/job.yaml': job(
        'worker',
        'succeed',
        '    helm.sh/hook: pre-install,pre-upgrade\n    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded',
      ),
    },
  },
  {
    name: 'hooks-fail-upgrade',
    files: {
      'templates/plain.yaml': PLAIN,
      'templates/bad.yaml': job(
        'bad',
        '{{ .Values.outcome | default "succeed" }}',
        '    helm.sh/hook: pre-upgrade\n    helm.sh/hook-delete-policy: before-hook-creation',
      ),
      'templates/late.yaml': hookMap('late', 'pre-upgrade', '    helm.sh/hook-weight: "2"'),
    },
    upgrade: { outcome: 'fail' },
    ends: { at: 'upgrade', words: /pre-upgrade hooks failed: .*bad/s },
  },
  {
    name: 'job-with-ttl',
    crossed: false,
    files: {
      'templates/job.yaml': job('passing-{{ .Values.step }}', 'succeed').replace(
        'spec:\n',
        'spec:\n  ttlSecondsAfterFinished: 600\n',
      ),
      'templates/plain.yaml': PLAIN,
    },
  },
  {
    name: 'three-hundred',
    files: {
      'templates/many.yaml': `{{- range $i, $_ := until 300 }}\n---\n${configMap('many-{{ $i }}', '  step: {{ $.Values.step | quote }}\n  i: {{ $i | quote }}')}{{- end }}\n`,
    },
    crossed: false,
  },
  {
    name: 'workloads',
    files: {
      'templates/all.yaml': `apiVersion: v1
kind: ServiceAccount
metadata: {name: web}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{name: http, port: 80, targetPort: http}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {step: {{ .Values.step }}}}
    spec:
      serviceAccountName: web
      containers: [{name: web, image: example.com/web, ports: [{name: http, containerPort: 8080}], env: [{name: STEP, value: {{ .Values.step }}}]}]
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: web
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: db, image: example.com/db}]}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: "0 3 * * *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: example.com/x}]}}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: web}
spec: {podSelector: {matchLabels: {app: web}}, policyTypes: [Ingress]}
`,
    },
    kinds: [
      ...['services/v1', 'serviceaccounts/v1', 'deployments.apps/v1', 'statefulsets.apps/v1', 'cronjobs.batch/v1'],
      ...['poddisruptionbudgets.policy/v1', 'networkpolicies.networking.k8s.io/v1'],
    ],
  },
  {
    name: 'files',
    crossed: false,
    files: {
      'config/one.txt': 'first line\nsecond {{ line }}\n',
      'config/sub/two.json': '{"a": 1}\n',
      '.helmignore': 'config/ignored.txt\n',
      'config/ignored.txt': 'not there\n',
      'templates/files.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: files}
data:
  step: {{ .Values.step | quote }}
  get: {{ .Files.Get "config/one.txt" | quote }}
  lines: {{ .Files.Lines "config/one.txt" | toJson | quote }}
  ignored: {{ .Files.Get "config/ignored.txt" | quote }}
{{ (.Files.Glob "config/**").AsConfig | indent 2 }}
---
apiVersion: v1
kind: Secret
metadata: {name: files}
data:
{{ (.Files.Glob "config/*.txt").AsSecrets | indent 2 }}
`,
    },
  },
];
