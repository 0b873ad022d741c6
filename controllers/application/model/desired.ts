import type { Application } from '../../../api/v1alpha1/application.js';
import { applicationResource } from '../../../api/v1alpha1/application.js';
import {
  APPLICATION_UID_LABEL,
  APPLIED_DIGEST_ANNOTATION,
  ENTRY_KEY_ANNOTATION,
  ENTRY_NAME_ANNOTATION,
  HOLDER_ANNOTATION,
  MANAGED_BY_LABEL,
  TEMPLATE_LABEL,
  TEMPLATE_NAMESPACE_LABEL,
  TEMPLATE_REVISION_LABEL,
} from '../../../api/v1alpha1/labels.js';
import { digestOf } from '../../runtime/pure/canonical-json.js';
import { apiVersionOf } from './child-kind.js';
import { deletionPolicyOf } from './deletion.js';
import { helmReleaseOf, sourceOf } from './flux-spec.js';
import { agrees } from './identity.js';
import type { Layer } from './layers.js';
import { freeChildName, labelValue } from './names.js';
import { isLegacy, liveReleaseKey } from './ownership.js';
import type { Child, ChildSpec, DesiredChild, Entry } from './types.js';

/** A child of ks-devops keeps the release that it has, whatever our defaults would be, unless the entry says another. */
function releaseOf({ release, stated }: Entry, live: Child | undefined): Entry['release'] {
  if (live === undefined || !isLegacy(live)) return release;
  const now = liveReleaseKey(live);
  return agrees(stated, now) ? now : release;
}

/** The source with its namespace: a child must not depend on where it lies itself. */
function sourceReference(application: Application) {
  const source = sourceOf(application);
  return source === undefined
    ? undefined
    : { ...source, namespace: source.namespace ?? application.metadata.namespace };
}

/** How often a chart is checked unless it says so; engines would take the interval of the release, however short. */
const CHART_INTERVAL = '10m';

function chartFields(application: Application): Layer {
  const stated = helmReleaseOf(application)?.chart;
  const chart: Layer = { ...stated, interval: stated?.interval ?? CHART_INTERVAL };
  const source = sourceReference(application);
  if (source === undefined) return { chart: { spec: chart } };
  // An OCI artifact is the chart: there is nothing left to choose in it.
  if (source.kind === 'OCIRepository') {
    return { chartRef: { kind: source.kind, name: source.name, namespace: source.namespace } };
  }
  return { chart: { spec: { ...chart, sourceRef: source } } };
}

function childSpec(application: Application, entry: Entry, live: Child | undefined): ChildSpec {
  const { targetNamespace, kubeConfig } = entry;
  const target = targetNamespace === undefined ? {} : { targetNamespace };
  const cluster = kubeConfig === undefined ? {} : { kubeConfig };
  if (entry.release.kind === 'Kustomization') {
    return {
      ...entry.fields,
      sourceRef: entry.fields['sourceRef'] ?? sourceReference(application),
      ...target,
      ...cluster,
    };
  }
  const { releaseName, storageNamespace } = releaseOf(entry, live);
  return { ...entry.fields, ...chartFields(application), releaseName, ...target, storageNamespace, ...cluster };
}

/** All children of a template are found by its labels. */
function templateLabels(template: Entry['template']): Record<string, string> {
  if (template === undefined) return {};
  const { namespace, name, revision } = template;
  return {
    [TEMPLATE_LABEL]: labelValue(name),
    [TEMPLATE_NAMESPACE_LABEL]: namespace,
    ...(revision === undefined ? {} : { [TEMPLATE_REVISION_LABEL]: String(revision) }),
  };
}

function labelsOf({ metadata }: Application, { template }: Entry): Record<string, string> {
  return {
    [APPLICATION_UID_LABEL]: metadata.uid ?? '',
    [MANAGED_BY_LABEL]: labelValue(metadata.name),
    ...templateLabels(template),
  };
}

/**
 * An owner would take its children along when it goes, at once in a foreground deletion: what is to be left running
 * has none, and is known by its marks.
 */
function isHeldOnly(application: Application): boolean {
  return deletionPolicyOf(application) === 'Orphan';
}

function annotationsOf(application: Application, entry: Entry): Record<string, string> {
  return {
    [ENTRY_KEY_ANNOTATION]: entry.key,
    ...(isHeldOnly(application) ? { [HOLDER_ANNOTATION]: application.metadata.name } : {}),
    ...(entry.name === undefined ? {} : { [ENTRY_NAME_ANNOTATION]: entry.name }),
  };
}

function ownerOf({ metadata }: Application) {
  return {
    apiVersion: `${applicationResource.group}/${applicationResource.version}`,
    kind: applicationResource.kind,
    name: metadata.name,
    uid: metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}

/**
 * The HelmRelease or Kustomization of one entry, complete: server-side apply of it leaves nothing of an earlier one.
 * `live` is the child that the entry has now; its name is kept. `isTaken` tells the names of all others. The annotation
 * with the digest tells later whether anything changed.
 */
export function desiredChild(
  application: Application,
  entry: Entry,
  live: Child | undefined,
  isTaken: (name: string) => boolean = () => false,
): DesiredChild {
  const name = live?.metadata.name ?? freeChildName([application.metadata.name, entry.key], entry.release, isTaken);
  const spec = childSpec(application, entry, live);
  const labels = labelsOf(application, entry);
  const annotations = annotationsOf(application, entry);
  const digest = digestOf({ spec, labels, annotations });
  const metadata = {
    name,
    ...(application.metadata.namespace === undefined ? {} : { namespace: application.metadata.namespace }),
    labels,
    annotations: { ...annotations, [APPLIED_DIGEST_ANNOTATION]: digest },
    ...(isHeldOnly(application) ? {} : { ownerReferences: [ownerOf(application)] }),
  };
  const { kind } = entry.release;
  return { entry, live, object: { apiVersion: apiVersionOf(kind), kind, metadata, spec } };
}
