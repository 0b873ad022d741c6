import { expect, it } from '@jest/globals';
import type { Child } from '#controllers/application/model/child/types.js';
import { validate } from '#controllers/application/model/destinations/validate.js';
import { application, applied, decide, NO_TEMPLATES, reporting } from '../builders.js';
import { central, inventory, own, selecting } from './builders.js';

it.each([0, 1])('clusters of two kinds and one name have a row each, with its own chart: %i fails', (which) => {
  const app = application([selecting({ env: 'prod' })]);
  const clusters = inventory([own('prod', { env: 'prod' }), central('prod', { env: 'prod', granted: 'yes' })]);
  const validation = validate(app, { templates: NO_TEMPLATES, clusters }, { allowCrossNamespace: false });
  if (validation === 'pending') throw new Error('nothing is known of the templates');
  const seen = { application: app, validation, clusters };
  const owned = applied([], decide(seen).steps).map((child) => reporting(child, 'False', 'SourceNotReady', 'no chart'));
  const [failing] = owned.slice(which);
  const chart = reporting({ ...failing!, kind: 'HelmChart' }, 'False', 'ChartPullError', 'no such chart');
  const chartOf = (child: Child) => (child.metadata.name === failing!.metadata.name ? chart : undefined);
  const plan = decide({ ...seen, owned, chartOf });
  const outcomes = plan.steps.map((step) => ({ step, child: 'live' in step ? step.live : undefined }));
  const rows = plan.rowsAfter(outcomes) ?? [];
  const states = rows.map(({ child, state }) => [child?.metadata.name, state]);
  expect(Object.fromEntries(states)).toEqual(
    Object.fromEntries(owned.map(({ metadata }, index) => [metadata.name, index === which ? 'Failed' : 'Pending'])),
  );
});
