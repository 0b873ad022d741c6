import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** What ks-devops did wrong with Applications of the Flux engine, and the test that shows that Fairlead does not. */
const BUGS: readonly (readonly [bug: string, file: string, test: string])[] = [
  [
    'removed destinations are never deleted',
    'apiserver/application/rollout',
    'deletes the child of a removed entry, and waits for children before it goes itself',
  ],
  [
    'a switch between charts and files leaves all old children running',
    'apiserver/application/kustomization',
    'leaves no child of the old kind behind when it changes from a chart to files, and back',
  ],
  [
    'edits of the chart are ignored once a template is saved',
    'apiserver/template/save',
    'follows the edits of its saver, and so do its users; nothing changed is nothing written',
  ],
  [
    'a template cannot be used by other projects',
    'apiserver/template/grants',
    'are refused until they are shared by name; without the grant what runs goes on running',
  ],
  [
    'every pass updates every child, and status updates bring passes',
    'apiserver/application/rollout',
    'makes a child per entry, reports them, keeps still, and writes one child for one edit',
  ],
  [
    'a second child is made for one destination',
    'unit/application/model/work',
    'creates one child per entry and keeps them after that',
  ],
  [
    'destinations whose keys read the same overwrite each other',
    'unit/application/model/names',
    'differ when only the secret, the storage or the release differs',
  ],
  [
    'the name of an Application over 63 characters is no label value',
    'unit/application/model/names',
    'cut a release name as Flux does and a label value to 63 characters',
  ],
  [
    'foreign objects with a common label bring errors for ever',
    'apiserver/application/kustomization',
    'is not troubled by Kustomizations and HelmReleases that carry its name in a label',
  ],
  [
    'removed destinations go on being counted',
    'unit/application/model/rows',
    'is shown until it is gone with the same words, and never counted',
  ],
  [
    'the last revision is that of a random destination',
    'unit/application/model/marks',
    'show the lowest revision that runs',
  ],
  [
    'the label of the type is misspelt',
    'unit/application/model/marks',
    'tell the kind in both spellings, and how many destinations are ready',
  ],
  [
    'what is wrong with an Application is never shown on it',
    'apiserver/application/rollout',
    'stalls %s with %s and makes no child',
  ],
  [
    'a deletion without cascade deletes everything',
    'apiserver/application/ownership',
    'keeps children on kubectl delete --cascade=orphan, and takes them over again',
  ],
];

describe('a bug that ks-devops shipped has a test that shows we have it not:', () => {
  it.each(BUGS)('%s', async (_, file, test) => {
    const source = await readFile(path.resolve('test', `${file}.test.ts`), 'utf8');
    expect(source).toMatch(
      new RegExp(String.raw`(it|\])\)?\(\s*'${test.replaceAll(/[.*+?^$()[\]{}|]/g, String.raw`\$&`)}'`),
    );
  });
});
