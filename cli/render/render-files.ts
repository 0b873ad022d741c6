import { Compile } from 'typebox/compile';
import { ApplicationSpec, type Application } from '../../api/v1alpha1/application.js';
import { inventoryCaches } from '../../controllers/application/clusters.js';
import { createEvaluateValues } from '../../controllers/application/evaluate-values.js';
import { renderApplication, type Rendered } from '../../controllers/application/render.js';
import { templateCaches } from '../../controllers/application/templates.js';
import type { KubeObject } from '../../api/meta.js';
import { CONTROLLER } from '../../controllers/preview/installation.js';
import { LazyRenderer } from '../../controllers/preview/lazy-renderer.js';
import { Snapshot } from '../../controllers/preview/snapshot.js';
import { keyOf } from '../../controllers/runtime/pure/keys.js';
import { createSchemaCheck } from '../../controllers/runtime/schema-check.js';
import { withWorkbench, type Workbench } from '../local-helm.js';
import { completed, isApplication, withoutNulls } from './completed.js';
import { kubeOfFiles } from './file-kube.js';

export interface RenderSettings {
  readonly helmPath: string | undefined;
  /** False: as a controller with `--no-cross-namespace-refs`. */
  readonly allowCrossNamespace: boolean;
  readonly signal: AbortSignal;
}

/** One Application of the files, and what becomes of it. */
export interface RenderedFile {
  readonly application: Application;
  readonly rendered: Rendered;
}

const isSpec = Compile(ApplicationSpec);

/** Throws what the API server would reject: the fields that say what is wrong. */
function checkSpec({ metadata, spec }: Application): void {
  if (isSpec.Check(spec)) return;
  const [first] = isSpec.Errors(spec);
  const field = (first?.instancePath ?? '').replaceAll('/', '.');
  throw new Error(`Application ${keyOf(metadata)}: spec${field} ${first?.message ?? 'is not valid'}`);
}

async function renderAll(
  objects: readonly KubeObject[],
  { allowCrossNamespace, signal }: RenderSettings,
  { offload, findRenderer }: Workbench,
): Promise<{ files: RenderedFile[]; unrendered: string | undefined }> {
  // Before anything else reads it: what follows relies on the schema.
  for (const object of objects) if (isApplication(object)) checkSpec(withoutNulls(object));
  const stored = completed(objects);
  const snapshot = new Snapshot();
  const templates = templateCaches(snapshot);
  const inventory = inventoryCaches(snapshot, { controllerNamespace: CONTROLLER.namespace });
  await snapshot.read(kubeOfFiles(stored), { own: undefined, namespaces: undefined });
  const helm = new LazyRenderer(findRenderer);
  const deps = {
    ...{ rules: { allowCrossNamespace }, templates, inventory, renderValues: helm.render },
    // Files have no servers to ask.
    readReferences: () => Promise.resolve({}),
    evaluateValues: createEvaluateValues(offload, Date.now),
    checkSchema: createSchemaCheck(offload),
  };
  const files: RenderedFile[] = [];
  for (const application of stored.filter(isApplication)) {
    const rendered = await renderApplication(application, deps, signal);
    if (rendered === 'pending')
      throw new Error(`Application ${keyOf(application.metadata)}: its template has no status`);
    if ('violation' in rendered) {
      throw new Error(`Application ${keyOf(application.metadata)} is rejected: ${rendered.violation.message}`);
    }
    files.push({ application, rendered });
  }
  return { files, unrendered: helm.problem };
}

/** The children of all Applications among some objects, as if nothing else were in the cluster. Throws on bad input. */
export async function renderFiles(
  objects: readonly KubeObject[],
  settings: RenderSettings,
): Promise<{ files: RenderedFile[]; unrendered: string | undefined }> {
  return withWorkbench(settings.helmPath, (workbench) => renderAll(objects, settings, workbench));
}
