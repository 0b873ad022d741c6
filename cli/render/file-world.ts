import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import { TransientError } from '#lib/errors.js';
import { parseSelector } from '#lib/kube/label-selector.js';
import type { Application } from '#api/v1alpha1/application.js';
import { inventoryCaches } from '#controllers/application/clusters.js';
import { expressionEvaluator } from '#controllers/application/evaluators/expressions.js';
import { ResultCache } from '#controllers/application/evaluators/result-cache.js';
import { renderApplication, type Rendered, type StatedDeps } from '#controllers/application/simulate.js';
import { templateCaches } from '#controllers/application/templates.js';
import { CONTROLLER } from '#queries/plans/installation.js';
import { LazyRenderer } from '#queries/plans/lazy-renderer.js';
import { Snapshot } from '#queries/plans/snapshot.js';
import { keyOf } from '#lib/kube/keys.js';
import { listed } from '#lib/text/text.js';
import { createSchemaCheck } from '#runtime/isolation/schema-check.js';
import type { Violation } from '#controllers/application/model/child/types.js';
import { withWorkbench, type Workbench } from '../command/local-helm.js';
import { readFiles } from '../command/files.js';
import { completed, isApplication, withoutNulls } from './model/completed.js';
import { pruned, withOwnName } from './model/pruned.js';
import { specProblem } from './model/spec-problem.js';

function isOfKind({ apiVersion, kind }: KubeObject, type: ResourceType): boolean {
  const slash = apiVersion.indexOf('/');
  return kind === type.kind && apiVersion.slice(0, Math.max(0, slash)) === type.group;
}

function isOfVersion({ apiVersion }: KubeObject, { version }: ResourceType): boolean {
  return apiVersion.slice(apiVersion.indexOf('/') + 1) === version;
}

/** The error of a server that has a kind in another version only. */
function notServed({ kind, version }: ResourceType): Error {
  const status = { code: 404, reason: 'NotFound', causes: [] };
  return new TransientError(`the files have ${kind} in another version than ${version}`, { status });
}

/** Reads the objects of files as if a cluster had them, and no others. */
export function kubeOfFiles(objects: readonly KubeObject[]): Pick<Kube, 'get' | 'list'> {
  const found = <T extends KubeObject>(type: ResourceType): T[] => {
    const ofKind = objects.filter((object) => isOfKind(object, type));
    const ofVersion = ofKind.filter((object) => isOfVersion(object, type));
    if (ofKind.length > 0 && ofVersion.length === 0) throw notServed(type);
    return ofVersion as T[]; // the caller names the type, as with a server
  };
  return {
    get: <T extends KubeObject>(
      type: ResourceType,
      { name, namespace }: { name: string; namespace?: string | undefined },
    ) =>
      Promise.resolve(
        found<T>(type).find(({ metadata }) => metadata.name === name && metadata.namespace === namespace),
      ),
    list: <T extends KubeObject>(type: ResourceType, query: Parameters<Kube['list']>[1] = {}) => {
      const { namespace, labelSelector = '' } = query;
      const isSelected = labelSelector === '' ? () => true : parseSelector(labelSelector);
      const isIn = ({ metadata }: KubeObject): boolean => namespace === undefined || metadata.namespace === namespace;
      const items = found<T>(type).filter((each) => isIn(each) && isSelected(each.metadata.labels ?? {}));
      return Promise.resolve({ items, resourceVersion: '' });
    },
  };
}

const NAMED = 10;

export interface RenderSettings {
  readonly helmPath: string | undefined;
  /** False: as a controller with `--no-cross-namespace-refs`. */
  readonly allowCrossNamespace: boolean;
  readonly signal: AbortSignal;
}

/** Some objects as the controllers would see them, as if nothing else were in the cluster. */
export interface FileWorld {
  /** In their order. */
  readonly applications: readonly Application[];
  /** What is not as its file has it. */
  readonly notes: readonly string[];
  readonly deps: StatedDeps;
  /** Why templates of values were not rendered, so far. */
  readonly unrendered: () => string | undefined;
}

