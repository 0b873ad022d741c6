import { startBrowser } from '#bench/with-dashboard.js';
import { Harness, putCluster } from '../apiserver/application/harness.js';
import { account, grant, startConsole } from '../apiserver/console/harness.js';
import { useWorld } from '../support/world.js';
import type { Visitors } from './visit.js';

/** Visitors of a namespace whose Applications are reconciled. */
export interface Controlled extends Visitors {
  readonly harness: Harness;
}

const APPLICATIONS = { apiGroups: ['gitops.kubesphere.io'], resources: ['applications'] };
const TEMPLATES = { apiGroups: ['gitops.kubesphere.io'], resources: ['helmtemplates', 'kustomizationtemplates'] };
const write = { ...APPLICATIONS, verbs: ['get', 'list', 'create', 'update', 'patch', 'delete'] };
const RULES = {
  admin: [write, { ...TEMPLATES, verbs: ['*'] }, { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] }],
  // He may write them, and read nothing of what they deploy.
  member: [write],
  viewer: [{ ...APPLICATIONS, verbs: ['get', 'list'] }],
};

/** Two clusters with labels. The admin may read everything; the member only Applications, which he may write. */
export async function gatherControlled(): Promise<Controlled> {
  const harness = await Harness.start({ withTemplates: true });
  const { kube, namespace } = harness;
  await putCluster(harness, 'one', { tier: 'new' });
  await putCluster(harness, 'two', { tier: 'old' });
  const tokens = { named: '', stranger: '', admin: '', member: '', viewer: '' };
  for (const [name, rules] of Object.entries(RULES)) {
    const { user, token } = await account(kube, namespace, name);
    await grant(kube, name, { namespace, user, rules });
    Object.assign(tokens, { [name]: token });
  }
  const plain = await startConsole(await useWorld(), { kube, namespace });
  return { harness, kube, namespace, plain, behindProxy: plain, tokens, browser: await startBrowser() };
}

export async function dismissControlled({ browser, plain, harness }: Controlled): Promise<void> {
  await browser.close();
  await plain.stop();
  await harness.stop();
}
