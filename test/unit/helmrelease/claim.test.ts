import { expect, test } from '@jest/globals';
import { secretResource } from '#api/core.js';
import { ORIGIN_NAMESPACE_LABEL, ORIGIN_NAME_LABEL, ORIGIN_UID_LABEL } from '#api/flux/annotations.js';
import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import { DRY_RUN_ANNOTATION } from '#api/v1alpha1/labels.js';
import { actionContext } from '#controllers/helmrelease/actions/context.js';
import { claimedRevisions } from '#controllers/helmrelease/claim.js';
import type { HelmRelease } from '#controllers/helmrelease/model/types.js';
import type { ReleasePass } from '#controllers/helmrelease/prepare.js';
import { desiredTarget } from '#engine/flux/model/release-target.js';
import { SecretTexts } from '#engine/flux/model/secret-texts.js';
import { KeptStatus } from '#engine/flux/write-status.js';
import { dryRunMember } from '#engine/member/dry-run-member.js';
import type { Member } from '#engine/member/member.js';
import { createLogger } from '#runtime/process/log.js';
import { MemoryKube } from '../../combination/world/client.js';
import { MemoryServer } from '../../combination/world/server.js';
import { helmRelease, snapshot } from './model/builders.js';

const NAMESPACE = 'shop';
const [MADE, DEPLOYED, RESTORED] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', '2026-02-01T00:00:00Z'];

/** HelmRelease shop/web with release web, which had the UID `there` before a restore, or has it on another host. */
function webOf(status: HelmReleaseStatus | undefined, metadata: Partial<HelmRelease['metadata']> = {}): HelmRelease {
  const own = { name: 'web', namespace: NAMESPACE, uid: 'here', creationTimestamp: MADE };
  return helmRelease({}, { metadata: { ...own, ...metadata }, ...(status === undefined ? {} : { status }) });
}

const history = [snapshot({ namespace: NAMESPACE, lastDeployed: DEPLOYED })];
const restored = { uid: 'there', storageNamespace: NAMESPACE, history };

/** A cluster with the Secrets of releases, as Helm keeps them. */
class Storage {
  readonly #server = new MemoryServer(() => 0);
  readonly kube = new MemoryKube(this.#server, 'engine');

  store(version: number, uid: string, status = 'deployed', releaseName = 'web'): void {
    const labels = {
      ...{ owner: 'helm', name: releaseName, status, version: String(version) },
      ...{ [ORIGIN_NAME_LABEL]: 'web', [ORIGIN_NAMESPACE_LABEL]: NAMESPACE, [ORIGIN_UID_LABEL]: uid },
    };
    const metadata = { name: `sh.helm.release.v1.${releaseName}.v${version}`, namespace: NAMESPACE, labels };
    this.#server.restore(secretResource, { apiVersion: 'v1', kind: 'Secret', metadata });
  }

  /** UIDs in the labels of all revisions. */
  marks(): (string | undefined)[] {
    return this.#server.list(secretResource).map(({ metadata }) => metadata.labels?.[ORIGIN_UID_LABEL]);
  }
}

function passOver(release: HelmRelease, { kube }: Storage, isDry = false): ReleasePass {
  const status = new KeptStatus<HelmReleaseStatus>({ object: release } as never, release.status ?? {}); // never written
  const pass = {
    ...{ release, status, signal: new AbortController().signal, now: () => Date.parse(RESTORED) },
    ...{ secrets: new SecretTexts(), log: createLogger('silent'), inputs: { chart: { metadata: { name: 'web' } } } },
  } as unknown as ReleasePass; // as much of it as is needed
  const member = { kube } as unknown as Member; // nothing else is asked
  const at = { member: isDry ? dryRunMember(member) : member, target: desiredTarget(release) };
  return { ...pass, context: actionContext(pass, at) };
}

test('a dry run of a restored HelmRelease neither marks its release nor says that it has it', async () => {
  const storage = new Storage();
  storage.store(1, 'there');
  const dry = webOf(restored, { creationTimestamp: RESTORED, annotations: { [DRY_RUN_ANNOTATION]: 'true' } });
  const pass = passOver(dry, storage, true);
  await claimedRevisions(pass);
  expect([storage.marks(), pass.status.current.uid]).toEqual([['there'], 'there']);
  const then = passOver(webOf(pass.status.current, { creationTimestamp: RESTORED }), storage);
  await claimedRevisions(then);
  expect([storage.marks(), then.status.current.uid]).toEqual([['here'], 'here']);
});