/** As kubectl: an object that names no namespace is in that of the flag. Objects of clusters keep having none. */
function placed(object: KubeObject, namespace: string): KubeObject {
  if (object.metadata.namespace !== undefined || object.kind === 'Namespace') return object;
  return { ...object, metadata: { ...object.metadata, namespace } };
}

/** All objects of some files. Throws what is wrong with which file. */
export async function objectsOf(files: readonly string[], namespace: string, flag?: string): Promise<KubeObject[]> {
  return (await readFiles(files, flag)).map(({ object }) => placed(object, namespace));
}

/** Throws what the API server would reject. */
function checkSpec({ metadata, spec }: Application): void {
  const problem = specProblem(spec);
  if (problem !== undefined) throw new Error(`Application ${keyOf(metadata)}: ${problem}`);
}

function notesOf({ object: { kind, metadata }, dropped }: ReturnType<typeof pruned>): string[] {
  if (dropped.length === 0) return [];
  return [
    `${kind} ${keyOf(metadata)}: left out, because there is no such field: ${listed(dropped.map(withOwnName), NAMED)}`,
  ];
}

/** Throws on what an API server would not take. */
export async function fileWorld(
  objects: readonly KubeObject[],
  { allowCrossNamespace }: Pick<RenderSettings, 'allowCrossNamespace'>,
  { offload, findRenderer }: Workbench,
): Promise<FileWorld> {
  // Before anything else reads it: what follows relies on the schema.
  const known = objects.map(pruned);
  for (const { object } of known) if (isApplication(object)) checkSpec(withoutNulls(object));
  const stored = completed(known.map(({ object }) => object));
  const snapshot = new Snapshot();
  const templates = templateCaches(snapshot);
  const inventory = inventoryCaches(snapshot, { controllerNamespace: CONTROLLER.namespace });
  await snapshot.read(kubeOfFiles(stored), { own: undefined, namespaces: undefined });
  const helm = new LazyRenderer(findRenderer);
  const deps = {
    ...{ rules: { allowCrossNamespace }, templates, inventory },
    evaluators: {
      templates: helm.render,
      expressions: new ResultCache(Date.now).remembering(expressionEvaluator(offload)),
    },
    // Files have no servers to ask.
    readReferences: () => Promise.resolve({}),
    checkSchema: createSchemaCheck(offload),
  };
  const notes = known.flatMap(notesOf);
  return { applications: stored.filter(isApplication), deps, notes, unrendered: () => helm.problem };
}

/** One Application of the files, and what becomes of it. */
export interface RenderedFile {
  readonly application: Application;
  readonly rendered: Rendered;
}

export interface RenderedFiles extends Pick<FileWorld, 'notes'> {
  readonly files: readonly RenderedFile[];
  /** Why templates of values were not rendered. */
  readonly unrendered: string | undefined;
}

/** An Application whose children are not known. */
type Unknown = 'pending' | { readonly violation: Violation };

export function isUnknown(found: object | 'pending'): found is Unknown {
  return found === 'pending' || 'violation' in found;
}

/** Why nothing of an Application is known. */
export function whyUnknown(found: Unknown): string {
  return found === 'pending' ? 'its template has no status' : `it is rejected: ${found.violation.message}`;
}

async function renderAll(
  { applications, deps, notes, unrendered }: FileWorld,
  signal: AbortSignal,
): Promise<RenderedFiles> {
  const files: RenderedFile[] = [];
  for (const application of applications) {
    const rendered = await renderApplication(application, deps, signal);
    if (isUnknown(rendered)) throw new Error(`Application ${keyOf(application.metadata)}: ${whyUnknown(rendered)}`);
    files.push({ application, rendered });
  }
  return { files, notes, unrendered: unrendered() };
}

/** The children of all Applications among some objects, as if nothing else were in the cluster. Throws on bad input. */
export async function renderWith(
  objects: readonly KubeObject[],
  settings: RenderSettings,
  workbench: Workbench,
): Promise<RenderedFiles> {
  return renderAll(await fileWorld(objects, settings, workbench), settings.signal);
}

/** The same, with a workbench of its own. */
export function renderFiles(objects: readonly KubeObject[], settings: RenderSettings): Promise<RenderedFiles> {
  return withWorkbench(settings.helmPath, (workbench) => renderWith(objects, settings, workbench));
}
