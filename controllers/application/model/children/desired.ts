import omit from 'lodash/omit.js';
import { type Application, applicationResource } from '#api/v1alpha1/application.js';
import {
  APPLICATION_REVISION,
  APPLICATION_UID_LABEL,
  APPLIED_DIGEST_ANNOTATION,
  CLUSTER_ID_ANNOTATION,
  CLUSTER_NAME_LABEL,
  ENTRY_KEY_ANNOTATION,
  ENTRY_NAME_ANNOTATION,
  HOLDER_ANNOTATION,
  MANAGED_BY_LABEL,
  MODE_ANNOTATION,
  NAMESPACE_METADATA_ANNOTATION,
  SELECTION_ANNOTATION,
  TEMPLATE_LABEL,
  TEMPLATE_NAMESPACE_LABEL,
  TEMPLATE_REVISION_LABEL,
} from '#api/v1alpha1/labels.js';
import { deletionPolicyOf } from '#api/v1alpha1/ownership.js';
import { defined } from '#lib/plain.js';
import { digestOf } from '#lib/hash.js';
import { isEmptyMetadata, NO_METADATA, printMetadata } from '#lib/kube/namespace-metadata.js';
import { clusterIdText } from '../../../cluster/model/cluster.js';
import { backendOf } from '../backends/index.js';
import { isHandedOver, isInstalledFor, isOnceFor } from '../child/metadata.js';
import { labelValue } from '../child/messages.js';
import type { Child, DesiredChild, Entry } from '../child/types.js';
import { childName } from '../destinations/identity.js';

/** Labels that find all children of a template. */
function templateLabels(template: Entry['template']): Record<string, string> {
  if (template === undefined) return {};
  const { namespace, name, revision } = template;
  return {
    [TEMPLATE_LABEL]: labelValue(name),
    [TEMPLATE_NAMESPACE_LABEL]: namespace,
    ...(revision === undefined ? {} : { [TEMPLATE_REVISION_LABEL]: String(revision) }),
  };
}

function labelsOf({ metadata }: Application, { template, cluster }: Entry): Record<string, string> {
  return {
    [APPLICATION_UID_LABEL]: metadata.uid ?? '',
    [MANAGED_BY_LABEL]: labelValue(metadata.name),
    ...(cluster === undefined ? {} : { [CLUSTER_NAME_LABEL]: labelValue(cluster.id.name) }),
    ...templateLabels(template),
  };
}

/**
 * Children would be garbage-collected with their owner, immediately in a foreground deletion: those that are to be left
 * running have no owner reference, only an annotation and a label. Those that were installed once by an older version
 * keep theirs.
 */
function isHeldOnly(application: Application, entry: Entry, live: Child | undefined): boolean {
  if (deletionPolicyOf(application) === 'Orphan') return true;
  return isInstalledFor(entry, live) && isHandedOver(live, application);
}

function wishOf({ namespaceMetadata }: Entry): Record<string, string> {
  if (isEmptyMetadata(namespaceMetadata)) return {};
  return { [NAMESPACE_METADATA_ANNOTATION]: printMetadata(namespaceMetadata) };
}

/**
 * Labels of a namespace that an entry no longer has are still there: the annotation says so until the engine has taken
 * them back, and removed it. Not a part of the digest, as it goes without us.
 */
function traceOf(entry: Entry, live: Child | undefined): Record<string, string> {
  const wasSaid = live?.metadata.annotations?.[NAMESPACE_METADATA_ANNOTATION] !== undefined;
  if (!wasSaid || !isEmptyMetadata(entry.namespaceMetadata)) return {};
  return { [NAMESPACE_METADATA_ANNOTATION]: printMetadata(NO_METADATA) };
}

function annotationsOf(application: Application, entry: Entry, live: Child | undefined): Record<string, string> {
  return {
    [ENTRY_KEY_ANNOTATION]: entry.key,
    ...(isOnceFor(entry, live) ? { [MODE_ANNOTATION]: 'Once' } : {}),
    ...(entry.cluster === undefined ? {} : { [CLUSTER_ID_ANNOTATION]: clusterIdText(entry.cluster.id) }),
    ...defined({ [SELECTION_ANNOTATION]: entry.selection }),
    ...(isHeldOnly(application, entry, live) ? { [HOLDER_ANNOTATION]: application.metadata.name } : {}),
    ...defined({ [ENTRY_NAME_ANNOTATION]: entry.name }),
    ...wishOf(entry),
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

/** The annotations of a child that its Application holds instead of owning it, or the other way round. */
function retied(annotations: Readonly<Record<string, string>>, application: string): Record<string, string> {
  const isHeld = annotations[HOLDER_ANNOTATION] !== undefined;
  return isHeld ? omit(annotations, HOLDER_ANNOTATION) : { ...annotations, [HOLDER_ANNOTATION]: application };
}

interface DesiredOptions {
  /** Its name. Default: that of `live`, or else the first one that it may have. */
  readonly name?: string;
  /** The revision of the Application that wants it, if it keeps revisions. */
  readonly revision?: number | undefined;
}

/**
 * The child of one entry, complete: server-side apply of it leaves nothing of an earlier one.
 * `live` is the child that the entry has now; its name is kept. The annotation with the digest tells later whether
 * anything changed; the revision is no part of it, or each one would rewrite children for which it changes nothing.
 */
export function desiredChild(
  application: Application,
  entry: Entry,
  live: Child | undefined,
  { name: given, revision }: DesiredOptions = {},
): DesiredChild {
  const name = live?.metadata.name ?? given ?? childName(application.metadata.name, entry.key, entry.release);
  const { kind, resource, desiredSpec } = backendOf(entry.release);
  const spec = isInstalledFor(entry, live) ? live.spec : desiredSpec(application, entry, live);
  const labels = labelsOf(application, entry);
  const annotations = annotationsOf(application, entry, live);
  const digest = digestOf({ spec, labels, annotations });
  const metadata = {
    name,
    ...defined({ namespace: application.metadata.namespace }),
    labels,
    annotations: {
      ...annotations,
      ...traceOf(entry, live),
      [APPLIED_DIGEST_ANNOTATION]: digest,
      ...(revision === undefined ? {} : { [APPLICATION_REVISION]: String(revision) }),
    },
    ...(isHeldOnly(application, entry, live) ? {} : { ownerReferences: [ownerOf(application)] }),
  };
  const apiVersion = `${resource.group}/${resource.version}`;
  const desired = { entry, live, object: { apiVersion, kind, metadata, spec } };
  if (entry.cluster?.isPaused !== true) return desired;
  const other = retied(annotations, application.metadata.name);
  return { ...desired, digestOfOtherTie: digestOf({ spec, labels, annotations: other }) };
}
