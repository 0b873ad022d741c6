import type { HelmRelease } from '#api/flux/helm-release.js';
import type { ChartFiles } from '../charts.js';

export type Values = Readonly<Record<string, unknown>>;

/** One chart that helm and the engine bring up on a member each. */
export interface Case {
  /** Also the chart's name. */
  readonly name: string;
  readonly files: ChartFiles;
  /** Default 1.0.0. */
  readonly version?: string;
  /** Values of the install; default `{ step: one }`. */
  readonly install?: Values;
  /** Values of the upgrade; default `{ step: two }`. */
  readonly upgrade?: Values;
  /** Where the story ends, and why: both must fail then, `refused` without a revision. */
  readonly ends?: { readonly at: 'refused' | 'install' | 'upgrade'; readonly words: RegExp };
  /** What asks helm and the engine for the same. */
  readonly helmFlags?: readonly string[];
  /** Flags that only an upgrade knows. */
  readonly upgradeFlags?: readonly string[];
  readonly spec?: Partial<HelmRelease['spec']>;
  readonly tests?: boolean;
  /**
   * False: each side tells its story alone only, which is half the work. `to-engine`: only the engine goes on where helm
   * stopped, compared with helm that goes on itself.
   */
  readonly crossed?: boolean | 'to-engine';
  /** What else to look at: `plural.group/version`. */
  readonly kinds?: readonly string[];
}

export function configMap(name: string, data: string, annotations = ''): string {
  const block = annotations === '' ? '' : `  annotations:\n${annotations}\n`;
  return `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
${block}data:
${data}
`;
}

/** A ConfigMap that is a hook: the cheapest one there is. */
export function hookMap(name: string, event: string, more = ''): string {
  const data = '  revision: {{ .Release.Revision | quote }}\n  step: {{ .Values.step | quote }}';
  return configMap(name, data, `    helm.sh/hook: ${event}${more === '' ? '' : `\n${more}`}`);
}

/** A Job whose pod does what `outcome` says; `annotations` are its own. */
export function job(name: string, outcome: string, annotations = '    none: "1"'): string {
  return `apiVersion: batch/v1
kind: Job
metadata:
  name: ${name}
  annotations:
${annotations}
spec:
  backoffLimit: 0
  template:
    metadata:
      annotations: {sandbox.fairlead.dev/outcome: ${outcome}}
    spec:
      restartPolicy: Never
      containers: [{name: main, image: example.com/x}]
`;
}
