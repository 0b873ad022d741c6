import { expect, test } from '@jest/globals';
import { readModule } from '#sandbox/tools/cache.js';
import { goBuildArguments, goBuildEnvironment } from '#sandbox/tools/go-build.js';

test('one go build makes the binaries of a module that are missing, and no other', async () => {
  const module = await readModule('control-plane', '/cache');
  const args = goBuildArguments(module, ['kube-apiserver', 'kubectl'], '/cache/tmp');
  expect(args.slice(0, 4)).toEqual(['build', '-v', '-trimpath', '-gcflags=all=-dwarf=false']);
  expect(args.slice(4).filter((arg) => arg !== '-ldflags')).toEqual([
    expect.stringMatching(/^k8s\.io\/kubernetes\/cmd\/kube-apiserver=-s -w .*gitVersion=v1\.\d+\.\d+/),
    expect.stringMatching(/^k8s\.io\/kubernetes\/cmd\/kubectl=-s -w .*gitVersion=v1\.\d+\.\d+/),
    '-o',
    '/cache/tmp/',
    'k8s.io/kubernetes/cmd/kube-apiserver',
    'k8s.io/kubernetes/cmd/kubectl',
  ]);
});

test('go build saves CPU time on garbage, unless the user says how much', () => {
  expect(goBuildEnvironment({ PATH: '/bin' }, '/cache/tmp/work')).toEqual({
    PATH: '/bin',
    GOGC: '400',
    CGO_ENABLED: '0',
    GOTMPDIR: '/cache/tmp/work',
  });
  expect(goBuildEnvironment({ GOGC: '50' }, '/cache/tmp/work')).toMatchObject({ GOGC: '50' });
});
