import type Type from 'typebox';
import type { KubeObject } from '../meta.js';
import { flag, list, object, objectName, oneOf, optional, text } from '../schema.js';
import { Artifact, localReference, sourceFields, sourceResource, statusFields, UNOBSERVED } from './common.js';

export const gitRepositoryResource = sourceResource('GitRepository', 'gitrepositories');

const GitReference = object('What is checked out; the first given of commit, name, semver, tag, branch.', {
  branch: optional(text('Branch; master by default.')),
  tag: optional(text('Tag.')),
  semver: optional(text('Range over the tags; the highest wins.')),
  name: optional(text('Full reference, e.g. refs/pull/1/head.')),
  commit: optional(text('Commit hash; with a branch only that branch is fetched.')),
});
type GitReference = Type.Static<typeof GitReference>;

const GitInclude = object('Files of another GitRepository.', {
  repository: localReference('The GitRepository.'),
  fromPath: optional(text('Path in its artifact; the root by default.')),
  toPath: optional(text('Path in this artifact; the name of the repository by default.')),
});

const GitVerification = object('Which signature is demanded.', {
  mode: optional(
    oneOf('What must be signed: HEAD (default), Tag or TagAndHEAD.', ['head', 'HEAD', 'Tag', 'TagAndHEAD'], {
      default: 'HEAD',
    }),
  ),
  secretRef: localReference('Secret with the trusted keys, as .asc or .sshpub.'),
});

export const GitRepositorySpec = object(
  'The wanted repository.',
  {
    ...sourceFields,
    url: text('Address, http, https or ssh.', { pattern: '^(http|https|ssh)://.*$', maxLength: 2_048 }),
    ref: optional(GitReference),
    secretRef: optional(localReference('Secret with username and password, bearerToken, or identity and known_hosts.')),
    proxySecretRef: optional(localReference('Secret with the address of a proxy and its credentials.')),
    provider: optional(oneOf('Who gives out credentials; generic by default.', ['generic', 'aws', 'azure', 'github'])),
    serviceAccountName: optional(objectName('ServiceAccount for workload identity.')),
    verify: optional(GitVerification),
    ignore: optional(text('Files to leave out, in the form of .gitignore; replaces the usual exclusions.')),
    recurseSubmodules: optional(flag('True also fetches submodules; false by default.')),
    sparseCheckout: optional(list('Directories to fetch; all by default.', text('Path.'))),
    include: optional(list('Files of other GitRepositories to add.', GitInclude)),
  },
  {
    rules: [
      {
        rule: "!has(self.serviceAccountName) || (has(self.provider) && self.provider != 'generic')",
        message: 'serviceAccountName needs another provider than generic',
      },
    ],
  },
);
export type GitRepositorySpec = Type.Static<typeof GitRepositorySpec>;

export const GitRepositoryStatus = object(
  'The state of the repository.',
  {
    ...statusFields,
    artifact: optional(Artifact),
    includedArtifacts: optional(list('Artifacts of the included repositories.', Artifact)),
    observedIgnore: optional(text('Exclusions of the artifact.')),
    observedRecurseSubmodules: optional(flag('Whether the artifact has submodules.')),
    observedInclude: optional(list('What the artifact includes.', GitInclude)),
    observedSparseCheckout: optional(list('Directories of the artifact.', text('Path.'))),
    sourceVerificationMode: optional(text('What was verified.')),
  },
  { default: UNOBSERVED },
);
export type GitRepositoryStatus = Type.Static<typeof GitRepositoryStatus>;

export const GitRepository = object('A Git repository that is fetched and kept as an archive.', {
  spec: GitRepositorySpec,
  status: optional(GitRepositoryStatus),
});
export interface GitRepository extends KubeObject {
  spec: GitRepositorySpec;
  status?: GitRepositoryStatus;
}
