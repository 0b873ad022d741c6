import { expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import type { KubeObject } from '#api/meta.js';
import { startBrowser } from '#bench/with-dashboard.js';
import { READY_MS } from '#bench/scenarios/setup.js';
import { helm, kubectlJson } from '#bench/scenarios/shell.js';
import type { Kube } from '#runtime/client/kube.js';
import { memberSecrets, PROJECT_NAMESPACE } from '#sandbox/project.js';
import type { Cluster, World } from '#sandbox/world.js';
import { account, grant, startConsole, type Console } from '../apiserver/console/harness.js';
import { fixture, useSetup } from '../support/fixture.js';
import { eventually, freshNamespace, kubeFor, makeNamespace } from '../support/world.js';
import { describeInBrowser, open, type Opened } from './browser.js';
import { expectSound, signIn, urlOf } from './visit.js';

const NAME = 'harbour';
const [MEMBER = ''] = memberSecrets(1);
const CHECK = 'Check what this will do';
/** What no form has. */
const ROLLOUT = [
  ...['rollout:', '  stages:', '    - name: canary', '      clusters: { names: [host] }'],
  ...['    - name: rest', '      approval: true'],
];

/** One page that somebody opens once, with what it is served by. */
interface Visit {
  readonly browser: Browser;
  readonly plain: Console;
  readonly kube: Kube;
  readonly member: Cluster;
  readonly opened: Opened;
  readonly token: string;
  /** On the host and on the member, where the releases go. */
  readonly target: string;
}

/** He may write Applications, and read all of the project. */
async function begin(world: World): Promise<Visit> {
  const [kube, member] = [await kubeFor(world.host), world.members[0]!];
  const namespace = PROJECT_NAMESPACE;
  const target = await freshNamespace(kube, NAME);
  const other = await kubeFor(member);
  await makeNamespace(other, target);
  await other.close();
  const { user, token } = await account(kube, namespace, 'sailor');
  const rules = [
    { apiGroups: ['gitops.kubesphere.io'], resources: ['applications'], verbs: ['*'] },
    { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] },
  ];
  await grant(kube, 'sailor', { namespace, user, rules });
  const plain = await startConsole(world, { kube, namespace });
  const browser = await startBrowser();
  const opened = await open(browser, urlOf({ plain }, '/'));
  return { browser, plain, kube, member, opened, token, target };
}

async function end({ browser, plain, kube }: Visit): Promise<void> {
  await browser.close();
  await plain.stop();
  await kube.close();
}

