import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import cloneDeep from 'lodash/cloneDeep.js';
import { childName } from '#controllers/application/model/destinations/identity.js';
import type { ReleaseKey } from '#controllers/application/model/child/types.js';
import type { ChildPlan } from '#controllers/application/model/plan-children.js';
import { application, applied, deploy, files, filesApplication, work, type Deploy } from './builders.js';

const cluster = fc.constantFrom(undefined, 'eu', 'us', 'eu-prod');
const namespace = fc.constantFrom('prod', 'a', 'b-c', 'prod-a');
const values = fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
const more = fc.record(
  {
    name: fc.constantFrom('one', 'two', 'three'),
    releaseName: fc.constantFrom('web', 'api'),
    storageNamespace: namespace,
    timeout: fc.constantFrom('1m', '2m'),
    suspend: fc.boolean(),
    values,
  },
  { requiredKeys: [] },
);
const entry: fc.Arbitrary<Deploy> = fc
  .tuple(namespace, cluster, more)
  .map(([target, member, fields]) => deploy(target, member, fields as Partial<Deploy>));
const entries = fc.array(entry, { minLength: 1, maxLength: 6 });

function reversedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversedKeys);
  if (typeof value !== 'object' || value === null) return value;
  const pairs = Object.entries(value).map(([key, field]) => [key, reversedKeys(field)] as const);
  return Object.fromEntries(pairs.reverse());
}

/** What is left to do, apart from what waits for the user: entries, children spared for their sake, and who follows. */
function open({ steps, rejected, departures }: ChildPlan): string[] {
  const isWaiting = rejected.length > 0 || departures.held(application([])) !== undefined;
  const settled = isWaiting ? ['keep', 'spare', 'wait'] : ['keep', 'spare'];
  return steps.map(({ op }) => op).filter((op) => !settled.includes(op));
}

describe('a plan', () => {
  it('once applied wants nothing more, from whatever was there before', () => {
    fc.assert(
      fc.property(entries, entries, (before, after) => {
        const old = applied([], work(application(before)).steps);
        let children = old;
        // A new child may wait until its neighbour is suspended, and gone: four rounds bring everything there.
        for (let round = 0; round < 4; round += 1)
          children = applied(children, work(application(after), children).steps);
        expect(open(work(application(after), children))).toEqual([]);
      }),
    );
  });

  it('does not depend on the order of entries, keys and children, and changes none', () => {
    fc.assert(
      fc.property(entries, entries, (before, after) => {
        const children = applied([], work(application(before)).steps);
        const app = application(after);
        const snapshot = cloneDeep([app, children]);
        const texts = ({ steps }: ChildPlan): string[] =>
          steps.map((step) => `${step.op} ${('object' in step ? step.object : step.live)?.metadata.name ?? ''}`).sort();
        const turned = reversedKeys([...after].reverse()) as Deploy[];
        expect(texts(work(application(turned), [...children].reverse()))).toEqual(texts(work(app, children)));
        expect([app, children]).toEqual(snapshot);
      }),
    );
  });

  it('gives different releases different names', () => {
    fc.assert(
      fc.property(entries, (list) => {
        const { steps } = work(application(list));
        const created = steps.flatMap((step) => (step.op === 'create' ? [step.object.metadata.name] : []));
        expect(new Set(created).size).toBe(created.length);
        for (const name of created) expect(name).toMatch(/^[a-z0-9][a-z0-9-]{0,51}[a-z0-9]$/);
      }),
    );
  });

  it('holds for files as for charts', () => {
    const list = fc.array(fc.tuple(fc.option(namespace, { nil: undefined }), cluster, fc.constantFrom('x', 'y')), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(list, list, (before, after) => {
        const made = (given: typeof before) =>
          filesApplication(
            given.map(([target, member, name]) => files(target, member, { name: `${name}${member ?? ''}` })),
          );
        let children = applied([], work(made(before)).steps);
        for (let round = 0; round < 4; round += 1) children = applied(children, work(made(after), children).steps);
        expect(open(work(made(after), children))).toEqual([]);
      }),
    );
  });

  it('names no two of a million identities alike', () => {
    const names = new Set<string>();
    for (let index = 0; index < 1_000_000; index += 1) {
      const kind = index % 2 === 0 ? 'HelmRelease' : 'Kustomization';
      const member = index % 10 === 0 ? '' : `Secret/member-${index % 1_000}/value`;
      const key: ReleaseKey = { kind, cluster: member, storageNamespace: `n-${index % 97}`, releaseName: `r-${index}` };
      // The readable part is the same for all: only the hash keeps them apart.
      names.add(childName('web', 'prod', key));
    }
    expect(names.size).toBe(1_000_000);
  }, 120_000);
});
