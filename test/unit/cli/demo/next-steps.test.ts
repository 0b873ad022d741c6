import { expect, test } from '@jest/globals';
import { nextSteps } from '#cli/local/model/next-steps.js';

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

test('what was rolled out in the sandbox is looked at, broken and taken back', () => {
  const text = nextSteps({ program: 'npm run -s fairlead --', namespace: 'shop' });
  expect(text.match(/ {2}(?:eval|fairlead) .*/g)).toEqual([
    '  eval "$(npm run -s fairlead -- sandbox env)"',
    '  fairlead history first-light -n shop',
    '  fairlead tree first-light -n shop --cluster host',
    '  fairlead rollback first-light -n shop',
    '  fairlead status -n shop --watch',
  ]);
  expect(text).toContain('"value":{"sandbox.fairlead.dev/outcome":"no-image"}');
});
