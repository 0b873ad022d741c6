import { namespaceResource } from '#api/core.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { APPLICATION_UID_LABEL, ENTRY_KEY_ANNOTATION, MANAGED_BY_LABEL } from '#api/v1alpha1/labels.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import { helmTemplateResource } from '#api/v1alpha1/helm-template.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { commitOf, NAMESPACE, USER, type World } from '../world/world.js';
import { restore } from './restore.js';
import type { ObjectStep } from './steps.js';

function typeOf({ kind }: { readonly kind: string }): ResourceType {
  return kind === 'Kustomization' ? kustomizationResource : helmReleaseResource;
}

function patch(world: World, object: KubeObject, body: object): void {
  world.server.patch(typeOf(object), object.metadata, { type: 'merge', body }, USER);
}

/** The children of an Application, in the order of their names. */
export function childrenOf(world: World, app: string): Child[] {
  const uid = world.application(app)?.metadata.uid;
  const found = world.children().filter(({ metadata }) => metadata.labels?.[APPLICATION_UID_LABEL] === uid);
  return uid === undefined ? [] : found.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

function onChild(world: World, { app, index, act }: Extract<ObjectStep, { do: 'child' }>): boolean {
  const children = childrenOf(world, app);
  const child = children[index % Math.max(children.length, 1)];
  if (child === undefined) return false;
  if (act === 'delete') world.server.delete(typeOf(child), child.metadata, {}, USER);
  else if (act === 'edit') patch(world, child, { spec: { interval: '3m', timeout: '1m' } });
  else if (act === 'strip') patch(world, child, { metadata: { ownerReferences: null } });
  else patch(world, child, { spec: { suspend: act === 'suspend' ? true : null } });
  return true;
}

type Plain = Extract<ObjectStep, { do: 'plain' }>;

function plainSpec(world: World, { kind, cluster, what = 'web', ...step }: Plain): object {
  const found = cluster === undefined ? undefined : world.clusters.find(cluster);
  const secret = found?.kind === 'Cluster' ? `${found.name}-kubeconfig` : found?.name;
  const place = {
    ...(secret === undefined ? {} : { kubeConfig: { secretRef: { name: secret } } }),
    ...(step.targetNamespace === undefined ? {} : { targetNamespace: step.targetNamespace }),
    interval: '10m',
  };
  if (kind === 'Kustomization') {
    return { ...place, path: what, prune: true, sourceRef: { kind: 'GitRepository', name: 'files' } };
  }
  const chart = { spec: { chart: 'podinfo', version: '1.0.0', sourceRef: { kind: 'HelmRepository', name: 'charts' } } };
  const { storageNamespace } = step;
  return { ...place, releaseName: what, chart, ...(storageNamespace === undefined ? {} : { storageNamespace }) };
}

/** The metadata that ks-devops wrote of its children: a generated name, and their Application. */
function metadataOfKsDevops(world: World, { cluster = '', ofKsDevops = '' }: Plain): object {
  const { group, version, kind } = applicationResource;
  const uid = world.application(ofKsDevops)?.metadata.uid ?? '';
  return {
    generateName: ofKsDevops,
    labels: { [MANAGED_BY_LABEL]: ofKsDevops },
    annotations: { [ENTRY_KEY_ANNOTATION]: cluster },
    ownerReferences: [{ apiVersion: `${group}/${version}`, kind, name: ofKsDevops, uid }],
  };
}

function onPlain(world: World, step: Plain): boolean {
  const type = typeOf(step);
  const ref = { name: step.name, namespace: NAMESPACE };
  const found = world.server.get(type, ref);
  if (step.act === 'create') {
    if (found !== undefined) return false;
    const more = step.ofKsDevops === undefined ? {} : metadataOfKsDevops(world, step);
    const object = {
      apiVersion: `${type.group}/${type.version}`,
      kind: type.kind,
      metadata: { ...ref, ...more },
      spec: plainSpec(world, step),
    };
    world.server.create(type, object, USER);
    return true;
  }
  if (found === undefined) return false;
  if (step.act === 'delete') world.server.delete(type, ref, {}, USER);
  else if (step.act === 'edit') patch(world, found, { spec: { interval: '7m', values: { edited: true } } });
  else patch(world, found, { spec: { suspend: step.act === 'suspend' ? true : null } });
  return true;
}

function onTemplate(world: World, { name, chart, version }: Extract<ObjectStep, { do: 'template' }>): boolean {
  const spec = {
    sourceRef: { kind: 'HelmRepository', name: 'charts', namespace: NAMESPACE },
    chart: { chart, version },
  };
  const ref = { name, namespace: NAMESPACE };
  const found = world.server.get(helmTemplateResource, ref);
  const apiVersion = `${helmTemplateResource.group}/${helmTemplateResource.version}`;
  const object = { apiVersion, kind: 'HelmTemplate', metadata: ref, spec } as KubeObject;
  if (found === undefined) world.server.create(helmTemplateResource, object, USER);
  else world.server.update(helmTemplateResource, { ...found, spec } as KubeObject, USER);
  return true;
}

/** The sources that every story has. */
export function createSources(world: World): void {
  const sources = [
    [helmRepositoryResource, 'charts', { url: 'https://charts.example.com' }],
    [gitRepositoryResource, 'files', { url: 'https://git.example.com/files', ref: { branch: 'main' } }],
  ] as const;
  for (const [type, name, spec] of sources) {
    const apiVersion = `${type.group}/${type.version}`;
    const object = { apiVersion, kind: type.kind, metadata: { name, namespace: NAMESPACE }, spec };
    world.server.create(type, object, USER);
  }
}

/** True: the step meant something. */
export function performOnObject(world: World, step: ObjectStep): boolean {
  switch (step.do) {
    case 'child':
      return onChild(world, step);
    case 'plain':
      return onPlain(world, step);
    case 'template':
      return onTemplate(world, step);
    case 'commit':
      world.head = commitOf(step.number);
      return true;
    case 'restore':
      return restore(world, step.keepsStatus);
    case 'quota':
      world.server.isQuotaUsedUp = step.isUsedUp;
      return true;
    case 'deleteNamespace':
      return world.server.delete(namespaceResource, { name: NAMESPACE }, {}, USER);
  }
}
