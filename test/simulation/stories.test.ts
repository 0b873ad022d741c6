import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { application, deploy, type Deploy } from '../unit/application/model/builders.js';
import { Story, type Report } from './story.js';

const GOLDEN = path.resolve('test/simulation/rollout.golden');

const installed = (namespace: string, version = 1): Report => ({
  status: 'True',
  reason: version === 1 ? 'InstallSucceeded' : 'UpgradeSucceeded',
  message: `Helm ${version === 1 ? 'install' : 'upgrade'} succeeded for release ${namespace}/web.v${version} with chart podinfo@1.2.0`,
  chartVersion: '1.2.0',
});
const running: Report = { status: 'Unknown', reason: 'Progressing', message: "Running 'install' action" };
const silent: Report = {
  status: 'False',
  reason: 'ClusterUnreachable',
  message: 'the API server of kubeconfig Secret shop/us gives no answer',
};

const THREE = [deploy('prod', 'eu'), deploy('prod', 'us'), deploy('prod')];

function write(story: Story, entries: Deploy[]): void {
  story.edit(application(entries).spec);
}

/** The log is the expectation: read its diff as code. UPDATE_GOLDEN=1 rewrites it. */
it('an Application lives and dies as told in rollout.golden', () => {
  const story = new Story(application(THREE));
  story.chapter('An Application with three destinations is created');
  story.chapter('The engine begins with two of them', () => {
    story.report('eu-prod', running);
    story.report('prod', running);
  });
  story.chapter('All three are installed', () => {
    for (const destination of ['eu-prod', 'us-prod', 'prod']) story.report(destination, installed('prod'));
  });
  story.chapter('Member us gives no answer', () => story.report('us-prod', silent));
  story.chapter('Nothing happens');
  story.chapter('Member us is back', () => story.report('us-prod', installed('prod')));
  const edited = deploy('prod', 'eu', { values: { replicas: 2 } });
  story.chapter('The values of eu are edited', () => write(story, [edited, ...THREE.slice(1)]));
  story.chapter('The engine upgraded eu', () => story.report('eu-prod', installed('prod', 2)));
  story.chapter('The entry of us is removed', () => write(story, [edited, deploy('prod')]));
  story.chapter('The engine uninstalled us', () => story.uninstalled('us-prod'));
  story.chapter('The list of destinations is emptied by mistake', () => write(story, []));
  story.chapter('The mistake is mended', () => write(story, [edited, deploy('prod')]));
  story.chapter('The Application is deleted', () => story.remove());
  story.chapter('The engine uninstalled eu', () => story.uninstalled('eu-prod'));
  story.chapter('The engine cannot uninstall the last one', () =>
    story.report('prod', { status: 'False', reason: 'UninstallFailed', message: 'hook job/cleanup failed' }),
  );
  story.chapter('The engine uninstalled the last one', () => story.uninstalled('prod'));
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(GOLDEN, story.log);
  expect(story.log).toBe(readFileSync(GOLDEN, 'utf8'));
});
