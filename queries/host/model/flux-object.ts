import sortBy from 'lodash/sortBy.js';
import { configMapResource, secretResource } from '#api/core.js';
import { SOURCE_KIND_NAMES, SOURCE_RESOURCES } from '#api/flux/source-kinds.js';
import type { KubeObject, ObjectRef, ResourceType } from '#api/meta.js';
import { WORST_FIRST } from '#api/v1alpha1/states.js';
import { backendOf, BACKENDS } from '#controllers/application/model/backends/index.js';
import { clusterNameOf } from '#controllers/application/model/child/cluster.js';
import { currentCondition, ownerNames, revisionOf } from '#controllers/application/model/child/metadata.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { childMessage, stateOf } from '#controllers/application/model/children/state.js';
import { isMap } from '#lib/plain.js';
import type { FluxObjectView, NeedView } from '../../answers/flux-object.js';
import { sourceViews } from '../../views/source-view.js';

/** The object as its API server lists it, which leaves out the kind; one without a spec has an empty one. */
export function fluxObject(object: Omit<Child, 'spec'> & { readonly spec?: Child['spec'] }, type: ResourceType): Child {
  const { group, version, kind } = type;
  return { ...object, apiVersion: `${group}/${version}`, kind, spec: object.spec ?? {} };
}

/** A HelmRelease or Kustomization by its own status. Never throws. */
export function fluxObjectView(child: Child): FluxObjectView {
  const { namespaceOf, releaseName, liveKey } = backendOf(child);
  const state = stateOf({ child, rejected: false, writeFailed: false });
  const { namespace = '', name } = child.metadata;
  return {
    ...{ kind: child.kind, namespace, name },
    application: ownerNames(child)[0] ?? '',
    cluster: clusterNameOf(child),
    targetNamespace: namespaceOf(child) ?? '',
    release: releaseName(liveKey(child)) ?? '',
    state,
    reason: currentCondition(child, 'Ready')?.reason ?? '',
    revision: revisionOf(child) ?? '',
    message: childMessage(child, state),
  };
}

/** A HelmRelease or Kustomization with its view. */
export interface ViewedObject {
  readonly child: Child;
  readonly view: FluxObjectView;
}

/** The plain ones, which belong to no Application: the worst first, then by namespace, kind and name. */
export function plainObjects(children: readonly Child[]): ViewedObject[] {
  const plain = children
    .map((child) => ({ child, view: fluxObjectView(child) }))
    .filter(({ view }) => view.application === '');
  const nameOf = ({ view }: ViewedObject): string => `${view.namespace}/${view.kind}/${view.name}`;
  return sortBy(plain, ({ view }) => WORST_FIRST.indexOf(view.state), nameOf);
}

/** A reference of a HelmRelease or Kustomization to an object that it needs. */
export interface Reference extends Pick<NeedView, 'field' | 'kind' | 'namespace' | 'name'> {
  readonly type: ResourceType;
  /** Its Ready tells whether it can be used; the existence of others is enough. */
  readonly isReconciled: boolean;
  /** An expression decides in place of its state. */
  readonly hasExpression: boolean;
}

const CONTENT = [secretResource, configMapResource];
const TYPES: readonly ResourceType[] = [
  ...SOURCE_KIND_NAMES.map((kind) => SOURCE_RESOURCES[kind]),
  ...BACKENDS.map(({ resource }) => resource),
  ...CONTENT,
];

/** The reference in a field; none for an optional one, or for a value that cannot be read as a reference. */
function referenceAt({ metadata }: Child, field: string, said: unknown, defaultKind: string): Reference[] {
  const { kind = defaultKind, name, namespace = metadata.namespace, optional, ...more } = isMap(said) ? said : {};
  const type = TYPES.find((each) => each.kind === kind);
  if (type === undefined || typeof name !== 'string' || typeof namespace !== 'string' || optional === true) return [];
  const hasExpression = (more['readyExpr'] ?? '') !== '';
  return [{ field, kind: type.kind, namespace, name, type, isReconciled: !CONTENT.includes(type), hasExpression }];
}

function within(object: unknown, ...path: readonly string[]): unknown {
  return path.reduce((found, name) => (isMap(found) ? found[name] : undefined), object);
}

/** The HelmChart that the engine made for it: where no version of a chart is found, that says so. */
function chartOf({ status }: Child): ObjectRef | undefined {
  const [namespace, name] = (status?.helmChart ?? '').split('/');
  return name === undefined || namespace === undefined ? undefined : { namespace, name };
}

/** The objects that a HelmRelease or Kustomization refers to, with the field that does. Never throws. */
export function referencesOf(child: Child): Reference[] {
  const { spec } = child;
  const at = (path: readonly string[], defaultKind = '') =>
    referenceAt(child, `spec.${path.join('.')}`, within(spec, ...path), defaultKind);
  const each = (path: readonly string[], defaultKind = '') => {
    const items = within(spec, ...path);
    return (Array.isArray(items) ? items : []).flatMap((said, index) =>
      referenceAt(child, `spec.${path.join('.')}[${index}]`, said, defaultKind),
    );
  };
  return [
    ...at(['sourceRef']),
    ...at(['chartRef']),
    ...at(['chart', 'spec', 'sourceRef']),
    ...referenceAt(child, 'spec.chart', chartOf(child), 'HelmChart'),
    ...each(['dependsOn'], child.kind),
    ...each(['valuesFrom']),
    ...each(['postBuild', 'substituteFrom']),
    ...at(['decryption', 'secretRef'], 'Secret'),
    ...at(['kubeConfig', 'secretRef'], 'Secret'),
    ...at(['kubeConfig', 'configMapRef'], 'ConfigMap'),
  ];
}

type Finding = Pick<NeedView, 'state' | 'message'>;

function findingOf({ type, field, isReconciled }: Reference, found: KubeObject | undefined): Finding {
  if (found === undefined) return { state: 'Missing', message: `it does not exist: create it, or change ${field}` };
  if (!isReconciled) return { state: 'Ready', message: '' };
  if (BACKENDS.some(({ resource }) => resource === type)) return fluxObjectView(fluxObject(found, type));
  const [source] = sourceViews([{ ...found, kind: type.kind }], []);
  return source ?? { state: 'Unknown', message: '' };
}

/** The need with what was found; undefined: it does not exist. */
export function needView(reference: Reference, found: KubeObject | undefined): NeedView {
  const { field, kind, namespace, name, hasExpression } = reference;
  const { state, message } = findingOf(reference, found);
  const said = state === 'Ready' ? '' : message;
  const decider = hasExpression && found !== undefined ? `${field}.readyExpr decides whether it is ready enough` : '';
  return { field, kind, namespace, name, state, message: [decider, said].filter((part) => part !== '').join('; ') };
}
