import { expect, test } from '@jest/globals';
import { nextSteps } from '#cli/demo/next-steps.js';

test('in the sandbox the commands start with its environment', () => {
  expect(nextSteps({ program: 'fairlead', namespace: 'shop' }).split('\n').slice(1, 4)).toEqual([
    '  eval "$(fairlead sandbox env)"',
    '  kubectl -n shop get gapp',
    '  helm --kube-context member-2 list -A',
  ]);
});

test('a folder of its own is named', () => {
  expect(nextSteps({ program: 'fairlead', namespace: 'shop', dir: 'my place' })).toContain(
    `eval "$(fairlead sandbox env --dir 'my place')"`,
  );
});

test('on a cluster of the user the commands use its kubeconfig', () => {
  const text = nextSteps({ program: 'fairlead', namespace: 'shop', kubeconfig: 'host.kubeconfig' });
  expect(text).toContain("export KUBECONFIG='host.kubeconfig'");
  expect(text).not.toContain('--kube-context');
  expect(text).toContain('patch gapp first-light');
});

test('what was rolled out in the sandbox is looked at, and taken back', () => {
  const text = nextSteps({ program: 'fairlead', namespace: 'shop' });
  expect(text).toContain('  fairlead history first-light -n shop\n  fairlead rollback first-light -n shop\n');
  expect(text).not.toContain('patch');
});
