import { Command } from 'commander';
import { helmReleaseResource } from '../api/flux/helm-release.js';
import { kustomizationResource } from '../api/flux/kustomization.js';
import type { Condition, KubeObject, ResourceType } from '../api/meta.js';
import { applicationResource } from '../api/v1alpha1/application.js';
import { DRY_RUN_ANNOTATION } from '../api/v1alpha1/labels.js';
import type { DryRun } from '../api/dry-run.js';
import { asksForDryRun } from '../controllers/dry-run/asked.js';
import { compareRevisions, type Compared } from '../controllers/preview/compare-revisions.js';
import type { Kube } from '../controllers/runtime/kube.js';
import { getCondition } from '../controllers/runtime/pure/conditions.js';
import { namespaceArgument, revisionArgument } from './arguments.js';
import { contextNamespace, withConnection, withKube, type ConnectionOptions } from './connection.js';
import { changeSetText, exitCodeOf } from './diff/change-set-text.js';
import { differenceLines } from './diff/revision-diff.js';
import { errorLine } from './error-line.js';
import { ExitError } from './exit-code.js';
import { readApplication } from './read-application.js';
import { print } from './terminal/standard-output.js';

/** As kubectl diff: 1 stands for differences. */
const EXIT_ERROR = 2;

const TYPES: ReadonlyMap<string, ResourceType> = new Map([
  ['application', applicationResource],
  ['helmrelease', helmReleaseResource],
  ['kustomization', kustomizationResource],
]);

interface DiffOptions extends ConnectionOptions {
  readonly namespace?: string;
  readonly from?: number;
  readonly to?: number;
}

interface Published extends KubeObject {
  readonly status?: { readonly dryRun?: DryRun; readonly conditions?: Condition[] };
}

/** `NAME` of an Application, or `KIND/NAME`. */
function targetOf(argument: string): { readonly type: ResourceType; readonly name: string } {
  const [first = '', name] = argument.split('/');
  if (name === undefined) return { type: applicationResource, name: first };
  const type = TYPES.get(first.toLowerCase());
  if (type !== undefined) return { type, name };
  throw new Error(`${argument}: the kind must be one of ${[...TYPES.keys()].join(', ')}`);
}

/** Why there is no change set of the present spec. */
function whyNone({ metadata, status }: Published, argument: string): string {
  const said = getCondition(status?.conditions, 'DryRun');
  const isFailed = said?.status === 'False' && said.observedGeneration === metadata.generation;
  return isFailed ? said.message : `${argument} has no change set of its present spec yet: try again`;
}

/** The change set of an object as it is now. Throws why there is none, and what to do. */
function changeSetOf(object: Published, argument: string): DryRun {
  const { kind, metadata, status } = object;
  if (!asksForDryRun(object)) {
    // Other projects have a kind of this name, too.
    const type = kind === applicationResource.kind ? 'gapp' : kind.toLowerCase();
    const place = `-n ${metadata.namespace ?? ''} ${type}`;
    const annotate = `kubectl annotate ${place} ${metadata.name} ${DRY_RUN_ANNOTATION}=true`;
    throw new Error(`${argument} is not in a dry run: start one with \`${annotate}\``);
  }
  const dryRun = status?.dryRun;
  if (dryRun?.observedGeneration !== metadata.generation || dryRun === undefined) {
    throw new Error(whyNone(object, argument));
  }
  return dryRun;
}

/** The differences between two revisions of an Application. */
async function showRevisions(kube: Kube, argument: string, compared: Compared & { namespace: string }): Promise<void> {
  const application = await readApplication(kube, targetOf(argument).name, compared.namespace);
  const comparison = await compareRevisions(kube, application, compared);
  if ('refused' in comparison) throw new Error(comparison.refused);
  const lines = differenceLines(comparison.differences);
  if (lines.length > 0) print(lines.join('\n'));
  process.exitCode = lines.length > 0 ? 1 : 0;
}

async function show(kube: Kube, argument: string, options: DiffOptions): Promise<void> {
  const { from, to } = options;
  const namespace = options.namespace ?? (await contextNamespace(options));
  if (from !== undefined) return showRevisions(kube, argument, { from, to, namespace });
  const { type, name } = targetOf(argument);
  const object = await kube.get<Published>(type, { name, namespace });
  if (object === undefined) throw new Error(`${type.kind} ${namespace}/${name} does not exist`);
  const dryRun = changeSetOf(object, argument);
  print(changeSetText(dryRun));
  process.exitCode = exitCodeOf(dryRun);
}

/** Throws when argument and flags do not go together. */
function checkFlags(argument: string, { from, to }: DiffOptions): void {
  const { type } = targetOf(argument);
  if (from === undefined && to !== undefined) throw new Error('--to is compared with --from: set --from, too');
  if (from === undefined || type === applicationResource) return;
  throw new Error(`${argument}: --from is for Applications, which have revisions`);
}

async function diff(argument: string, options: DiffOptions): Promise<void> {
  try {
    checkFlags(argument, options);
    await withKube(options, (kube) => show(kube, argument, options));
  } catch (error: unknown) {
    throw new ExitError(errorLine(error), EXIT_ERROR, { cause: error });
  }
}

/** `fairlead diff`: reads what a dry run published, or two revisions, and writes nothing. */
export function diffCommand(): Command {
  const command = new Command('diff')
    .description('Show what a dry run would write, or what differs between two revisions.')
    .argument('<name>', 'an Application, or helmrelease/NAME, or kustomization/NAME')
    .option('-n, --namespace <name>', 'namespace of the object; default: the one of the context', namespaceArgument)
    .option('--from <revision>', 'compare this revision of an Application instead', revisionArgument)
    .option('--to <revision>', 'with this one; default: that of the spec', revisionArgument)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : EXIT_ERROR));
  return withConnection(command).action(diff);
}
