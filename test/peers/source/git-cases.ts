import { once, type Addresses, type Case, type Objects } from './case.js';

const MAIN = { ref: { branch: 'main' } };

function of(repository: string, name: string, fields: object): (at: Addresses) => Objects {
  return (at) => ({ [`GitRepository/${name}`]: { url: at.git(repository), ...fields } });
}

function ref(name: string, fields: object): Case {
  return once(`a repository by ${name}`, of('app', name.replaceAll(' ', '-'), { ref: fields }));
}

/** A commit or tag of the repository of signed ones, by default with the key of the SSH signer. */
function signed(
  at: Addresses,
  name: string,
  { ref: wanted, mode, signer = 'ssh-signer' }: { ref: object; mode: string; signer?: string },
): Objects {
  const spec = { url: at.git('signed'), ref: wanted, verify: { mode, secretRef: { name: signer } } };
  return { [`GitRepository/${name}`]: spec };
}

function bySsh(at: Addresses, name: string, fields: object): Objects {
  return { [`GitRepository/${name}`]: { url: at.sshGit('app'), ...MAIN, secretRef: { name: 'ssh' }, ...fields } };
}

export const GIT_CASES: readonly Case[] = [
  ref('branch', { branch: 'main' }),
  ref('tag', { tag: 'v1.0.0' }),
  ref('annotated tag', { tag: 'noted' }),
  ref('range', { semver: '>=1.0.0 <2.0.0' }),
  ref('range of pre releases', { semver: '>=1.2.0-0 <1.3.0-0' }),
  ref('range over build metadata', { semver: '3.x' }),
  ref('name of a branch', { name: 'refs/heads/release/1.x' }),
  ref('name of a tag', { name: 'refs/tags/v1.0.0' }),
  ref('name of a request', { name: 'refs/pull/1/head' }),
  ref('name before others', { name: 'refs/heads/release/1.x', branch: 'main', tag: 'v1.0.0' }),
  ref('tag before a range', { semver: '1.0.x', tag: 'v2.0.0', branch: 'main' }),
  once('a repository by commit', (at) => ({
    'GitRepository/commit': { url: at.git('app'), ref: { commit: at.ids('second') } },
    'GitRepository/commit-of-branch': { url: at.git('app'), ref: { branch: 'main', commit: at.ids('second') } },
  })),
  once('there is no default branch', of('app', 'no-master', {}), { 'GitRepository/no-master': 'GitOperationFailed' }),
  once('there is no such tag', of('app', 'no-tag', { ref: { tag: 'v9' } }), {
    'GitRepository/no-tag': 'GitOperationFailed',
  }),
  once('no tag is in the range', of('app', 'no-range', { ref: { semver: '>9' } }), {
    'GitRepository/no-range': 'GitOperationFailed',
  }),
  once('there is no such repository', of('absent', 'no-repository', MAIN), {
    'GitRepository/no-repository': 'GitOperationFailed',
  }),
  once('files are ignored', (at) => ({
    'GitRepository/ignore': { url: at.git('app'), ...MAIN, ignore: '/*\n!/deploy\n' },
    'GitRepository/ignore-nothing': { url: at.git('app'), ...MAIN, ignore: '# nothing\n' },
    'GitRepository/ignore-files': { url: at.git('ignored'), ...MAIN },
    'GitRepository/ignore-both': { url: at.git('ignored'), ...MAIN, ignore: '!docs/draft.md\n*.yaml\n' },
  })),
  {
    ...once('a link that another commit has', of('linked', 'linked', { ref: { semver: '1.x' } })),
    differs: 'Flux loses the file that a link of the default branch leads to',
  },
  once('a link is left out', of('linked', 'linked-main', MAIN)),
  once('folders are checked out', of('app', 'sparse', { ...MAIN, sparseCheckout: ['./deploy/eu', 'docs'] })),
  once('submodules are taken along', of('parent', 'parent', { ...MAIN, recurseSubmodules: true })),
  once('submodules are left out', of('parent', 'childless', MAIN)),
  {
    name: 'a repository follows its branch',
    steps: [
      { does: 'the first commit', objects: of('moves', 'moves', MAIN) },
      { does: 'another one', happens: ({ commit }) => commit('moves', { 'b.yaml': 'b: 1\n', 'a.yaml': null }) },
      { does: 'patterns', objects: of('moves', 'moves', { ...MAIN, ignore: 'b.yaml' }) },
      { does: 'another reference', objects: of('moves', 'moves', { ref: { tag: 'old' } }) },
      {
        does: 'one that does not exist',
        objects: of('moves', 'moves', { ref: { branch: 'gone' } }),
        fails: { 'GitRepository/moves': 'GitOperationFailed' },
      },
      { does: 'the branch again', objects: of('moves', 'moves', MAIN) },
    ],
  },
  {
    name: 'a suspended repository stays',
    steps: [
      {
        does: 'both work',
        objects: (at) => ({ ...of('sleeps', 'awake', MAIN)(at), ...of('sleeps', 'asleep', MAIN)(at) }),
      },
      { does: 'one is suspended', objects: of('sleeps', 'asleep', { ...MAIN, suspend: true }) },
      { does: 'a commit comes', happens: ({ commit }) => commit('sleeps', { 'new.yaml': 'new: 1\n' }) },
    ],
  },
  {
    name: 'a repository includes others',
    steps: [
      {
        does: 'two of them',
        objects: (at) => ({
          'GitRepository/included': { url: at.git('included'), ...MAIN },
          'GitRepository/included-too': { url: at.git('app'), ...MAIN },
          'GitRepository/includes': {
            url: at.git('moves'),
            ref: { tag: 'old' },
            include: [
              { repository: { name: 'included' } },
              { repository: { name: 'included-too' }, fromPath: 'deploy/eu', toPath: 'from/eu' },
            ],
          },
        }),
      },
      { does: 'one changes', happens: ({ commit }) => commit('included', { 'more.yaml': 'more: 1\n' }) },
      {
        does: 'one does not exist',
        objects: (at) => ({
          'GitRepository/includes': {
            url: at.git('moves'),
            ref: { tag: 'old' },
            include: [{ repository: { name: 'absent' } }],
          },
        }),
        fails: { 'GitRepository/includes': 'NotFound' },
      },
    ],
  },
  once(
    'a commit is verified',
    (at) => ({
      'GitRepository/verified': {
        url: at.git('signed'),
        ref: { branch: 'pgp' },
        verify: { mode: 'HEAD', secretRef: { name: 'pgp' } },
      },
      'GitRepository/verified-tag': {
        url: at.git('signed'),
        ref: { tag: 'pgp' },
        verify: { mode: 'Tag', secretRef: { name: 'pgp' } },
      },
      'GitRepository/verified-both': {
        url: at.git('signed'),
        ref: { tag: 'pgp' },
        verify: { mode: 'TagAndHEAD', secretRef: { name: 'pgp' } },
      },
      'GitRepository/unsigned': {
        url: at.git('signed'),
        ref: { branch: 'main' },
        verify: { mode: 'HEAD', secretRef: { name: 'pgp' } },
      },
      'GitRepository/no-keys': {
        url: at.git('signed'),
        ref: { branch: 'pgp' },
        verify: { mode: 'HEAD', secretRef: { name: 'absent' } },
      },
    }),
    { 'GitRepository/unsigned': 'InvalidCommitSignature', 'GitRepository/no-keys': 'VerificationError' },
  ),
  {
    ...once(
      'a commit is verified by an SSH key',
      (at) => ({
        ...signed(at, 'ssh-verified', { ref: { branch: 'ed25519' }, mode: 'HEAD' }),
        ...signed(at, 'ssh-verified-tag', { ref: { tag: 'ed25519' }, mode: 'Tag' }),
        ...signed(at, 'ssh-verified-both', { ref: { tag: 'ed25519' }, mode: 'TagAndHEAD' }),
        ...signed(at, 'ssh-other-key', { ref: { branch: 'ed25519' }, mode: 'HEAD', signer: 'other-ssh-signer' }),
      }),
      {
        'GitRepository/ssh-verified': 'InvalidCommitSignature',
        'GitRepository/ssh-verified-tag': 'InvalidTagSignature',
        'GitRepository/ssh-verified-both': 'InvalidTagSignature',
        'GitRepository/ssh-other-key': 'InvalidCommitSignature',
      },
      { 'GitRepository/ssh-other-key': 'InvalidCommitSignature' },
    ),
    differs: 'this Flux verifies PGP signatures only; newer ones verify those of SSH, too',
  },
  once(
    'a key opens a repository',
    (at) => ({
      ...bySsh(at, 'ssh', {}),
      ...bySsh(at, 'ssh-tag', { ref: { tag: 'v1.0.0' } }),
      ...bySsh(at, 'ssh-range', { ref: { semver: '1.x' } }),
      ...bySsh(at, 'ssh-ignore', { ignore: '/*\n!/deploy\n' }),
      ...bySsh(at, 'ssh-stranger', { secretRef: { name: 'ssh-stranger' } }),
      ...bySsh(at, 'ssh-other-host', { secretRef: { name: 'ssh-other-host' } }),
      ...bySsh(at, 'ssh-no-hosts', { secretRef: { name: 'ssh-no-hosts' } }),
      ...bySsh(at, 'ssh-no-secret', { secretRef: { name: 'absent' } }),
    }),
    {
      'GitRepository/ssh-stranger': 'GitOperationFailed',
      'GitRepository/ssh-other-host': 'GitOperationFailed',
      'GitRepository/ssh-no-hosts': 'AuthenticationFailed',
      'GitRepository/ssh-no-secret': 'AuthenticationFailed',
    },
  ),
  once(
    'a repository wants a login',
    (at) => ({
      'GitRepository/login': { url: at.guardedGit('app'), ...MAIN, secretRef: { name: 'login' }, provider: 'generic' },
      'GitRepository/wrong-login': { url: at.guardedGit('app'), ...MAIN, secretRef: { name: 'wrong-login' } },
      'GitRepository/no-login': { url: at.guardedGit('app'), ...MAIN },
      'GitRepository/no-secret': { url: at.guardedGit('app'), ...MAIN, secretRef: { name: 'absent' } },
    }),
    {
      'GitRepository/wrong-login': 'GitOperationFailed',
      'GitRepository/no-login': 'GitOperationFailed',
      'GitRepository/no-secret': 'AuthenticationFailed',
    },
  ),
  once(
    'a repository has a certificate',
    (at) => ({
      'GitRepository/secure': { url: at.secureGit('app'), ...MAIN, secretRef: { name: 'ca' } },
      'GitRepository/unknown-ca': { url: at.secureGit('app'), ...MAIN },
    }),
    { 'GitRepository/unknown-ca': 'GitOperationFailed' },
  ),
  once('a proxy leads to a repository', (at) => ({
    'GitRepository/by-proxy': { url: at.git('app'), ...MAIN, timeout: '50s', proxySecretRef: { name: 'proxy' } },
  })),
];
