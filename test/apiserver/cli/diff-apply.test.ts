import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { limitedUser } from '../../support/limited-user.js';
import { auditEntriesUntilNow, auditPosition, useWorld } from '../../support/world.js';
import { deploy, type Deploy } from '../../unit/application/model/builders.js';
import { useHarness } from '../application/harness.js';

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

describe('fairlead diff -f against a cluster', () => {
  const harness = useHarness();

  function run(objects: readonly object[], kubeconfig = harness.host.kubeconfig): Promise<Ended> {
    const args = ['diff', '-f', '-', '--kubeconfig', kubeconfig, '-n', harness.namespace];
    return new Promise((resolve) => {
      const program = path.join(PACKAGE_ROOT, 'dist', 'cli', 'main.js');
      const child = execFile(process.execPath, [program, ...args], (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stdout, stderr }),
      );
      child.stdin?.end(objects.map((object) => JSON.stringify(object)).join('\n---\n'));
    });
  }
  const named = (name: string, ...entries: Deploy[]): object => harness.wanted(name, entries);
  /** Names of children have a hash at their end. */
  const plain = (text: string): string => text.replace(/-[a-z2-7]{10}\b/g, '-HASH').replaceAll(harness.namespace, 'NS');

  it('shows what becomes of each release, the worst first, and writes nothing', async () => {
    await harness.put('shop', [deploy('shop', 'eu'), deploy('shop', 'us')]);
    await harness.eventuallyHas('shop', 2);
    await harness.passes.atRest({ name: 'shop', namespace: harness.namespace });
    const since = await auditPosition(harness.host);
    const { code, stdout } = await run([
      named('shop', deploy('shop', 'eu', { values: { color: 'red' } }), deploy('other', undefined)),
    ]);
    expect(plain(stdout)).toBe(
      [
        'Application NS/shop',
        'deleted HelmRelease/NS/shop-us-shop-HASH (on us: no entry specifies it any more; what it deployed is uninstalled)',
        'changed HelmRelease/NS/shop-eu-shop-HASH (on eu: changed values)',
        '  spec.values: (none) -> {"color":"red"}',
        'created HelmRelease/NS/shop-other-HASH (on host: new destination; namespace other does not exist on host: create it, or set spec.fluxApp.spec.config.helmRelease.deploy[1].install.createNamespace: true)',
        '1 deleted, 1 changed, 1 created',
        '',
      ].join('\n'),
    );
    expect(code).toBe(1);
    const written = (await auditEntriesUntilNow(harness.host, since)).filter(
      ({ requestURI, objectRef }) => objectRef?.namespace === harness.namespace && !requestURI.includes('dryRun=All'),
    );
    expect(written).toEqual([]);
  });

  it('ends with 0 where nothing would change', async () => {
    await harness.put('same', [deploy('same', 'eu')]);
    await harness.eventuallyHas('same', 1);
    expect(await run([named('same', deploy('same', 'eu'))])).toMatchObject({ code: 0, stdout: '1 unchanged\n' });
  });

  it('shows an Application that does not exist yet, and says what is not compared', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'values' } };
    const { code, stdout, stderr } = await run([named('fresh', deploy('fresh')), secret]);
    expect(plain(stdout)).toContain('created Application/NS/fresh\ncreated HelmRelease/NS/fresh-fresh-HASH');
    expect(stderr).toContain('not compared, and taken as the cluster has them: Secret');
    expect(code).toBe(1);
  });

  it('says what the API server and what the controller refuse, and compares the others', async () => {
    const wrong = { ...harness.wanted('wrong', []), spec: { kind: 'other' } };
    const rejected = named('rejected', deploy('rejected', 'eu'), deploy('rejected', 'eu'));
    const { code, stdout, stderr } = await run([wrong, rejected, named('well', deploy('well'))]);
    expect(stdout).toMatch(/^failed Application\/.*\/wrong \(.*spec\.kind/m);
    expect(stderr).toMatch(/^Application .*\/rejected: spec\.fluxApp\.spec\.config\.helmRelease\.deploy\[0\]/m);
    expect(stdout).toMatch(/^created HelmRelease\/.*\/well-/m);
    expect(code).toBe(2);
  });

  it('says what a HelmRelease of a user applies already, and creates nothing', async () => {
    const { namespace } = harness;
    const chart = { spec: { chart: 'a', sourceRef: { kind: 'HelmRepository', name: 'charts' } } };
    await harness.kube.create<Child>(helmReleaseResource, {
      ...{ apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', metadata: { name: 'plain', namespace } },
      spec: { interval: '1m', releaseName: 'taken', targetNamespace: 'taken', chart },
    });
    const { stdout, stderr } = await run([named('taken', deploy('taken'))]);
    expect(stdout).not.toContain('created HelmRelease');
    expect(stderr).toContain(`HelmRelease ${namespace}/plain already applies release taken in namespace taken`);
    expect(stderr).toContain(`set storageNamespace: ${namespace} here, then set spec.suspend: true on`);
  });

  it('says that the fields of others have to be taken over', async () => {
    await harness.put('theirs', [deploy('theirs', 'eu')]);
    await harness.eventuallyHas('theirs', 1);
    const { stdout, stderr } = await run([named('theirs', deploy('moved', 'eu'))]);
    expect(stderr).toContain('to apply it takes `fairlead apply --force-conflicts`: ');
    expect(stdout).toMatch(/^held HelmRelease\/.*\/theirs-eu-theirs/m);
  });

  it('takes nothing for absent that the user may not read', async () => {
    const applications = ['applications.gitops.kubesphere.io'];
    const rights = { name: 'blind', get: applications, patch: applications, create: applications };
    const kubeconfig = await limitedUser(await useWorld(), harness.namespace, rights);
    const { code, stdout } = await run([named('unseen', deploy('unseen'))], kubeconfig);
    expect(stdout).toMatch(/^failed Application\/.*\/unseen \(You may not read (helmreleases|kustomizations)\./m);
    expect(code).toBe(2);
  });
});
