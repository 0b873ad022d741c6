import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Application } from '../../../api/v1alpha1/application.js';
import { eventually } from '../../support/world.js';
import { deploy } from '../../unit/application/model/builders.js';
import { Stage } from './stage.js';

/** Nothing of it can be acted on: `chart.version` is neither a version nor a range. */
function broken(wanted: Application): Application {
  const spec = structuredClone(wanted.spec);
  const release = spec.fluxApp?.spec.config.helmRelease;
  if (release?.chart === undefined) throw new Error('no chart to break');
  release.chart.version = 'one';
  return { ...wanted, spec };
}

describe('the status of an Application, on a real API server', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.start();
  }, 180_000);

  afterAll(() => stage.stop(), 60_000);

  it('tells how the children fare while the Application as a whole is stalled', async () => {
    await stage.put('stuck', [deploy('stuck', 'eu'), deploy('stuck', 'us')]);
    const [eu] = await stage.eventuallyHas('stuck', 2);
    for (const child of await stage.childrenOf('stuck')) await stage.report(child, 'True', 'InstallSucceeded');
    await stage.becomes('stuck', 'True', 'AllReady');
    await stage.apply(broken(stage.wanted('stuck', [deploy('stuck', 'eu'), deploy('stuck', 'us')])));
    await stage.becomes('stuck', 'False', 'InvalidVersion');
    await stage.report(eu!, 'False', 'UpgradeFailed', 'no such image');
    await eventually(async () => {
      const { metadata, status } = await stage.read('stuck');
      expect(status?.summary).toMatchObject({ desired: 2, ready: '1/2', states: { failed: 1 } });
      expect(status?.destinations?.[0]?.message).toContain('no such image');
      expect(status?.fluxApp?.helmReleaseStatus).toMatchObject({
        'eu-stuck': { conditions: [{ type: 'Ready', status: 'False', message: 'no such image' }] },
      });
      expect(metadata.labels).toMatchObject({ 'gitops.kubesphere.io/health-status': 'Degraded' });
    });
  });

  it('has all that the console reads when the Application was stalled as a whole from the first', async () => {
    await stage.apply(broken(stage.wanted('stillborn', [deploy('stillborn', 'eu')])));
    await stage.becomes('stillborn', 'False', 'InvalidVersion');
    const { metadata, status } = await stage.read('stillborn');
    expect(metadata.labels).toMatchObject({
      'gitops.kubesphere.io/type': 'HelmRelease',
      'gitops.kubesphere.io/ready-number': '0-1',
      'gitops.kubesphere.io/health-status': 'Progressing',
      'gitops.kubesphere.io/sync-status': 'OutOfSync',
    });
    expect(metadata.finalizers).toBeUndefined();
    expect(status).toMatchObject({ summary: { ready: '0/1' }, destinations: [{ name: 'eu-stillborn' }] });
    expect(status?.fluxApp?.helmReleaseStatus).toMatchObject({
      'eu-stillborn': { conditions: [{ lastTransitionTime: metadata.creationTimestamp }] },
    });
  });
});