describeInBrowser('an Application, from the first click to what runs on a member', () => {
  const setup = useSetup();
  const visit = fixture<Visit>(() => begin(setup.world), end);

  const releasesOn = async (cluster: Cluster): Promise<object[]> =>
    JSON.parse(await helm(setup.world, cluster, 'ls', '-n', visit.target, '-o', 'json')) as object[];
  const release = (chart: string, revision: number): object[] => [
    expect.objectContaining({ name: NAME, status: 'deployed', chart: `lighthouse-${chart}`, revision: `${revision}` }),
  ];
  const objectsOn = async <T extends KubeObject>(cluster: Cluster, plural: string): Promise<T[]> =>
    (await kubectlJson<{ items: T[] }>(setup.world, cluster, plural, '-n', visit.target)).items;
  const replicasOn = async (cluster: Cluster): Promise<number[]> => {
    const found = await objectsOn<KubeObject & { spec: { replicas: number } }>(cluster, 'deployments');
    return found.map(({ spec }) => spec.replicas);
  };

  const put = async (page: Page, label: string, text: string): Promise<void> => {
    await page.getByLabel(label, { exact: true }).fill(text);
    await page.getByLabel(label, { exact: true }).blur();
  };
  /** Fields of the spec that only the YAML has. */
  const write = async (page: Page, lines: readonly string[]): Promise<void> => {
    const yaml = page.getByRole('textbox', { name: 'YAML' });
    const text = lines.map((line) => `  ${line}\n`).join('');
    await yaml.fill((await yaml.inputValue()).replace(/^spec:\n/m, `spec:\n${text}`));
  };
  const save = async (page: Page, button: string): Promise<void> => {
    await page.getByRole('button', { name: button }).click();
    await page.waitForURL(urlOf(visit, `/applications/${PROJECT_NAMESPACE}/${NAME}`));
  };
  const view = (page: Page, name: string): Promise<void> =>
    page.getByRole('navigation', { name: 'Views of the Application' }).getByRole('link', { name }).click();
  const editSecond = async (page: Page): Promise<void> => {
    await view(page, 'Edit');
    await page.locator('.destinations > li').nth(1).locator('summary').click();
  };
  const heading = (page: Page, name: string | RegExp): Locator => page.getByRole('heading', { name });
  const confirm = async (page: Page, name: string): Promise<void> => {
    await page.getByRole('dialog').getByRole('button', { name, disabled: false }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  /** The open page says it, without being loaded again. */
  const isReady = (page: Page): Promise<void> =>
    page.locator('.headline').getByText('✓ Ready').waitFor({ timeout: READY_MS });

  it('is created by the form, and installed on the host and the member', async () => {
    const { opened, target, member, token } = visit;
    const { page } = opened;
    await signIn(page, token);
    await page.evaluate('window.isTheFirstOne = true');
    await page.getByRole('link', { name: 'New Application' }).click();
    await put(page, 'Namespace', PROJECT_NAMESPACE);
    await put(page, 'Name', NAME);
    await put(page, 'Name of the source', 'fairlead-charts');
    await put(page, 'Chart', 'lighthouse');
    await put(page, 'Version', '1.4.x');
    await put(page, 'Target namespace', target);
    await page.getByRole('button', { name: 'Add a destination' }).click();
    const second = page.locator('.destinations > li').nth(1);
    await second.locator('summary').click();
    await second.getByLabel('Cluster', { exact: true }).selectOption('kubeConfig');
    await put(page, 'Name of the Secret', MEMBER);
    await put(page, 'Values of destination 2', 'replicas: 2\n');
    await write(page, ['revisionHistoryLimit: 5']);
    await page.getByRole('button', { name: CHECK }).click();
    await heading(page, '2 releases would be created').waitFor();
    await expectSound(opened);
    expect(await releasesOn(member)).toEqual([]);
    await save(page, 'Create the Application');
    await isReady(page);
    await page.getByText('2/2', { exact: true }).waitFor();
    await expectSound(opened);
    for (const cluster of [setup.world.host, member]) expect(await releasesOn(cluster)).toEqual(release('1.4.0', 1));
    expect(await Promise.all([setup.world.host, member].map(replicasOn))).toEqual([[1], [2]]);
  });

  it('has another value on the member only once the review was seen and saved', async () => {
    const { opened, member } = visit;
    const { page } = opened;
    await editSecond(page);
    await put(page, 'Values of destination 2', 'replicas: 3\n');
    await page.getByRole('button', { name: CHECK }).click();
    await heading(page, '1 release would be changed').waitFor();
    await page.getByText('1 release would not change').waitFor();
    expect(await page.locator('.fate.change').innerText()).toMatch(/spec\.values[^]*replicas[^]*2[^]*3/);
    await expectSound(opened);
    expect(await releasesOn(member)).toEqual(release('1.4.0', 1));
    await save(page, 'Save the changes');
    await eventually(async () => expect(await releasesOn(member)).toEqual(release('1.4.0', 2)));
    expect(await replicasOn(member)).toEqual([3]);
    expect(await releasesOn(setup.world.host)).toEqual(release('1.4.0', 1));
    await isReady(page);
  });

  it('is rolled out to the member when the open page approves its stage', async () => {
    const { opened, member } = visit;
    const { page } = opened;
    await view(page, 'Edit');
    await put(page, 'Version', '1.5.0');
    await write(page, ROLLOUT);
    await page.getByRole('button', { name: CHECK }).click();
    await heading(page, '1 release would be changed').waitFor();
    await heading(page, '1 release would wait').waitFor();
    expect(await page.locator('.fate.wait').innerText()).toMatch(new RegExp(`${MEMBER}[^]*waits for stage "canary"`));
    await expectSound(opened);
    await save(page, 'Save the changes');
    await view(page, 'Rollout');
    await heading(page, /rest: .*Awaiting approval/).waitFor({ timeout: READY_MS });
    await heading(page, /canary: .*Complete/).waitFor();
    await expectSound(opened);
    expect(await releasesOn(setup.world.host)).toEqual(release('1.5.0', 2));
    expect(await releasesOn(member)).toEqual(release('1.4.0', 2));
    await page
      .getByRole('group', { name: 'Actions on the rollout' })
      .getByRole('button', { name: 'Approve stage' })
      .click();
    await confirm(page, 'Approve stage');
    await heading(page, /rest: .*Complete/).waitFor({ timeout: READY_MS });
    await page.locator('.headline').getByText('Complete').waitFor();
    await expectSound(opened);
    expect(await releasesOn(member)).toEqual(release('1.5.0', 3));
    expect(await objectsOn(member, 'poddisruptionbudgets')).toHaveLength(1);
  });

  it('goes back to its first revision', async () => {
    const { opened, member } = visit;
    const { page } = opened;
    const card = (revision: number) =>
      page.getByRole('listitem').filter({ has: heading(page, new RegExp(`^Revision ${revision}\\b`)) });
    await view(page, 'History');
    await card(1).getByRole('button', { name: 'Roll back to this' }).click();
    await confirm(page, 'Roll back');
    await card(1).getByText(`On 2: host, ${MEMBER}`).waitFor({ timeout: READY_MS });
    await expectSound(opened);
    await eventually(async () => expect(await releasesOn(member)).toEqual(release('1.4.0', 4)));
    expect(await replicasOn(member)).toEqual([2]);
    expect(await objectsOn(member, 'poddisruptionbudgets')).toEqual([]);
  });

  it('is deleted, and leaves no release', async () => {
    const { opened, member } = visit;
    const { page } = opened;
    await page.getByRole('group', { name: 'Actions' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByText('2 releases on 2 clusters are uninstalled').waitFor();
    await page.getByLabel(`Type ${NAME} to confirm`).fill(NAME);
    await confirm(page, 'Delete and uninstall');
    await heading(page, 'It does not exist any longer').waitFor({ timeout: READY_MS });
    await expectSound(opened);
    expect(await page.evaluate('window.isTheFirstOne')).toBe(true);
    for (const cluster of [setup.world.host, member]) {
      expect(await releasesOn(cluster)).toEqual([]);
      expect(await objectsOn(cluster, 'deployments')).toEqual([]);
    }
  });
});
