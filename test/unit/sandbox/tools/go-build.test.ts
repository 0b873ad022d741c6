import { expect, test } from '@jest/globals';
import { readModule } from '#sandbox/tools/cache.js';
import { goBuildArguments } from '#sandbox/tools/go-build.js';

test('one go build makes all binaries of a module', async () => {
  const module = await readModule('control-plane', '/cache');
  const [verb, trim, flag, linker, output, folder, ...packages] = goBuildArguments(module, '/cache/tmp');
  expect([verb, trim, flag, output, folder]).toEqual(['build', '-trimpath', '-ldflags', '-o', '/cache/tmp/']);
  expect(linker).toMatch(/^-s -w .*-X k8s\.io\/component-base\/version\.gitVersion=v1\.\d+\.\d+/);
  expect(packages).toEqual([
    'k8s.io/kubernetes/cmd/kube-apiserver',
    'k8s.io/kubernetes/cmd/kube-controller-manager',
    'k8s.io/kubernetes/cmd/kube-scheduler',
    'k8s.io/kubernetes/cmd/kubectl',
  ]);
});
