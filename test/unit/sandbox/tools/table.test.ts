import { describe, expect, test } from '@jest/globals';
import { linkerFlags, MODULE_NAMES, requiredVersion, TOOLS, WORLD_TOOLS } from '#sandbox/tools/table.js';

const GO_MOD = `module fairlead.dev/tools/example

go 1.26.0

require (
\tk8s.io/kubernetes v1.35.4 // indirect
\thelm.sh/helm/v4 v4.3.1 // indirect
)

replace k8s.io/api => k8s.io/api v0.35.4
`;

describe('requiredVersion', () => {
  test.each([
    ['k8s.io/kubernetes', 'v1.35.4'],
    ['helm.sh/helm/v4', 'v4.3.1'],
  ])('reads the version of %s', (module, version) => {
    expect(requiredVersion(GO_MOD, module)).toBe(version);
  });

  test('reads a require line of its own', () => {
    expect(requiredVersion('require helm.sh/helm/v4 v4.0.0\n', 'helm.sh/helm/v4')).toBe('v4.0.0');
  });

  test('names the module that is missing', () => {
    expect(() => requiredVersion(GO_MOD, 'example.org/none')).toThrow('go.mod does not require example.org/none');
  });
});

describe('linkerFlags', () => {
  test('tell the control plane which Kubernetes it is', () => {
    expect(linkerFlags('kube-scheduler', GO_MOD).split(' -X ').sort()).toEqual([
      '-s -w',
      'k8s.io/client-go/pkg/version.gitMajor=1',
      'k8s.io/client-go/pkg/version.gitMinor=35',
      'k8s.io/client-go/pkg/version.gitVersion=v1.35.4',
      'k8s.io/component-base/version.gitMajor=1',
      'k8s.io/component-base/version.gitMinor=35',
      'k8s.io/component-base/version.gitVersion=v1.35.4',
    ]);
  });

  test('tell helm its patch version', () => {
    expect(linkerFlags('helm', GO_MOD)).toBe('-s -w -X helm.sh/helm/v4/internal/version.version=v4.3.1');
  });

  test('only make other binaries small', () => {
    expect(linkerFlags('etcd', GO_MOD)).toBe('-s -w');
  });
});

const OF_CONTROLLERS = ['kustomize-controller', 'source-controller'];
const OF_TESTS = ['oracles', ...OF_CONTROLLERS, 'versitygw', 'minio', 'glauth', 'ssh', 'cosign'];

test('a sandbox waits for no tool that only tests use', () => {
  expect(WORLD_TOOLS.filter((tool) => OF_TESTS.includes(tool))).toEqual([]);
});

test('every tool is provided', () => {
  expect([...WORLD_TOOLS, ...OF_TESTS].sort()).toEqual(Object.keys(TOOLS).sort());
  expect([...MODULE_NAMES].sort()).toEqual([...new Set(Object.values(TOOLS).map(({ module }) => module))].sort());
});
