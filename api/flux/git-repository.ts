import type Type from 'typebox';
import type { KubeObject } from '../meta.js';
import { flag, list, object, objectName, oneOf, optional, text } from '../schema.js';
import { Artifact, localReference, sourceFields, fluxStatus } from './common.js';
import { SOURCE_RESOURCES } from './source-kinds.js';

export const gitRepositoryResource = SOURCE_RESOURCES.GitRepository;

const GitReference = object('What to check out: the first that is set of commit, name, tag, semver, branch.', {
  branch: optional(text('Branch. Default: master.')),
  tag: optional(text('Tag.')),
  semver: optional(text('Semver range; the highest matching tag is used.')),
  name: optional(text('Full reference, e.g. refs/pull/1/head.')),
  commit: optional(text('Commit hash; if branch is set too, only that branch is fetched.')),
});
type GitReference = Type.Static<typeof GitReference>;

const GitInclude = object('Files of another GitRepository.', {
  repository: localReference('The GitRepository.'),
  fromPath: optional(text('Path in its artifact. Default: the root.')),
  toPath: optional(text('Path in this artifact. Default: the name of the repository.')),
});

const GitVerification = object('Required signature.', {
  mode: optional(
    oneOf('What must be signed: HEAD (default), Tag or TagAndHEAD.', ['head', 'HEAD', 'Tag', 'TagAndHEAD'], {
      default: 'HEAD',
    }),
  ),
  secretRef: localReference('Secret with the trusted keys, as .asc or .sshpub.'),
});

export const GitRepositorySpec = object(
  'Desired state of the repository.',
  {
    ...sourceFields,
    url: text('URL of the repository: http, https or ssh.', { pattern: '^(http|https|ssh)://.*$', maxLength: 2_048 }),
    ref: optional(GitReference),
    secretRef: optional(localReference('Secret with username and password, bearerToken, or identity and known_hosts.')),
    proxySecretRef: optional(localReference('Secret with the address and credentials of a proxy.')),
    provider: optional(oneOf('Provider of credentials. Default: generic.', ['generic', 'aws', 'azure', 'github'])),
    serviceAccountName: optional(objectName('ServiceAccount for workload identity.')),
    verify: optional(GitVerification),
    ignore: optional(text('Files to exclude, in .gitignore syntax; replaces the default exclusions.')),
    recurseSubmodules: optional(flag('If true, submodules are fetched too. Default: false.')),
    sparseCheckout: optional(list('Directories to fetch. Default: all.', text('Path.'))),
    include: optional(list('Files to include from other GitRepositories.', GitInclude)),
  },
  {
    rules: [
      {
        rule: "!has(self.serviceAccountName) || (has(self.provider) && self.provider != 'generic')",
        message: 'serviceAccountName requires a provider other than generic',
      },
    ],
  },
);
export type GitRepositorySpec = Type.Static<typeof GitRepositorySpec>;

export const GitRepositoryStatus = fluxStatus('Observed state of the repository.', {
  artifact: optional(Artifact),
  includedArtifacts: optional(list('Artifacts of the included repositories.', Artifact)),
  observedIgnore: optional(text('Exclusions used for the artifact.')),
  observedRecurseSubmodules: optional(flag('Whether the artifact contains submodules.')),
  observedInclude: optional(list('Includes used for the artifact.', GitInclude)),
  observedSparseCheckout: optional(list('Directories used for the artifact.', text('Path.'))),
  sourceVerificationMode: optional(text('What was verified.')),
});
export type GitRepositoryStatus = Type.Static<typeof GitRepositoryStatus>;

export const GitRepository = object('A Git repository, fetched and stored as an archive.', {
  spec: GitRepositorySpec,
  status: optional(GitRepositoryStatus),
});
export type GitRepository = KubeObject & Type.Static<typeof GitRepository>;
