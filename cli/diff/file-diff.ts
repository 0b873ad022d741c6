import sortBy from 'lodash/sortBy.js';
import sumBy from 'lodash/sumBy.js';
import uniq from 'lodash/uniq.js';
import { DRY_RUN_ACTIONS, type DryRun, type PlannedChange } from '../../api/dry-run.js';
import type { KubeObject } from '../../api/meta.js';
import type { Application } from '../../api/v1alpha1/application.js';
import { changedChildren, deletedChildren, type Changed } from '../../controllers/application/compare.js';
import type { RejectedEntry } from '../../controllers/application/model/types.js';
import { renderApplication, type Rendered } from '../../controllers/application/render.js';
import { changeSet, LIMITS, objectChange, type Finding, type Limits } from '../../controllers/dry-run/change-set.js';
import { defined } from '../../controllers/runtime/pure/defined.js';
import { keyOf } from '../../controllers/runtime/pure/keys.js';
import { withWorkbench, type Workbench } from '../local-helm.js';
import { errorLine } from '../error-line.js';
import { fileWorld, type FileWorld, type RenderSettings } from '../render/file-world.js';
import { isUnknown, whyUnknown } from '../render/render-files.js';
import { specProblem } from '../render/spec-problem.js';

/** Nothing is left out but what nobody reads: a summary of a million fields. */
const PRINTED: Limits = { ...LIMITS, objects: Infinity, bytes: Infinity, fields: 500, value: 2_000, path: 1_000 };

/** The objects of both sides. */
export interface Sides {
  readonly old: readonly KubeObject[];
  readonly next: readonly KubeObject[];
}

/** What becomes of the children of all Applications of some files. */
export interface FileDiff {
  /** By Application, those of which something changes, the worst first. */
  readonly changes: readonly { readonly name: string; readonly changes: DryRun }[];
  /** Of all. */
  readonly summary: DryRun['summary'];
  /** What users should know. */
  readonly notes: readonly string[];
  /** What is not compared, and why. */
  readonly problems: readonly string[];
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

function changesOf({ findings, unchanged }: Changed): DryRun {
  return listing(
    findings.map((finding) => objectChange(finding, PRINTED)),
    unchanged,
  );
}

function listing(changes: readonly PlannedChange[], unchanged: number): DryRun {
  return changeSet({ changes, unchanged, observedGeneration: 0, now: '' }, undefined, PRINTED);
}

function problemsOf({ name, changed, unknown }: Compared): string[] {
  const of =
    (where: string) =>
    ({ entry, violation }: RejectedEntry) =>
      `Application ${name}: ${entry.path} is rejected${where}: ${violation.message}`;
  return [...unknown.map(of(' in the old files')), ...changed.rejected.map(of(''))];
}

function diffOf(all: readonly Compared[], worlds: readonly FileWorld[]): FileDiff {
  const changes = all.map(({ name, changed }) => ({ name, changes: changesOf(changed) }));
  // The first one has the worst action.
  const rank = ({ objects: [worst] = [] }: DryRun): number =>
    worst === undefined ? Infinity : DRY_RUN_ACTIONS.indexOf(worst.action);
  const differing = changes.filter((each) => each.changes.objects !== undefined);
  const objects = changes.flatMap((each) => each.changes.objects ?? []);
  const unchanged = sumBy(all, ({ changed }) => changed.unchanged);
  const warnings = all.flatMap(({ name, changed }) => changed.warnings.map((text) => `Application ${name}: ${text}`));
  const unrendered = uniq(worlds.flatMap((world) => world.unrendered() ?? []));
  return {
    changes: sortBy(differing, (each) => rank(each.changes)),
    summary: listing(objects, unchanged).summary,
    notes: uniq([...worlds.flatMap((world) => world.notes), ...warnings]),
    problems: [...all.flatMap(problemsOf), ...unrendered],
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
