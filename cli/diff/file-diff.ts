import uniq from 'lodash/uniq.js';
import type { KubeObject } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import type { RejectedEntry } from '#controllers/application/model/child/types.js';
import {
  type Changed,
  changedChildren,
  deletedChildren,
  renderApplication,
  type Rendered,
} from '#controllers/application/simulate.js';
import { type Finding, objectChange } from '#engine/dry-run/change-set.js';
import { defined } from '#lib/plain.js';
import { keyOf } from '#lib/kube/keys.js';
import { withWorkbench, type Workbench } from '../command/local-helm.js';
import { errorLine } from '../command/exit.js';
import { fileWorld, type FileWorld, isUnknown, type RenderSettings, whyUnknown } from '../render/file-world.js';
import { specProblem } from '../render/model/spec-problem.js';
import { type DiffPart, type FileDiff, fileDiffOf, PRINTED } from './model/change-set.js';

/** The objects of both sides. */
export interface Sides {
  readonly old: readonly KubeObject[];
  readonly next: readonly KubeObject[];
}

interface Worlds {
  readonly old: FileWorld;
  readonly next: FileWorld;
  readonly signal: AbortSignal;
}

interface Compared {
  readonly name: string;
  readonly changed: Changed;
  /** Destinations of the old files whose children are not known. */
  readonly unknown: readonly RejectedEntry[];
}

const NONE: Rendered = { children: [], rejected: [], warnings: [] };

function failed(object: Application, message: string): Compared {
  const changed = {
    findings: [{ action: 'failed' as const, object, message }],
    unchanged: 0,
    rejected: [],
    warnings: [],
  };
  return { name: keyOf(object.metadata), changed, unknown: [] };
}

/** The Application is a change of its own: it may have no children. */
function withItself(changed: Changed, finding: Finding): Changed {
  return { ...changed, findings: [finding, ...changed.findings] };
}

/** What an Application of the old files has, or why that is not known. */
async function before(old: Application, { old: { deps }, signal }: Worlds): Promise<Rendered | string> {
  const rendered = await renderApplication(old, deps, signal);
  return isUnknown(rendered) ? `in the old files, ${whyUnknown(rendered)}` : rendered;
}

async function ofDeleted(object: Application, worlds: Worlds): Promise<Compared> {
  const rendered = await before(object, worlds);
  if (typeof rendered === 'string') return failed(object, rendered);
  const changed = deletedChildren(object, rendered.children, worlds.old.deps);
  const stay = changed.unchanged === 0 ? '' : `; releases that stay, by its deletionPolicy: ${changed.unchanged}`;
  const message = `the new files do not have it, and this is what its deletion does${stay}`;
  const itself = { action: 'deleted' as const, object, message };
  return { name: keyOf(object.metadata), changed: withItself(changed, itself), unknown: rendered.rejected };
}

async function ofNext(object: Application, old: Application | undefined, worlds: Worlds): Promise<Compared> {
  const rendered = old === undefined ? NONE : await before(old, worlds);
  if (typeof rendered === 'string') return failed(object, rendered);
  const refused = old === undefined ? undefined : specProblem(object.spec, old.spec);
  if (refused !== undefined) return failed(object, `the API server refuses the change: ${refused}`);
  // Both are one object, whatever a server gave to one of them.
  const uid = old?.metadata.uid ?? object.metadata.uid;
  const same = { ...object, metadata: { ...object.metadata, ...defined({ uid }) } };
  const changed = await changedChildren(same, rendered.children, worlds.next.deps, worlds.signal);
  if (isUnknown(changed)) return failed(object, whyUnknown(changed));
  const whole = old === undefined ? withItself(changed, { action: 'created', object }) : changed;
  return { name: keyOf(object.metadata), changed: whole, unknown: rendered.rejected };
}

/** One after the other, as many Applications are a lot to compute. */
async function comparedAll(worlds: Worlds): Promise<Compared[]> {
  const left = new Map(worlds.old.applications.map((each) => [keyOf(each.metadata), each]));
  const found: Compared[] = [];
  for (const application of worlds.next.applications) {
    const key = keyOf(application.metadata);
    found.push(await ofNext(application, left.get(key), worlds));
    left.delete(key);
  }
  for (const application of left.values()) found.push(await ofDeleted(application, worlds));
  return found;
}

function problemsOf({ name, changed, unknown }: Compared): string[] {
  const of =
    (where: string) =>
    ({ entry, violation }: RejectedEntry) =>
      `Application ${name}: ${entry.path} is rejected${where}: ${violation.message}`;
  return [...unknown.map(of(' in the old files')), ...changed.rejected.map(of(''))];
}

function partOf(compared: Compared): DiffPart {
  const { name, changed } = compared;
  return {
    name,
    changes: changed.findings.map((finding) => objectChange(finding, PRINTED)),
    unchanged: changed.unchanged,
    notes: changed.warnings.map((text) => `Application ${name}: ${text}`),
    problems: problemsOf(compared),
  };
}

function diffOf(all: readonly Compared[], worlds: readonly FileWorld[]): FileDiff {
  const unrendered = uniq(worlds.flatMap((world) => world.unrendered() ?? []));
  const { notes, problems, ...diff } = fileDiffOf(all.map(partOf));
  return {
    ...diff,
    notes: uniq([...worlds.flatMap((world) => world.notes), ...notes]),
    problems: [...problems, ...unrendered],
  };
}

/** Throws what is wrong, and in which of the files. */
async function worldOf(objects: readonly KubeObject[], which: string, settings: RenderSettings, workbench: Workbench) {
  return fileWorld(objects, settings, workbench).catch((cause: unknown) => {
    throw new Error(`the ${which} files: ${errorLine(cause)}`, { cause });
  });
}

/** Compares what the controller makes of two sets of files, as if nothing else were in the cluster. Throws on bad input. */
export async function diffFiles(sides: Sides, settings: RenderSettings): Promise<FileDiff> {
  return withWorkbench(settings.helmPath, async (workbench) => {
    const old = await worldOf(sides.old, 'old', settings, workbench);
    const next = await worldOf(sides.next, 'new', settings, workbench);
    const all = await comparedAll({ old, next, signal: settings.signal });
    return diffOf(all, [old, next]);
  });
}
