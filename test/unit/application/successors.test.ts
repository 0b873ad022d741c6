import { expect, test } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { fileWorld } from '#cli/render/file-world.js';
import type { Pass } from '#controllers/application/deps.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { validate } from '#controllers/application/model/destinations/validate.js';
import { successorsOf } from '#controllers/application/resolve.js';
import { cpuMsDuring } from '../../support/cpu-time.js';
import { application, applied, deploy, leaving, NO_CLUSTERS, NO_TEMPLATES, work } from './model/builders.js';

const RULES = { allowCrossNamespace: false, controllerNamespace: '' };
const NO_HELM = {
  offload: { run: () => Promise.reject(new Error('nothing is asked aside')), close: () => Promise.resolve() },
  findRenderer: () => Promise.resolve(undefined),
};
const entries = Array.from({ length: 1_000 }, (_, at) => deploy('prod', `c${at}`, { releaseName: 'web' }));
const own = application([deploy('prod', 'host', { releaseName: 'web' })]);
const other = application(entries, { metadata: { name: 'b', namespace: 'shop', uid: 'uid-b' } });
const children = applied([], work(application(entries)).steps).map((child, at) => ({
  ...child,
  metadata: { ...child.metadata, uid: `child-${at}` },
}));

const validationOf = (of: Application) => validate(of, { templates: NO_TEMPLATES, clusters: NO_CLUSTERS }, RULES);

/** Asks about these children, and counts how often the other Application was validated. */
async function ask(of: Application, owned: readonly Child[], others: readonly Application[] = [other]) {
  const { deps } = await fileWorld([], { allowCrossNamespace: true }, NO_HELM);
  const pass = {
    ...{ inventory: deps.inventory, signal: new AbortController().signal },
    children: [{ byIndex: () => owned }],
    applications: { byIndex: () => others },
  } as unknown as Pass; // nothing else is read
  let validated = 0;
  const counting = (each: Application) => {
    validated += 1;
    return Promise.resolve(validationOf(each));
  };
  const found = await successorsOf(validationOf(of), { application: of, validationOf: counting }, pass);
  return { found, validated };
}

test('an Application that wants a thousand children is found in less than a second', async () => {
  let size = 0;
  const cost = await cpuMsDuring(async () => {
    size = (await ask(own, children)).found.size;
  });
  expect(size).toBe(1_000);
  expect(cost).toBeLessThan(1_000);
});

test('an Application that is invalid as a whole gives nothing away', async () => {
  const invalid = { ...own, spec: { ...own.spec, maxRemovals: 'many' } };
  expect(await ask(invalid, children.slice(0, 2))).toEqual({ found: new Map(), validated: 0 });
});

test('a child that is being deleted is not asked about', async () => {
  expect(await ask(own, children.slice(0, 2).map(leaving))).toEqual({ found: new Map(), validated: 0 });
});

test('an Application without an entry for the release is not validated', async () => {
  const elsewhere = { ...other, spec: own.spec };
  expect(await ask(own, children.slice(0, 2), [elsewhere])).toEqual({ found: new Map(), validated: 0 });
});
