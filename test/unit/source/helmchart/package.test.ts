import { expect, test } from '@jest/globals';
import { packageFailure } from '#controllers/source/helmchart/package.js';

/** The error of helm in a scratch folder, which each try names differently. */
function failureIn(work: string, stderr: (work: string) => string): Error {
  return packageFailure({ name: 'web', path: `${work}/tree/charts/web` }, work, stderr(work));
}

test.each<[string, (work: string) => string, string, RegExp]>([
  [
    'a full disk',
    (work) => `Error: write ${work}/package/web-1.0.0.tgz: no space left on device`,
    'StorageOperationFailed',
    /^no space is left on the disk/,
  ],
  [
    'a chart that helm rejects',
    (work) => `Error: cannot load ${work}/tree/charts/web/values.yaml into ${work}/package`,
    'ChartPackageError',
    /^helm cannot package chart 'web': cannot load web\/values.yaml into package$/,
  ],
])('%s is the same error at each try', (_title, stderr, reason, message) => {
  const [first, second] = ['/data/.work/chart-a', '/data/.work/chart-b'].map((work) => failureIn(work, stderr));
  expect(first).toMatchObject({ reason, message: expect.stringMatching(message) });
  expect(second?.message).toBe(first?.message);
});
