import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** Tests by file; each would fail if Fairlead had the bug. */
type Proof = Readonly<Record<string, readonly string[]>>;

/** What ks-devops did wrong with Applications of the Flux engine, and the tests that show that Fairlead does not. */
const BUGS: readonly (readonly [bug: string, proof: Proof])[] = [
  [
    'removed destinations are never deleted',
    {
      'apiserver/application/rollout': [
        'deletes the child of a removed entry, and waits for children before it goes itself',
      ],
    },
  ],
  [
    'a switch between charts and files, or to another engine, leaves all old children running',
    {
      'apiserver/application/kustomization': [
        'leaves no child of the old kind behind when it changes from a chart to files, and back',
      ],
      'apiserver/api/crd': ['keeps its engine'],
    },
  ],
  [
    'edits of the chart are ignored once a template is saved, and a stale or foreign chart of that name is deployed',
    {
      'apiserver/template/save': [
        'follows the edits of its saver, and so do its users; nothing changed is nothing written',
        'comes again with another chart: that is what it deploys, and saves',
        'overwrites nothing that somebody else made; the releases go on, and it heals when the way is free',
      ],
    },
  ],
  [
    'a template cannot be used by other projects, and nobody is told of a missing one',
    {
      'apiserver/template/grants': [
        'are refused until they are shared by name; without the grant what runs goes on running',
        'are missing or there, and pinned, like those of the own namespace',
      ],
    },
  ],
  [
    'a template is a live chart that goes on being fetched',
    { 'apiserver/template/save': ['makes nothing that an engine would go on fetching'] },
  ],
  [
    'the namespace of the source is dropped for charts',
    {
      'unit/application/model/desired': ['takes its chart from a source whose namespace is stated as %j out of %s'],
    },
  ],
  [
    'every pass updates every child, and status updates bring passes',
    {
      'apiserver/application/rollout': [
        'makes a child per entry, reports them, keeps still, and writes one child for one edit',
      ],
      'apiserver/application/scale': ['answers a label with no write at all'],
    },
  ],
  [
    'an old cache makes a second child for one destination',
    {
      'apiserver/application/resilience': ['has one child per destination although two controllers work on it at once'],
    },
  ],
  [
    'destinations whose keys read the same overwrite each other',
    {
      'apiserver/application/identity': [
        'is told apart where the keys read the same',
        'is its release: one namespace of one cluster holds two',
      ],
    },
  ],
  [
    'the first failing destination stops the others, or hides what failed before it',
    {
      'apiserver/application/resilience': [
        'rolls out what it can, says of each destination why it could not, and heals',
      ],
    },
  ],
  [
    'the name of an Application over 63 characters is no label value',
    { 'apiserver/application/identity': ['holds for an Application whose name is no label value'] },
  ],
  [
    'foreign objects with a common label bring errors for ever',
    {
      'apiserver/application/kustomization': [
        'is not troubled by Kustomizations and HelmReleases that carry its name in a label',
      ],
    },
  ],
  [
    'removed destinations go on being counted',
    {
      'apiserver/application/identity': ['is told apart where the keys read the same'],
      'unit/application/model/rows': ['is shown until it is gone with the same words, and never counted'],
    },
  ],
  [
    'the last revision is that of a random destination',
    {
      'unit/application/model/marks': [
        'show the lowest revision that runs',
        'show the same revision in whatever order the destinations come',
      ],
    },
  ],
  [
    'the label of the type is misspelt, and status.kind is never set',
    {
      'unit/application/model/marks': ['tell the kind in both spellings, and how many destinations are ready'],
      'unit/application/model/status': ['keeps the engine that it began with'],
    },
  ],
  [
    'what is wrong with an Application is never shown on it',
    { 'apiserver/application/rollout': ['stalls %s with %s and makes no child'] },
  ],
  [
    'a status that was written over an old version is lost',
    { 'apiserver/application/resilience': ['writes its status again when somebody wrote in between'] },
  ],
  [
    'Applications cannot be filtered by health, nor by sync',
    { 'unit/application/model/health': ['is for destinations that are %j: %s, %s'] },
  ],
  [
    'a deletion without cascade deletes everything',
    {
      'apiserver/application/ownership': [
        'keeps children on kubectl delete --cascade=orphan, and takes them over again',
      ],
    },
  ],
];

/*
 * Its other bugs are in what Fairlead has no counterpart of: kubeconfigs copied into projects, the list of clusters that
 * its API serves, and git repositories of DevOps projects mirrored into Flux. Whoever builds one of these adds its rows.
 */

describe('a bug that ks-devops shipped has tests that show we have it not:', () => {
  it.each(BUGS)('%s', async (_, proof) => {
    for (const [file, tests] of Object.entries(proof)) {
      const source = await readFile(path.resolve('test', `${file}.test.ts`), 'utf8');
      for (const test of tests) {
        const title = test.replaceAll(/[.*+?^$()[\]{}|]/g, String.raw`\$&`);
        expect(source).toMatch(new RegExp(String.raw`(it|test|it\.concurrent|\])\)?\(\s*'${title}'`));
      }
    }
  });
});
