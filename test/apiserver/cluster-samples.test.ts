import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { dump } from 'js-yaml';
import type { KubeObject } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import type { ClusterGrant } from '#api/v1alpha1/cluster-grant.js';
import { readManifests } from '#cli/install/package.js';
import { ResourceTypes } from '#cli/command/objects.js';
import type { Deps } from '#controllers/application/deps.js';
import { expressionEvaluator } from '#controllers/application/evaluators/expressions.js';
import { templateEvaluator } from '#controllers/application/evaluators/templates.js';
import { desiredChild } from '#controllers/application/model/children/desired.js';
import { validate } from '#controllers/application/model/destinations/validate.js';
import type { ClusterView } from '#controllers/application/model/child/cluster.js';
import { personalize } from '#controllers/application/values.js';
import { accessOf } from '#controllers/cluster/model/access.js';
import { adaptersFor } from '#controllers/cluster/model/adapters/index.js';
import { clusterIdText, type Cluster } from '#controllers/cluster/model/cluster.js';
import { readGrants } from '#controllers/cluster/model/grant.js';
import { run } from '#engine/process/run.js';
import type { Offload } from '#runtime/isolation/offload.js';
import { ensureTools } from '#sandbox/tools.js';
import { builtOffload } from '../support/offload.js';
import { clusterSamples } from '../support/samples.js';
import { eventually } from '../support/world.js';
import { NO_TEMPLATES } from '../unit/application/model/builders.js';
import { useHost } from '../support/fixture.js';

const UID = '00000000-0000-0000-0000-000000000000';
const FOLDER = path.resolve('samples');

const REVIEWS = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
} as const;

function clusterFrom(object: KubeObject): Cluster {
  const group = object.apiVersion.includes('/') ? object.apiVersion.split('/')[0] : '';
  const adapter = adaptersFor(undefined).find(({ kind }) => kind.apiGroup === group && kind.kind === object.kind);
  if (adapter === undefined) throw new Error(`nothing reads a ${object.kind} as a cluster`);
  return adapter.clusterOf(adapter.keep(object));
}

/** The inventory that a sample is made for. */
async function inventoryOf(sample: string): Promise<ClusterView> {
  const clusters = (await readManifests(path.join(FOLDER, sample, 'clusters'))).map(clusterFrom);
  const objects = await readManifests(path.join(FOLDER, sample));
  const grants = objects.filter(({ kind }) => kind === 'ClusterGrant') as ClusterGrant[]; // the schema accepts them
  const view = { grants: readGrants(grants), namespaceLabels: () => ({}), controllerNamespace: 'fairlead-system' };
  return {
    clusters,
    find: (id) => clusters.find((each) => clusterIdText(each.id) === id),
    lost: [],
    whyUnknown: () => undefined,
    uidOf: () => undefined,
    isToBeAsked: () => false,
    grantedBy: () => undefined,
    accessOf: (each, namespace) => accessOf(each, namespace, view),
  };
}

describe('samples for clusters that a sandbox does not have', () => {
  const kube = useHost();
  let offload: Offload;
  let deps: Pick<Deps, 'evaluators' | 'readReferences'>;

  beforeAll(async () => {
    const { helm: helmPath } = await ensureTools(['helm']);
    offload = builtOffload();
    deps = {
      evaluators: {
        templates: templateEvaluator({ run, helmPath, offload }).evaluate,
        expressions: expressionEvaluator(offload).evaluate,
      },
      readReferences: () => Promise.reject(new Error('no sample reads what its clusters refer to')),
    };
  });
  afterAll(() => offload.close());

  async function childrenOf(sample: string): Promise<string> {
    const objects = await readManifests(path.join(FOLDER, sample));
    const found = objects.find(({ kind }) => kind === 'Application') as Application; // the schema accepts it
    const application = { ...found, metadata: { ...found.metadata, uid: UID } };
    const lookup = { templates: NO_TEMPLATES, clusters: await inventoryOf(sample) };
    const validation = validate(application, lookup, { allowCrossNamespace: false });
    if (validation === 'pending' || 'violation' in validation) throw new Error(JSON.stringify(validation));
    const pass = { tenant: 'sample', signal: new AbortController().signal };
    const { valid } = await personalize(validation, deps, pass);
    expect(valid.warnings).toEqual([]);
    expect(valid.entries.flatMap((entry) => valid.violationOf(entry) ?? [])).toEqual([]);
    const children = valid.entries.map((entry) => desiredChild(valid.resolved.application, entry, undefined).object);
    return children.map((child) => dump(child, { noRefs: true, lineWidth: -1 })).join('---\n');
  }

  test.each(clusterSamples())('%s becomes the children in its folder expected', async (sample) => {
    const file = path.join(FOLDER, sample, 'expected', 'helmreleases.yaml');
    const text = await childrenOf(sample);
    if (process.env['UPDATE_GOLDEN'] === '1') {
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  test('what the member of a granted cluster gets lets its account release there, and nowhere else', async () => {
    const types = new ResourceTypes(kube);
    for (const object of await readManifests(path.join(FOLDER, '11-granted-cluster', 'member'))) {
      await kube.apply(await types.of(object), object, { fieldManager: 'test', force: true });
    }
    const may = async (verb: string, resource: string, namespace: string, name?: string): Promise<boolean> => {
      const group = resource === 'deployments' ? 'apps' : '';
      const spec = {
        user: 'system:serviceaccount:tenants:deployer',
        resourceAttributes: { verb, resource, group, namespace, ...(name === undefined ? {} : { name }) },
      };
      const review = {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        metadata: { name: '' },
        spec,
      };
      const answer: KubeObject & { status?: { allowed?: boolean } } = await kube.create(REVIEWS, review);
      return answer.status?.allowed === true;
    };
    await eventually(async () => {
      expect(await may('create', 'secrets', 'shop')).toBe(true);
      expect(await may('patch', 'deployments', 'shop')).toBe(true);
      expect(await may('patch', 'namespaces', 'shop', 'shop')).toBe(true);
    });
    expect(await may('create', 'secrets', 'tenants')).toBe(false);
    expect(await may('patch', 'namespaces', 'kube-system', 'kube-system')).toBe(false);
    expect(await may('create', 'namespaces', '')).toBe(false);
  });
});
