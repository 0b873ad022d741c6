import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { checksumIn, platformOf, releaseOf } from '#sandbox/tools/releases.js';
import { TOOLS, WORLD_TOOLS, type ToolName } from '#sandbox/tools/table.js';

const LINUX = { os: 'linux', arch: 'amd64' };

function goModOf(tool: ToolName): string {
  return readFileSync(`tools/${TOOLS[tool].module}/go.mod`, 'utf8');
}

const GO_MOD = `require (
\tk8s.io/kubernetes v1.35.4
\thelm.sh/helm/v4 v4.3.1
\tgo.etcd.io/etcd/server/v3 v3.7.3
\tsigs.k8s.io/kwok v0.8.0
\tsigs.k8s.io/kustomize/kustomize/v5 v5.8.1
\tgithub.com/distribution/distribution/v3 v3.1.1
)`;

describe('releaseOf', () => {
  test.each([
    ['kube-apiserver', 'dl.k8s.io/release/v1.35.4/bin/linux/amd64/kube-apiserver', undefined],
    ['kubectl', 'dl.k8s.io/release/v1.35.4/bin/linux/amd64/kubectl', undefined],
    ['helm', 'get.helm.sh/helm-v4.3.1-linux-amd64.tar.gz', 'linux-amd64/helm'],
    [
      'etcd',
      'github.com/etcd-io/etcd/releases/download/v3.7.3/etcd-v3.7.3-linux-amd64.tar.gz',
      'etcd-v3.7.3-linux-amd64/etcd',
    ],
    ['kwok', 'github.com/kubernetes-sigs/kwok/releases/download/v0.8.0/kwok-linux-amd64', undefined],
    [
      'kustomize',
      'github.com/kubernetes-sigs/kustomize/releases/download/kustomize%2Fv5.8.1/kustomize_v5.8.1_linux_amd64.tar.gz',
      'kustomize',
    ],
    [
      'registry',
      'github.com/distribution/distribution/releases/download/v3.1.1/registry_3.1.1_linux_amd64.tar.gz',
      'registry',
    ],
  ] as const)('%s is at %s', (tool, file, member) => {
    expect(releaseOf(tool, GO_MOD, LINUX)).toMatchObject(member === undefined ? { file } : { file, member });
  });

  test('every tool of a sandbox is released for Linux, in the version of its go.mod', () => {
    const missing = WORLD_TOOLS.filter((tool) => releaseOf(tool, goModOf(tool), LINUX) === undefined);
    expect(missing).toEqual([]);
  });

  test('servers are not released for macOS, and clients are', () => {
    const mac = { os: 'darwin', arch: 'arm64' };
    const released = WORLD_TOOLS.filter((tool) => releaseOf(tool, GO_MOD, mac) !== undefined);
    expect(released.sort()).toEqual(['helm', 'kubectl', 'kustomize', 'kwok']);
  });

  test('nobody releases our own programs', () => {
    expect(releaseOf('oracles', GO_MOD, LINUX)).toBeUndefined();
  });
});

describe('platformOf', () => {
  test.each([
    ['linux', 'x64', { os: 'linux', arch: 'amd64' }],
    ['darwin', 'arm64', { os: 'darwin', arch: 'arm64' }],
    ['win32', 'x64', undefined],
    ['linux', 'mips', undefined],
  ])('%s %s', (os, arch, platform) => {
    expect(platformOf(os, arch)).toEqual(platform);
  });
});

const SUM = '61c9a2c0d5981a78482025b6b69728521fbc78506d68b223d4a2eb825de5ca3d';
const OTHER = 'f5a4385a2ae1b9dd7f8acae18e002a75c0ebba124ae9d7259aa8dadb50711f46';

describe('checksumIn', () => {
  test.each([
    ['a bare checksum', SUM, SUM],
    ['a bare checksum with a line break', `${SUM}\n`, SUM],
    ['a list', `${OTHER}  other.tar.gz\n${SUM}  tool.tar.gz\n`, SUM],
    ['a list of binary files', `${OTHER} *other.tar.gz\n${SUM} *tool.tar.gz\n`, SUM],
    ['a list with folders', `${SUM}  ./bin/tool.tar.gz\n`, SUM],
    ["GitHub's description", `{"assets":[{"name":"tool.tar.gz","digest":"sha256:${SUM}"}]}`, SUM],
    ['a list without the file', `${OTHER}  other.tar.gz\n`, undefined],
    ['a name that only ends alike', `${OTHER}  my-tool.tar.gz\n`, undefined],
    ["GitHub's description without the file", `{"assets":[{"name":"other","digest":"sha256:${SUM}"}]}`, undefined],
    ["GitHub's description without a digest", '{"assets":[{"name":"tool.tar.gz","digest":null}]}', undefined],
    ['another kind of checksum', '{"assets":[{"name":"tool.tar.gz","digest":"sha512:00"}]}', undefined],
    ['a web page', '<html>sign in first</html>', undefined],
    ['broken JSON', '{"assets":', undefined],
    ['JSON of another kind', '{"assets":{"name":1}}', undefined],
    ['nothing', '', undefined],
  ])('%s', (_what, text, checksum) => {
    expect(checksumIn(text, 'tool.tar.gz')).toBe(checksum);
  });
});
