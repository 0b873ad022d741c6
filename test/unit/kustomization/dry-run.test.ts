import { describe, expect, test } from '@jest/globals';
import type { PlannedChange } from '#api/dry-run.js';
import type { KustomizationSpec } from '#api/flux/kustomization.js';
import { hidesValues, withHeldBack } from '#controllers/kustomization/dry-run.js';

describe('a dry run of a Kustomization', () => {
  test.each<[string, Pick<KustomizationSpec, 'decryption' | 'postBuild'>, boolean]>([
    ['shows values of plain files', {}, false],
    ['shows values of ConfigMaps', { postBuild: { substituteFrom: [{ kind: 'ConfigMap', name: 'a' }] } }, false],
    [
      'hides values that may come from a Secret',
      { postBuild: { substituteFrom: [{ kind: 'Secret', name: 'a' }] } },
      true,
    ],
    ['hides values that may be decrypted', { decryption: { provider: 'sops' } }, true],
  ])('%s', (_title, spec, expected) => {
    expect(hidesValues(spec)).toBe(expected);
  });
});

const planned = (action: PlannedChange['action'], message?: string): PlannedChange => ({
  ...{ action, apiVersion: 'v1', kind: 'ConfigMap', name: 'a' },
  ...(message === undefined ? {} : { message }),
});

test.each<[string, PlannedChange, PlannedChange, string | undefined]>([
  ['a deletion is listed', planned('changed'), planned('deleted'), undefined],
  ['one next to a failure waits', planned('failed'), planned('deleted'), 'only once no object fails'],
  ['one that says more says so, too', planned('failed'), planned('deleted', 'x'), 'x; only once no object fails'],
  ['one that fails itself says why', planned('failed'), planned('failed', 'denied'), 'denied'],
])('%s', (_sentence, change, deletion, message) => {
  expect(withHeldBack([change], [deletion]).map((each) => each.message)).toEqual([message]);
});
