import { InvalidArgumentError, type Command } from 'commander';
import { KUBE_VERSION } from '#engine/member/plain-cluster.js';
import { pathArgument } from '../arguments.js';
import { foundSourceFiles, sourceFilesArgument, type SourceFiles } from './source-files.js';

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
