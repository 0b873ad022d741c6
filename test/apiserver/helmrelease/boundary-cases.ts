import type { HelmRelease } from '#api/flux/helm-release.js';
import type { ChartFiles } from './charts.js';
import { conditionOf } from './harness.js';

type Spec = Partial<HelmRelease['spec']>;

function configMap(name: string, annotations: string, data: string): string {
  return `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}${name}
  annotations:
    about: boundaries
${annotations}
data:
${data}
`;
}

const COLOR = '  color: {{ .Values.color }}';

/** A chart whose actions have every kind of step, and no step that takes time: its hooks are ConfigMaps. */
export const STEPS: ChartFiles = {
  'values.yaml': 'color: red\nextra: true\nbad: false\n',
  'templates/config.yaml': configMap('', '', COLOR),
  'templates/extra.yaml': `{{- if .Values.extra }}\n${configMap('-extra', '', COLOR)}{{- end }}\n`,
  'templates/bad.yaml': `{{- if .Values.bad }}\n${configMap('-bad', '', '  "no key": x')}{{- end }}\n`,
  'templates/before.yaml': configMap('-before', '    helm.sh/hook: pre-install,pre-rollback,pre-delete', COLOR),
  'templates/after.yaml': configMap(
    '-after',
    '    helm.sh/hook: post-upgrade,post-delete\n    helm.sh/hook-delete-policy: hook-succeeded',
    COLOR,
  ),
  'templates/tests/check.yaml': configMap('-check', '    helm.sh/hook: test', COLOR),
};

/** One type of action, from the write that starts it to the end of what follows from it. */
export interface BoundaryCase {
  /** Lower-case letters: part of object names. */
  readonly action: string;
  /** What runs before the action; absent: nothing. */
  readonly before?: Spec;
  /** What the action is asked for by; a deletion and a lock are asked for otherwise. */
  readonly wish: Spec | 'delete' | 'lock';
  /** Whether the release has come to rest; undefined stands for one that is gone. */
  readonly isSettled: (release: HelmRelease | undefined) => boolean;
  /** Revisions when nothing cuts the action off. */
  readonly undisturbed: readonly string[];
  /** The first write that is of interest; those before it belong to another action. Absent: all are. */
  readonly from?: RegExp;
}

function isCurrent(release: HelmRelease | undefined, type: string): release is HelmRelease {
  if (release?.status?.observedGeneration !== release?.metadata.generation || release === undefined) return false;
  return conditionOf(release, type)?.status === 'True';
}

function isReady(release: HelmRelease | undefined): boolean {
  return isCurrent(release, 'Ready');
}

/** What the status remembers of a revision beside chart and values. */
const METADATA = { labels: { team: 'boundaries' } };

/** Names what asks for the work on a lock. */
export const REQUESTED = 'now';

export const BOUNDARY_CASES: readonly BoundaryCase[] = [
  {
    action: 'install',
    wish: { install: { createNamespace: true }, commonMetadata: METADATA },
    isSettled: isReady,
    undisturbed: ['1 deployed'],
  },
  {
    action: 'upgrade',
    before: {},
    wish: { values: { color: 'green', extra: false }, commonMetadata: METADATA },
    isSettled: isReady,
    undisturbed: ['1 superseded', '2 deployed'],
  },
  {
    action: 'rollback',
    before: {},
    wish: { upgrade: { remediation: { remediateLastFailure: true } }, values: { color: 'green', bad: true } },
    isSettled: (release) => isCurrent(release, 'Stalled') && conditionOf(release, 'Remediated')?.status === 'True',
    undisturbed: ['1 superseded', '2 failed', '3 deployed'],
  },
  {
    action: 'remedy',
    wish: { install: { remediation: { retries: 1 } }, values: { bad: true } },
    isSettled: (release) => isCurrent(release, 'Stalled'),
    undisturbed: ['1 failed'],
    from: /^update secrets/,
  },
  {
    action: 'uninstall',
    before: {},
    wish: 'delete',
    isSettled: (release) => release === undefined,
    undisturbed: [],
  },
  {
    action: 'test',
    before: {},
    wish: { test: { enable: true } },
    isSettled: (release) => isReady(release) && release !== undefined && isCurrent(release, 'TestSuccess'),
    undisturbed: ['1 deployed'],
  },
  {
    action: 'unlock',
    before: {},
    wish: 'lock',
    isSettled: (release) => isReady(release) && release?.status?.lastHandledReconcileAt === REQUESTED,
    undisturbed: ['1 failed', '2 deployed'],
  },
];
