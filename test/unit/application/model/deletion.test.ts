import { describe, expect, it } from '@jest/globals';
import { deletionPolicyOf } from '#api/v1alpha1/ownership.js';
import type { Application } from '#api/v1alpha1/application.js';
import { Abandonment } from '#controllers/application/model/abandonment.js';
import { childClusterNames, kubeConfigNames } from '#controllers/application/model/child/cluster-names.js';
import { waitingMessage } from '#controllers/application/model/decide.js';
import type { Child, ClusterNames } from '#controllers/application/model/child/types.js';
import { application, applied, deploy, leaving, reporting, work } from './builders.js';

const app = application([deploy('prod', 'eu'), deploy('prod')]);
const [eu, host] = applied([], work(app).steps);
const orphaning = (policy: 'Delete' | 'Orphan'): Application => ({
  ...app,
  spec: { ...app.spec, deletionPolicy: policy },
});
const finalized = (given: Application): Application => ({
  ...given,
  metadata: { ...given.metadata, finalizers: ['orphan', 'application.gitops.kubesphere.io'] },
});

/** A child that is being deleted, and waits for its engine. */
function waiting(child: Child): Child {
  const gone = leaving(child);
  return { ...gone, metadata: { ...gone.metadata, finalizers: ['finalizers.fluxcd.io'] } };
}

describe('the deletion policy', () => {
  it.each<[string, string, Application]>([
    ['is Delete by default', 'Delete', app],
    ['is what the Application says', 'Orphan', orphaning('Orphan')],
    ['is Orphan after kubectl delete --cascade=orphan', 'Orphan', finalized(app)],
    ['is Orphan then even when the Application says Delete', 'Orphan', finalized(orphaning('Delete'))],
  ])('%s', (_, policy, given) => {
    expect(deletionPolicyOf(given)).toBe(policy);
  });
});

describe('the abandon annotation', () => {
  it.each<[string | undefined, boolean, boolean]>([
    [undefined, false, false],
    ['', false, false],
    ['false', false, false],
    ['true', true, true],
    ['eu', true, false],
    ['us, eu', true, false],
    ['host', false, true],
    ['e', false, false],
  ])('%p lets go of the member: %p, of the host: %p', (value, member, own) => {
    const annotations = value === undefined ? {} : { 'gitops.kubesphere.io/abandon': value };
    const given = { ...app, metadata: { ...app.metadata, annotations } };
    const children = [waiting(eu!), waiting(host!)];
    const expected = children.filter((_, index) => [member, own][index]);
    const abandonment = new Abandonment(given, children.map(childClusterNames));
    expect(abandonment.finalizersOf(children)).toEqual(expected);
    expect(abandonment.finalizersOf([eu!, host!])).toEqual([]);
  });
});

describe('a word about the abandon annotation', () => {
  it.each<[string | undefined, string[], string | undefined]>([
    [undefined, ['eu'], undefined],
    ['true', ['eu'], undefined],
    ['eu, us', ['eu', 'us'], undefined],
    ['ue', ['us', 'eu', 'us'], 'no destination is on "ue" (they are on eu, us); correct the name, or remove it'],
    ['eu,a,b', ['eu'], 'no destination is on "a", "b" (they are on eu); correct the name, or remove it'],
    ['eu', [], 'no destination is on "eu" (none is left); correct the name, or remove it'],
  ])('%p for destinations on %j is %p', (value, clusters, said) => {
    const annotations = value === undefined ? {} : { 'gitops.kubesphere.io/abandon': value };
    const names = clusters.map((name): ClusterNames => kubeConfigNames('shop', { secretRef: { name } }));
    const { warnings } = new Abandonment({ ...app, metadata: { ...app.metadata, annotations } }, names);
    expect(warnings).toEqual(said === undefined ? [] : [`annotation gitops.kubesphere.io/abandon: ${said}`]);
  });
});

describe('the message of a deletion', () => {
  it('names every child in order, and why it is still there', () => {
    const failing = reporting(host!, 'False', 'UninstallFailed', 'a hook failed');
    const names = [`HelmRelease shop/${eu!.metadata.name}`, `HelmRelease shop/${host!.metadata.name} (a hook failed)`];
    expect(waitingMessage([failing, eu!])).toBe(`waiting for the deletion of ${names.join(', ')}`);
  });
});
