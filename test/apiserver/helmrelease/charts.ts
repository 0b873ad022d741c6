import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Files of a chart by their path in it; `Chart.yaml` is made. */
export type ChartFiles = Readonly<Record<string, string>>;

const CONFIG_MAP = `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
data:
  color: {{ .Values.color | quote }}
  upgrade: {{ .Release.IsUpgrade | quote }}
{{- with .Values.key }}
  {{ . }}: x
{{- end }}
`;

const EXTRA = `{{- if .Values.extra }}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-extra
{{- if .Values.keepExtra }}
  annotations:
    helm.sh/resource-policy: keep
{{- end }}
{{- end }}
`;

const DEPLOYMENT = `{{- if .Values.image }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata:
      labels: {app: {{ .Release.Name }}}
      annotations:
        sandbox.fairlead.dev/outcome: {{ .Values.outcome }}
    spec:
      containers: [{name: web, image: {{ .Values.image }}}]
{{- end }}
`;

const SCHEMA = JSON.stringify({ type: 'object', properties: { color: { type: 'string' } } });

const VALUES = `color: blue
extra: true
keepExtra: false
image: ""
outcome: run
`;

/** A chart of ConfigMaps whose behaviour its values choose. */
export const PLAIN: ChartFiles = {
  'values.yaml': VALUES,
  'values.schema.json': SCHEMA,
  'README.md': '# plain\n',
  'templates/config.yaml': CONFIG_MAP,
  'templates/extra.yaml': EXTRA,
  'templates/deployment.yaml': DEPLOYMENT,
};

function pod(name: string, annotations: string): string {
  return `apiVersion: v1
kind: Pod
metadata:
  name: {{ .Release.Name }}-${name}
  annotations:
${annotations}
spec:
  restartPolicy: Never
  containers: [{name: main, image: example.com/x}]
`;
}

/** A Job that is a hook of `event`; the value of its name says how it ends. */
export function job(name: string, event: string, extra = ''): string {
  return `apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-${name}
  annotations:
    helm.sh/hook: ${event}
${extra}
spec:
  backoffLimit: 0
  template:
    metadata:
      annotations: {sandbox.fairlead.dev/outcome: {{ .Values.${name} | default "succeed" }}}
    spec:
      restartPolicy: Never
      containers: [{name: main, image: example.com/x}]
`;
}

/** Jobs that the cluster deletes as soon as they end, one of them a hook, and a Deployment that does not roll out. */
export const FLEETING: ChartFiles = {
  ...PLAIN,
  'templates/before.yaml': job('before', 'pre-install').replace('spec:', 'spec:\n  ttlSecondsAfterFinished: 0'),
  'templates/once.yaml': job('once', 'none')
    .replace('helm.sh/hook', 'example.com/note')
    .replace('spec:', 'spec:\n  ttlSecondsAfterFinished: 0'),
  'templates/paused.yaml': `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}-paused
spec:
  paused: true
  selector: {matchLabels: {app: paused}}
  template:
    metadata: {labels: {app: paused}}
    spec: {containers: [{name: main, image: example.com/x}]}
`,
};

/** PLAIN with hooks, a test and a CRD. */
export const HOOKED: ChartFiles = {
  ...PLAIN,
  'values.yaml': `${VALUES}check: succeed\nbefore: succeed\n`,
  'crds/thing.yaml': `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: things.hooked.example.com
spec:
  group: hooked.example.com
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions:
    - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
`,
  'templates/before.yaml': job('before', 'pre-install,pre-upgrade'),
  'templates/after.yaml': job('after', 'post-install', '    helm.sh/hook-delete-policy: hook-succeeded'),
  'templates/gone.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-farewell
  annotations:
    helm.sh/hook: post-delete
`,
  'templates/tests/check.yaml': pod(
    'check',
    '    helm.sh/hook: test\n    sandbox.fairlead.dev/outcome: {{ .Values.check }}',
  ),
};

/** Writes a chart folder that `helm package` takes. */
export async function writeChart(dir: string, name: string, version: string, files: ChartFiles): Promise<string> {
  const folder = path.join(dir, name);
  const chart = `apiVersion: v2\nname: ${name}\nversion: ${version}\nappVersion: "7"\n`;
  for (const [file, text] of Object.entries({ 'Chart.yaml': chart, ...files })) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), text);
  }
  return folder;
}
