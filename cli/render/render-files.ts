import type { KubeObject } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import { renderApplication, type Rendered } from '#controllers/application/simulate.js';
import type { Violation } from '#controllers/application/model/child/types.js';
import { keyOf } from '#lib/kube/keys.js';
import { withWorkbench, type Workbench } from '../local-helm.js';
import { fileWorld, type FileWorld, type RenderSettings } from './file-world.js';

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

/** Of an Application whose children are not known. */
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
