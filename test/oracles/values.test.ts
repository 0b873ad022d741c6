import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ValuesReference } from '#api/flux/helm-release-fields.js';
import { configDigest } from '#controllers/helmrelease/model/digest.js';
import { composeValues } from '#controllers/helmrelease/model/values.js';
import { GOLDEN } from '../unit/helmrelease/model/values-golden.js';
import { differences, useOracle, type Answer } from './oracle.js';
import { crowdedTree, type Tree } from './trees.js';

interface Source {
  readonly kind: string;
  readonly name: string;
  readonly data: Readonly<Record<string, string>>;
}

interface Case {
  readonly inline: Tree;
  readonly references: readonly ValuesReference[];
  readonly sources: readonly Source[];
}

const REFUSED = 'refused';

const step = fc.constantFrom('a', 'b', 'c', 'd\\.e', 'a[0]', 'a[1]', 'b[0][1]', 'c[2]', '');
const tidyPath = fc.array(step, { minLength: 1, maxLength: 3 }).map((steps) => steps.join('.'));
const wildPath = fc.string({ unit: fc.constantFrom(...'ab.[]0\\,=-{} '.split('')), minLength: 1, maxLength: 6 });
const targetPath = fc.oneof({ weight: 5, arbitrary: tidyPath }, { weight: 1, arbitrary: wildPath });
const tidyText = fc.constantFrom(
  ...['x', '', 'true', 'False', 'null', 'NULL', '5', '-5', '+5', '05', '0', '1.5', '1e3', '1_000', '0x1F', 'yes'],
  ...['"5"', "'true'", '"', "'", '""', '"\'x\'"', '\'"x', '"x\'', "''x''", '"a,b=c"', "'a\\,b'", ' x ', 'x\n', 'x\ny'],
  ...[
    '{a,b}',
    '{a,b',
    '{}',
    '{1,true,null}',
    'a,b',
    'a\\,b',
    'a=b',
    'x,b=y',
    'x,b.c=7',
    '{a},b=z',
    '{a}x',
    'a\\',
    '[1]',
  ],
  ...['9007199254740991', '-0', '--5', '{"a": 1}', 'https://x.example/?a=b', '漢', 'a\\nb', ',', 'x,', 'x,,', 'x,b'],
);
const wildText = fc.string({ unit: fc.constantFrom(...'ab0,={}[]\\"\' .'.split('')), maxLength: 8 });
const setText = fc.oneof({ weight: 5, arbitrary: tidyText }, { weight: 2, arbitrary: wildText });
const fileText = fc.oneof(
  { weight: 6, arbitrary: crowdedTree.map((tree) => JSON.stringify(tree)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '# nothing',
      '{}',
      'null',
      'x',
      '[1]',
      'a: [',
      'a: 1\nb: {c: 0644}\n',
      '5',
      '---\na: 1\n',
    ),
  },
);

const source = fc.record({
  kind: fc.constantFrom('ConfigMap' as const, 'Secret' as const),
  name: fc.constantFrom('one', 'two', 'three'),
});
const file = fc.record({ source, text: fileText, isOptional: fc.boolean() });
const set = fc.record({ source, text: setText, targetPath, literal: fc.boolean(), isOptional: fc.boolean() });

/** Each reference has a key of its own; some name what is not there. */
function caseOf(
  inline: Tree,
  items: readonly (Part & { source: Pick<ValuesReference, 'kind' | 'name'> })[],
  gap: number,
): Case {
  const references = items.map(({ source: { kind, name }, isOptional, targetPath: path, literal }, index) => ({
    ...{ kind, name, valuesKey: `key${index}`, optional: isOptional },
    ...(path === undefined ? {} : { targetPath: path, literal }),
  }));
  const sources = items
    .map(({ source: { kind, name }, text }, index) => ({ kind, name, data: { [`key${index}`]: text } }))
    .filter((_item, index) => index !== gap);
  return { inline, references, sources: merged(sources) };
}

interface Part {
  readonly text: string;
  readonly isOptional: boolean;
  readonly targetPath?: string;
  readonly literal?: boolean;
}

/** One object per kind and name, with the keys of all. */
function merged(sources: readonly Source[]): Source[] {
  const known = new Map<string, Source>();
  for (const { kind, name, data } of sources) {
    const id = `${kind}/${name}`;
    known.set(id, { kind, name, data: { ...known.get(id)?.data, ...data } });
  }
  return [...known.values()];
}

const cases = fc
  .tuple(crowdedTree, fc.array(fc.oneof(file, set), { minLength: 1, maxLength: 4 }), fc.integer({ min: 0, max: 15 }))
  .map(([inline, items, gap]) => caseOf(inline, items, gap));

function ours({ inline, references, sources }: Case): unknown {
  const resolved = references.map((reference) => {
    const found = sources.find(({ kind, name }) => kind === reference.kind && name === reference.name);
    return { reference, namespace: 'default', data: found?.data };
  });
  const composed = composeValues(resolved, inline);
  return 'values' in composed ? { values: composed.values, digest: configDigest(composed.values) } : REFUSED;
}

const ask = useOracle('values');

test('the golden values are those that Flux composes', async () => {
  expect(await ask([GOLDEN.question])).toEqual([{ values: GOLDEN.values, digest: GOLDEN.digest }]);
});

test('values are composed, and have the digest, that Flux gives them', async () => {
  const theirs = (answer: Answer): unknown => ('error' in answer ? REFUSED : answer);
  expect(await differences({ ask, cases, theirs, ours })).toEqual([]);
});
