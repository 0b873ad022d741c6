import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import type { Kube } from '#runtime/client/kube.js';
import { startFaultProxy, statusAnswer, type FaultProxy } from '../../support/proxy.js';
import { eventually, useWorld } from '../../support/world.js';
import { deploy } from '../../unit/application/model/builders.js';
import { TemplateHarness } from './harness.js';

const LABEL = 'gitops.kubesphere.io/save-helmtemplate';
const NAME = 'web';

let proxy: FaultProxy;
let through: Kube;
let on: TemplateHarness;
let catchUp: () => void;

/** Lets the cache of templates have its first list, and no change. */
function holdBack({ http, tcp }: FaultProxy): () => void {
  const isWatch = (path: string): boolean => path.includes('/helmtemplates?') && path.includes('watch=true');
  const faults = [
    http.inject({
      match: ({ path }) => isWatch(path) && path.includes('sendInitialEvents'),
      answer: statusAnswer(422, { reason: 'Invalid' }),
    }),
    http.inject({ match: ({ path }) => isWatch(path), silent: true }),
  ];
  return () => {
    for (const restore of faults) restore();
    tcp.cut();
  };
}

function wanted(labels: Record<string, string>): Application {
  const { metadata, ...base } = on.applications.wanted(NAME, [deploy('apps')]);
  return { ...base, metadata: { ...metadata, labels } };
}

beforeAll(async () => {
  proxy = await startFaultProxy((await useWorld()).host);
  through = proxy.kube();
  catchUp = holdBack(proxy);
  on = await TemplateHarness.start({ withTemplates: false, through });
});

afterAll(async () => {
  await on.stop();
  await through.close();
  await proxy.close();
});

test('an Application that is saved overwrites no template that the cache has not heard of', async () => {
  await on.applications.apply(wanted({}));
  await on.applications.becomes(NAME, 'Unknown', 'DestinationsNotReady');
  const template = `${on.applications.namespace}-${NAME}`;
  // Not one field of it is in the way of what would be saved.
  const theirs = await on.template(template, { chart: { chart: 'podinfo' }, values: { theirs: true } });
  await on.applications.apply(wanted({ [LABEL]: 'true' }));
  const isConflict = () =>
    eventually(async () => {
      const saved = await on.condition(NAME, 'TemplateSaved');
      expect(saved).toMatchObject({ status: 'False', reason: 'TemplateConflict' });
    });
  await isConflict();
  catchUp();
  await isConflict();
  const isTried = ({ method, path }: (typeof proxy.http.seen)[number]): boolean =>
    method === 'PATCH' && path.includes(`/helmtemplates/${template}`);
  expect(proxy.http.seen.filter(isTried)).toEqual([]);
  expect((await on.find(template))?.spec).toEqual(theirs.spec);
});
