import { beforeAll, describe, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import { eventually } from '../../support/world.js';
import { deploy, type Deploy } from '../../unit/application/model/builders.js';
import { useHarness } from './harness.js';

const DESTINATIONS = 1_000;
/** More than are listed in the status. */
const FAILED = 250;
const BIG = 'big';
/** Changes of a thousand children are gathered for so long. */
const GATHERING_MS = 2_000;
/** Children that report one after another, and the pause after each: longer than a pass takes. */
const REPORTING = { children: 24, pauseMs: 250 };
/** All children are written in a few seconds on a free machine; a busy one may take its time. */
const PATIENCE_MS = 180_000;

/** A thousand destinations; the values of the first one are `edit`. */
function entries(edit: number): Deploy[] {
  return Array.from({ length: DESTINATIONS }, (_, index) =>
    deploy(`team-${String(index).padStart(4, '0')}`, index % 2 === 0 ? 'eu' : 'us', {
      values: { replicas: index === 0 ? edit : 1, host: `${index}.example.org` },
    }),
  );
}

describe('an Application with a thousand destinations', () => {
  const harness = useHarness();

  /** What the controller wrote since, once no pass is under way and none comes of what is still gathered. */
  const settled = async (since: number): Promise<string[]> => {
    for (let before = -1; ;) {
      await harness.passes.atRest();
      const now = await harness.writes(since);
      if (now.length === before) return now;
      before = now.length;
      await new Promise((resolve) => setTimeout(resolve, GATHERING_MS + 1_000));
    }
  };
  const onApplication = (writes: readonly string[]): string[] => writes.filter((each) => each.includes('applications'));
  const onChildren = (writes: readonly string[]): string[] => writes.filter((each) => each.includes('helmreleases'));

  beforeAll(async () => {
    await harness.put(BIG, entries(1));
    await eventually(async () => expect(await harness.childrenOf(BIG)).toHaveLength(DESTINATIONS), {
      timeoutMs: PATIENCE_MS,
      intervalMs: 2_000,
    });
    const limit = pLimit(8);
    const children = (await harness.childrenOf(BIG)).slice(-FAILED);
    const failure = 'context deadline exceeded: '.repeat(40);
    await Promise.all(children.map((child) => limit(() => harness.report(child, 'False', 'InstallFailed', failure))));
    await eventually(
      async () => expect((await harness.read(BIG)).status?.summary?.states).toMatchObject({ failed: FAILED }),
      { timeoutMs: PATIENCE_MS, intervalMs: 2_000 },
    );
  }, 2 * PATIENCE_MS);

  it('keeps its status under 100 KB although every listed destination has a long story', async () => {
    const { status } = await harness.read(BIG);
    expect(Buffer.byteLength(JSON.stringify(status))).toBeLessThan(100_000);
    expect(status).toMatchObject({ truncated: true, summary: { desired: DESTINATIONS, ready: '0/1000' } });
  });

  it('answers the edit of one entry with one write of a child and at most two of its own', async () => {
    const since = await harness.position(BIG);
    await harness.put(BIG, entries(2));
    await eventually(async () => expect(onChildren(await harness.writes(since))).not.toEqual([]), {
      timeoutMs: 90_000,
    });
    const writes = await settled(since);
    expect(onChildren(writes)).toEqual(['patch helmreleases']);
    expect(onApplication(writes).length).toBeLessThanOrEqual(2);
    expect((await harness.read(BIG)).status?.summary?.states).toMatchObject({ failed: FAILED });
  });

  it('answers a label with no write at all', async () => {
    const since = await harness.position(BIG);
    const wanted = harness.wanted(BIG, entries(2));
    const labels = { team: 'blue' };
    await harness.passAfter(BIG, () => harness.apply({ ...wanted, metadata: { ...wanted.metadata, labels } }));
    expect(await settled(since)).toEqual([]);
  });

  it('gathers what children report one after another into few writes, and misses none', async () => {
    const children = (await harness.childrenOf(BIG)).slice(0, REPORTING.children);
    const [since, startedAt] = [await harness.position(BIG), performance.now()];
    for (const child of children) {
      await harness.report(child, 'True', 'InstallSucceeded');
      await new Promise((resolve) => setTimeout(resolve, REPORTING.pauseMs));
    }
    await eventually(
      async () =>
        expect((await harness.read(BIG)).status?.summary?.ready).toBe(`${REPORTING.children}/${DESTINATIONS}`),
      { timeoutMs: 90_000 },
    );
    const elapsedMs = performance.now() - startedAt;
    const writes = onApplication(await settled(since));
    // A pass writes at most labels and status; one may have begun before, and one comes after. Of the reports, there are
    // 24 in a few seconds.
    expect(writes.length).toBeLessThanOrEqual(2 * (elapsedMs / GATHERING_MS + 2));
  });
});
