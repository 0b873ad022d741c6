import { describe, expect, it } from '@jest/globals';
import { rowsWith, valueRows } from '#console/web/application/model/value-rows.js';
import type { GroupView } from '#queries/answers/plans.js';

const ENTRY = 'spec.fluxApp.spec.config.helmRelease.deploy[0]';
const GROUP: GroupView = {
  ...{ entry: ENTRY, kind: 'HelmRelease', clusters: ['eu', 'us'], state: 'Explained', reason: '', message: '' },
  fields: [{ path: ['interval'], value: '5m', from: ENTRY, overrode: { value: '10m', from: 'default' } }],
  values: [
    {
      path: ['image', 'tag'],
      value: '<b>1.5</b>',
      from: `${ENTRY}.values`,
      overrode: { from: 'HelmTemplate shop/web' },
    },
    {
      path: ['env', 'a.b'],
      perCluster: [
        { cluster: 'eu', value: 1 },
        { cluster: 'us', value: 2 },
      ],
      ...{ from: `${ENTRY}.values`, expression: '${{ cluster.labels.size }}' },
    },
  ],
  notRead: ['Secret web'],
};

describe('the rows of a group', () => {
  it('have fields and values as the command line has them', () => {
    expect(valueRows(GROUP)).toEqual([
      {
        ...{ key: 'interval', values: [{ cluster: '', text: '"5m"' }], from: 'entry', expression: '' },
        overrode: '"10m" of default',
      },
      {
        ...{ key: 'values.image.tag', values: [{ cluster: '', text: '"<b>1.5</b>"' }], from: 'values' },
        ...{ expression: '', overrode: 'HelmTemplate shop/web' },
      },
      {
        key: 'values.env["a.b"]',
        values: [
          { cluster: 'eu', text: '1' },
          { cluster: 'us', text: '2' },
        ],
        ...{ from: 'values', expression: '${{ cluster.labels.size }}', overrode: '' },
      },
    ]);
  });

  it.each([
    ['', ['interval', 'values.image.tag', 'values.env["a.b"]']],
    ['TAG', ['values.image.tag']],
    ['<b>', ['values.image.tag']],
    ['labels.size', ['values.env["a.b"]']],
    ['10m', ['interval']],
    ['helmtemplate', ['values.image.tag']],
    ['nothing', []],
  ])('are found by %j', (search, expected) => {
    expect(rowsWith(search, valueRows(GROUP)).map(({ key }) => key)).toEqual(expected);
  });
});
