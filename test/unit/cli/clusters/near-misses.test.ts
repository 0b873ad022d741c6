import { expect, test } from '@jest/globals';
import { nearMissText } from '#cli/inspect/clusters.js';

const LABEL = 'gitops.kubesphere.io/cluster';

test.each<[labels: Record<string, string>, text: string | undefined]>([
  [{ [LABEL]: 'true' }, undefined],
  [{ [LABEL]: 'true', [`${LABEL}s`]: 'true' }, undefined],
  [{ env: 'prod' }, undefined],
  [{ [LABEL]: 'True' }, `${LABEL}=True`],
  [{ [LABEL]: '' }, `${LABEL}=`],
  [{ [`${LABEL}s`]: 'true' }, `${LABEL}s=true`],
])('a Secret with the labels %j', (labels, shown) => {
  const text = nearMissText({ metadata: { namespace: 'shop', name: 'eu', labels } });
  const sentence = `Secret shop/eu has the label ${shown ?? ''}, so it is no cluster: only ${LABEL}=true makes it one.`;
  expect(text).toBe(shown === undefined ? undefined : sentence);
});
