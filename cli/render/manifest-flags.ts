import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { kindsFor } from '#api/flux/source-kinds.js';
import { defined } from '#lib/plain.js';
import { KUBE_VERSION } from '#engine/member/plain-cluster.js';
import { errorLine } from '../command/exit.js';
import { pathArgument } from '../command/arguments.js';

/** The kinds of sources that files can stand for. */
const KINDS = kindsFor('applications');
const FORM = '[KIND/[NAMESPACE/]]NAME=PATH';

/** A source that a child is made of. */
export interface SourceRef {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Where files of sources are: of all that have this name, kind and namespace as far as these are said. */
export interface SourceFiles extends Partial<SourceRef> {
  readonly name: string;
  readonly path: string;
  /** As the user wrote it. */
  readonly text: string;
}

/** Throws for what is no kind of a source. */
function kindOf(text: string): string {
  const kind = KINDS.find((each) => each.toLowerCase() === text.toLowerCase());
  if (kind !== undefined) return kind;
  throw new InvalidArgumentError(`must be ${FORM}; the kinds are ${KINDS.join(', ')}.`);
}

/** Collects the values of a flag that says where the files of a source are. */
export function sourceFilesArgument(text: string, before: readonly SourceFiles[] = []): SourceFiles[] {
  const equals = text.indexOf('=');
  const [source, file] = [text.slice(0, Math.max(0, equals)), text.slice(equals + 1)];
  const parts = source.split('/');
  const name = parts.at(-1) ?? '';
  if (equals < 0 || file === '' || parts.length > 3 || parts.includes('')) {
    throw new InvalidArgumentError(`must be ${FORM}, e.g. GitRepository/app=. for the folder that you are in.`);
  }
  const files = { name, path: file, text };
  const [kind, namespace] = parts.slice(0, -1);
  return [...before, { ...files, ...(kind === undefined ? {} : { kind: kindOf(kind) }), ...defined({ namespace }) }];
}

/** Throws for the first path that is neither a folder nor a file. Returns all with absolute paths. */
export async function foundSourceFiles(all: readonly SourceFiles[], flag: string): Promise<SourceFiles[]> {
  const found: SourceFiles[] = [];
  for (const files of all) {
    const place = path.resolve(files.path);
    try {
      const entry = await stat(place);
      if (!entry.isDirectory() && !entry.isFile()) throw new Error('it is neither a folder nor a file');
    } catch (cause: unknown) {
      const message = `cannot read ${files.path}: ${errorLine(cause)}; choose another path with ${flag}`;
      throw new Error(message, { cause });
    }
    found.push({ ...files, path: place });
  }
  return found;
}

function isMeant({ kind, namespace, name }: SourceFiles, source: SourceRef): boolean {
  return (
    name === source.name &&
    (kind ?? source.kind) === source.kind &&
    (namespace ?? source.namespace) === source.namespace
  );
}

/** How a user names a source exactly. */
export function sourceText({ kind, namespace, name }: SourceRef): string {
  return `${kind}/${namespace}/${name}`;
}

/** The files of a source, if any flag names them; of several, the last one, as with other flags. */
export function filesOf(all: readonly SourceFiles[], source: SourceRef): SourceFiles | undefined {
  return all.findLast((files) => isMeant(files, source));
}

/** Those that are for none of these sources. */
export function unusedFiles(all: readonly SourceFiles[], sources: readonly SourceRef[]): SourceFiles[] {
  return all.filter((files) => !sources.some((source) => isMeant(files, source)));
}

/** The flags of what renders manifests, as they are parsed. */
export interface ManifestOptions {
  readonly manifests?: boolean;
  readonly source?: readonly SourceFiles[];
  readonly kubeVersion?: string;
  readonly apiVersions?: readonly string[];
  readonly kustomizePath?: string;
}

/** What takes the place of sources and clusters. */
export interface ManifestSettings {
  readonly sources: readonly SourceFiles[];
  readonly kubeVersion: string;
  /** What the clusters serve besides what Kubernetes does. */
  readonly apiVersions: readonly string[];
  readonly kustomizePath: string | undefined;
}

const VERSION = /^v?(\d+)\.(\d+)(\.\d+(?:[-+][0-9A-Za-z.+-]+)?)?$/;
const API_VERSION = /^[a-z0-9.-]+(?:\/[a-z0-9]+)?(?:\/[A-Za-z0-9]+)?$/;

/** Returns it as servers say it. */
function kubeVersionArgument(text: string): string {
  const [, major, minor, patch = '.0'] = VERSION.exec(text) ?? [];
  if (major === undefined || minor === undefined) {
    throw new InvalidArgumentError('must be a version of Kubernetes, e.g. 1.34.');
  }
  return `v${major}.${minor}${patch}`;
}

function apiVersionsArgument(text: string, before: readonly string[] = []): string[] {
  const versions = text.split(',');
  if (versions.every((version) => API_VERSION.test(version))) return [...before, ...versions];
  throw new InvalidArgumentError('must be API versions, e.g. monitoring.coreos.com/v1,example.org/v1/Widget.');
}

/** Adds the flags of what renders manifests. */
export function withManifestFlags(command: Command): Command {
  return command
    .option('--manifests', 'print what is applied to each cluster: the manifests of releases and Kustomizations')
    .option(
      '--source <source=path>',
      'where the files of [KIND/[NAMESPACE/]]NAME are, e.g. GitRepository/app=.; may be repeated',
      sourceFilesArgument,
    )
    .option(
      '--kube-version <version>',
      `version of Kubernetes on the clusters; default: ${KUBE_VERSION}`,
      kubeVersionArgument,
    )
    .option(
      '--api-versions <versions>',
      'what the clusters serve besides, as `helm template` has it; may be repeated',
      apiVersionsArgument,
    )
    .option('--kustomize-path <file>', 'kustomize 5; default: that of PATH', pathArgument);
}

/** The settings of the flags; undefined without --manifests. Throws for flags and paths that are wrong. */
export async function manifestSettings(options: ManifestOptions): Promise<ManifestSettings | undefined> {
  const { manifests, source, kubeVersion, apiVersions, kustomizePath } = options;
  if (manifests !== true) {
    const given = {
      ...{ '--source': source, '--kube-version': kubeVersion },
      ...{ '--api-versions': apiVersions, '--kustomize-path': kustomizePath },
    };
    const stray = Object.entries(given).find(([, value]) => value !== undefined);
    if (stray !== undefined) throw new Error(`${stray[0]} is for --manifests: set --manifests, too`);
    return undefined;
  }
  const sources = await foundSourceFiles(source ?? [], '--source');
  return { sources, kubeVersion: kubeVersion ?? KUBE_VERSION, apiVersions: apiVersions ?? [], kustomizePath };
}
