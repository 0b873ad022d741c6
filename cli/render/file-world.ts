import type { KubeObject } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import { inventoryCaches } from '#controllers/application/clusters.js';
import { expressionEvaluator } from '#controllers/application/evaluators/expressions.js';
import { ResultCache } from '#controllers/application/evaluators/result-cache.js';
import type { StatedDeps } from '#controllers/application/simulate.js';
import { templateCaches } from '#controllers/application/templates.js';
import { CONTROLLER } from '#queries/plans/installation.js';
import { LazyRenderer } from '#queries/plans/lazy-renderer.js';
import { Snapshot } from '#queries/plans/snapshot.js';
import { keyOf } from '#lib/kube/keys.js';
import { listed } from '#lib/text/text.js';
import { createSchemaCheck } from '#runtime/isolation/schema-check.js';
import type { Workbench } from '../local-helm.js';
import { readFiles } from '../read-files.js';
import { completed, isApplication, withoutNulls } from './completed.js';
import { kubeOfFiles } from './file-kube.js';
import { pruned } from './pruned.js';
import { specProblem } from './spec-problem.js';

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
  return [`${kind} ${keyOf(metadata)}: left out, because there is no such field: ${listed(dropped, NAMED)}`];
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
