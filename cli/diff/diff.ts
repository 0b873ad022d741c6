import type { Command } from 'commander';
import type { DryRun } from '#api/dry-run.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import type { Condition, KubeObject, ResourceType } from '#api/meta.js';
import { type Application, applicationResource } from '#api/v1alpha1/application.js';
import { DRY_RUN_ANNOTATION } from '#api/v1alpha1/labels.js';
import { asksForDryRun } from '#engine/dry-run/report.js';
import { getCondition } from '#lib/kube/conditions.js';
import { listed } from '#lib/text/text.js';
import { type Compared, compareRevisions } from '#queries/plans/compare-revisions.js';
import type { Kube } from '#runtime/client/kube.js';
import { clusterArgument, namespaceArgument, pathArgument, revisionArgument } from '../command/arguments.js';
import { type ConnectionOptions, contextNamespace, withConnection, withKube } from '../command/connection.js';
import { interruption } from '../command/exit.js';
import { inFormat, type OutputOptions, withOutput } from '../output/listing.js';
import { checkHelm, withWorkbench, type Workbench } from '../command/local-helm.js';
import { filesArgument, placed, readFiles } from '../command/files.js';
import { readApplication } from '../command/application.js';
import { isApplication } from '../render/model/completed.js';
import { objectsOf } from '../render/file-world.js';
import { note, print } from '../output/standard-output.js';
import { changeSetText, exitCodeOf, type FileDiff, fileDiffListing, fileDiffText } from './model/change-set.js';
import { diffOfLive, diffWithCluster } from './cluster-diff.js';
import { diffFiles } from './file-diff.js';
import { showLive } from './live.js';
import { EXIT_ERROR, exitAsDiff, orDiffError, showDifferences } from './revision-diff.js';

const NAMED = 10;
const FROM_FILE = '--from-file';

const TYPES: ReadonlyMap<string, ResourceType> = new Map([
  ['application', applicationResource],
  ['helmrelease', helmReleaseResource],
  ['kustomization', kustomizationResource],
]);

