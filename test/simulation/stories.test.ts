import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import type { HelmTemplateSpec } from '#api/v1alpha1/helm-template.js';
import { application, deploy, type Deploy } from '../unit/application/model/builders.js';
import { Story, type Report } from './story.js';

const GOLDEN = path.resolve('test/simulation/stories.golden');

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
const ALL = ['eu-prod', 'us-prod', 'prod'];

function write(story: Story, entries: Deploy[]): void {
  story.edit(application(entries).spec);
}

function ready(story: Story): void {
  story.chapter('An Application with three destinations is created');
  story.chapter('All three are installed', () => ALL.forEach((each) => story.report(each, installed('prod'))));
}

function rollout(): Story {
  const story = new Story(application(THREE));
  story.chapter('An Application with three destinations is created');
  story.chapter('The engine begins with two of them', () => {
    story.report('eu-prod', running);
    story.report('prod', running);
  });
  story.chapter('The first one is installed', () => story.report('eu-prod', installed('prod')));
  story.chapter('All three are installed', () => ALL.forEach((each) => story.report(each, installed('prod'))));
  const edited = deploy('prod', 'eu', { values: { replicas: 2 } });
  story.chapter('The values of eu are edited', () => write(story, [edited, ...THREE.slice(1)]));
  story.chapter('The engine upgraded eu', () => story.report('eu-prod', installed('prod', 2)));
  story.chapter('The entry of us is removed', () => write(story, [edited, deploy('prod')]));
  story.chapter('The engine uninstalled us', () => story.uninstalled('us-prod'));
  story.chapter('The list of destinations is emptied by mistake', () => write(story, []));
  story.chapter('The mistake is mended', () => write(story, [edited, deploy('prod')]));
  return story;
}

function lostMember(): Story {
  const story = new Story(application(THREE));
  ready(story);
  story.chapter('Member us gives no answer', () => story.report('us-prod', silent));
  story.chapter('Nothing happens');
  story.chapter('Member eu gives no answer either', () => story.report('eu-prod', silent));
  story.chapter('Member us is back', () => story.report('us-prod', installed('prod')));
  story.chapter('Member eu is back', () => story.report('eu-prod', installed('prod')));
  return story;
}

function template(version: string): HelmTemplateSpec {
  const sourceRef = { kind: 'HelmRepository', name: 'charts', namespace: 'shop' } as const;
  return { sourceRef, chart: { chart: 'podinfo', version }, values: { replicas: 2 } };
}

function mendedTemplate(): Story {
  const using = application([]);
  const spec = { config: { helmRelease: { template: 'base', deploy: THREE } } };
  const story = new Story({ ...using, spec: { kind: 'fluxcd', fluxApp: { spec } } });
  story.chapter('An Application uses a template that does not exist');
  story.chapter('The template is created', () => story.template(template('1.x')));
  story.chapter('All three are installed', () => ALL.forEach((each) => story.report(each, installed('prod'))));
  story.chapter('The template is broken', () =>
    story.template(template('one'), 'spec.chart.version: "one" is no range'),
  );
  story.chapter('The template is fixed', () => story.template(template('2.x')));
  return story;
}

function renamedEntry(): Story {
  const story = new Story(application(THREE));
  ready(story);
  const others = THREE.slice(1);
  const named = (name: string, releaseName?: string): Deploy =>
    deploy('prod', 'eu', { name, ...(releaseName === undefined ? {} : { releaseName }) });
  story.chapter('The entry of eu is given a name', () => write(story, [named('main'), ...others]));
  story.chapter('The engine looked', () => story.report('eu-prod', installed('prod')));
  story.chapter('The entry is renamed', () => write(story, [named('first'), ...others]));
  story.chapter('The entry has another release name', () => write(story, [named('first', 'shop'), ...others]));
  story.chapter('The user approves the uninstall', () => story.approveRemovals());
  return story;
}

function deletion(): Story {
  const story = new Story(application(THREE));
  ready(story);
  story.chapter('The Application is deleted', () => story.remove());
  story.chapter('The engine uninstalled eu and us', () => ALL.slice(0, 2).forEach((each) => story.uninstalled(each)));
  story.chapter('The engine cannot uninstall the last one', () =>
    story.report('prod', { status: 'False', reason: 'UninstallFailed', message: 'hook job/cleanup failed' }),
  );
  story.chapter('The engine uninstalled the last one', () => story.uninstalled('prod'));
  return story;
}

const STORIES: Readonly<Record<string, () => Story>> = {
  'Rollout to three destinations': rollout,
  'Members are lost and come back': lostMember,
  'A template is fixed': mendedTemplate,
  'An entry is renamed': renamedEntry,
  'An Application is deleted': deletion,
};

/** The log is the expectation: read its diff as code. UPDATE_GOLDEN=1 rewrites it. */
it('five Applications live and die as told in stories.golden', () => {
  const told = Object.entries(STORIES).map(([title, tell]) => `== ${title}\n\n${tell().log}`);
  const log = told.join('\n');
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(GOLDEN, log);
  expect(log).toBe(readFileSync(GOLDEN, 'utf8'));
});