interface DiffOptions extends ConnectionOptions, OutputOptions {
  readonly filename?: readonly string[];
  readonly fromFile?: readonly string[];
  readonly helmPath?: string;
  readonly crossNamespaceRefs: boolean;
  readonly namespace?: string;
  readonly from?: number;
  readonly to?: number;
  readonly live?: true;
  readonly cluster?: string;
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
    const place = `-n ${metadata.namespace ?? ''} ${kind.toLowerCase()}`;
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
async function showRevisions(
  kube: Kube,
  argument: string,
  compared: Compared & OutputOptions & { namespace: string },
): Promise<void> {
  const application = await readApplication(kube, targetOf(argument).name, compared.namespace);
  const comparison = await compareRevisions(kube, application, compared);
  if ('problem' in comparison) throw new Error(comparison.problem);
  showDifferences(comparison.differences, compared);
}

/** What the controller would do now. */
async function showNow(kube: Kube, application: Application, options: DiffOptions): Promise<void> {
  const { helmPath } = options;
  await checkHelm(helmPath);
  const compareAt = (workbench: Workbench) => diffOfLive(application, { kube, ...workbench, signal: interruption() });
  showDiff(await withWorkbench(helmPath, compareAt), options);
}

async function show(kube: Kube, argument: string, options: DiffOptions): Promise<void> {
  const { from, to, live, cluster, output } = options;
  const namespace = options.namespace ?? (await contextNamespace(options));
  if (live === true) return showLive(kube, { name: targetOf(argument).name, namespace, cluster, output });
  if (from !== undefined) return showRevisions(kube, argument, { from, to, namespace, output });
  const { type, name } = targetOf(argument);
  const object = await kube.get<Published>(type, { name, namespace });
  if (object === undefined) throw new Error(`${type.kind} ${namespace}/${name} does not exist`);
  if (isApplication(object) && !asksForDryRun(object)) return showNow(kube, object, options);
  const dryRun = changeSetOf(object, argument);
  print(inFormat(options, dryRun, () => changeSetText(dryRun)));
  process.exitCode = exitCodeOf(dryRun);
}

/** What two sets of files differ in, or files and the cluster, for each Application. */
function showDiff(diff: FileDiff, options: OutputOptions): void {
  for (const line of [...diff.notes, ...diff.problems]) note(line);
  print(inFormat(options, fileDiffListing(diff), () => fileDiffText(diff)));
  process.exitCode = diff.problems.length > 0 ? EXIT_ERROR : exitCodeOf(diff);
}

function requireApplication(objects: readonly KubeObject[], files: readonly string[]): void {
  if (!objects.some(isApplication)) throw new Error(`there is no Application in ${listed(files, NAMED)}`);
}

/** What two sets of files differ in, on the clusters. */
async function showFiles(options: DiffOptions, filename: readonly string[]): Promise<void> {
  const { fromFile = [], namespace = 'default', helmPath, crossNamespaceRefs } = options;
  await checkHelm(helmPath);
  const next = await objectsOf(filename, namespace);
  const old = await objectsOf(fromFile, namespace, FROM_FILE);
  requireApplication([...next, ...old], [...filename, ...fromFile]);
  const settings = { helmPath, allowCrossNamespace: crossNamespaceRefs, signal: interruption() };
  showDiff(await diffFiles({ old, next }, settings), options);
}

/** What would become of the cluster if files were applied. */
async function showApply(options: DiffOptions, filename: readonly string[]): Promise<void> {
  const { helmPath, namespace } = options;
  await checkHelm(helmPath);
  const files = await readFiles(filename);
  const signal = interruption();
  await withKube(options, async (kube) => {
    const fallback = await contextNamespace(options);
    const objects = files.map((each) => placed(each, namespace, fallback));
    requireApplication(objects, filename);
    const compareAt = (workbench: Workbench) => diffWithCluster(objects, { kube, ...workbench, signal });
    showDiff(await withWorkbench(helmPath, compareAt), options);
  });
}

/** What is compared with what. */
type Way = 'name' | 'files' | 'cluster';

/** The ways in which a flag has an effect. */
const EFFECT: readonly (readonly [flag: string, valueOf: (options: DiffOptions) => unknown, ways: readonly Way[]])[] = [
  [FROM_FILE, ({ fromFile }) => fromFile, ['files']],
  ['--helm-path', ({ helmPath }) => helmPath, ['name', 'files', 'cluster']],
  ['--no-cross-namespace-refs', ({ crossNamespaceRefs }) => (crossNamespaceRefs ? undefined : true), ['files']],
  ['--from', ({ from }) => from, ['name']],
  ['--to', ({ to }) => to, ['name']],
  ['--live', ({ live }) => live, ['name']],
  ['--cluster', ({ cluster }) => cluster, ['name']],
  ['--kubeconfig', ({ kubeconfig }) => kubeconfig, ['name', 'cluster']],
  ['--context', ({ context }) => context, ['name', 'cluster']],
];

const FORMS = '`fairlead diff NAME`, `fairlead diff -f FILE`, or `fairlead diff -f NEW --from-file OLD`';

const MEANT: Readonly<Record<Way, string>> = {
  name: 'without -f',
  files: `with -f and ${FROM_FILE}`,
  cluster: `with -f and without ${FROM_FILE}`,
};

function wayOf({ filename, fromFile }: DiffOptions): Way {
  if (filename === undefined) return 'name';
  return fromFile === undefined ? 'cluster' : 'files';
}

/** Throws when argument and flags do not go together. */
function checkFlags(argument: string | undefined, options: DiffOptions): void {
  const way = wayOf(options);
  const stray = EFFECT.find(([, valueOf, ways]) => valueOf(options) !== undefined && !ways.includes(way));
  if (stray !== undefined) throw new Error(`${stray[0]} has no effect ${MEANT[way]}: ${FORMS}`);
  const { filename = [], fromFile = [] } = options;
  if (way !== 'name' && argument !== undefined) {
    throw new Error(`${argument}: with -f, there is no name: ${FORMS}`);
  }
  if (filename.includes('-') && fromFile.includes('-')) throw new Error('only one side can be the standard input, -');
}

/** The same without files. */
function checkName(argument: string | undefined, options: DiffOptions): string {
  if (argument === undefined) throw new Error(`name what to show: ${FORMS}`);
  checkRevisions(argument, options);
  checkLive(argument, options);
  return argument;
}

function checkLive(argument: string, { live, cluster, from }: DiffOptions): void {
  if (live === undefined && cluster !== undefined) throw new Error('--cluster is for --live: set --live, too');
  if (live === undefined) return;
  if (from !== undefined) throw new Error('--live and --from compare different things: use only one of the two');
  if (targetOf(argument).type !== applicationResource) throw new Error(`${argument}: --live is for Applications`);
}

function checkRevisions(argument: string, { from, to }: DiffOptions): void {
  const { type } = targetOf(argument);
  if (from === undefined && to !== undefined) throw new Error('--to is compared with --from: set --from, too');
  if (from === undefined || type === applicationResource) return;
  throw new Error(`${argument}: --from is for Applications, which have revisions`);
}

async function compare(argument: string | undefined, options: DiffOptions): Promise<void> {
  checkFlags(argument, options);
  const { filename = [] } = options;
  switch (wayOf(options)) {
    case 'files':
      return showFiles(options, filename);
    case 'cluster':
      return showApply(options, filename);
    case 'name': {
      const name = checkName(argument, options);
      return withKube(options, (kube) => show(kube, name, options));
    }
  }
}

function diff(argument: string | undefined, options: DiffOptions): Promise<void> {
  return orDiffError(compare(argument, options));
}

/** `fairlead diff`: reads what a dry run published, clusters, two revisions, or files, and writes nothing. */
export function diffCommand(command: Command): void {
  command
    .description(
      'Show what the controller would do, or what a dry run or files would write, or what differs on the clusters, between two revisions, or between files.',
    )
    .argument('[name]', 'an Application, or helmrelease/NAME, or kustomization/NAME; not with files')
    .option('-f, --filename <file>', 'show what the Applications of these files would change instead', filesArgument)
    .option('--from-file <file>', 'with -f: compare with these files, and ask no cluster', filesArgument)
    .option(
      '-n, --namespace <name>',
      `namespace; default: the one of the context, and \`default\` with ${FROM_FILE}`,
      namespaceArgument,
    )
    .option('--from <revision>', 'compare this revision of an Application instead', revisionArgument)
    .option('--to <revision>', 'with this one; default: that of the spec', revisionArgument)
    .option('--live', 'compare what is wanted on the clusters of an Application with what is there')
    .option('--cluster <name>', 'with --live: only on this cluster, as the status names it', clusterArgument)
    .option('--helm-path <file>', 'helm 4, for templates of values; default: that of PATH', pathArgument)
    .option('--no-cross-namespace-refs', `with ${FROM_FILE}: as a controller with this flag`)
    .exitOverride(exitAsDiff);
  withOutput(withConnection(command)).action(diff);
}
