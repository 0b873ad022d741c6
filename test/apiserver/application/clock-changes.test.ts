import { describe, expect, it } from '@jest/globals';
import { deploy, SOURCE } from '../../unit/application/model/builders.js';
import { eventually } from '../../support/world.js';
import { useHarness } from './harness.js';

/** Runs on as the clock of the machine does, from another time. */
class ShiftedClock {
  #shiftMs = 0;

  readonly now = (): number => Date.now() + this.#shiftMs;

  set(time: string): void {
    this.#shiftMs = Date.parse(time) - Date.now();
  }
}

/** Half past two at night, which a change of the clocks of Berlin skips in spring, and repeats in autumn. */
const WINDOWS = [{ schedule: '30 2 * * *', duration: '10m', timeZone: 'Europe/Berlin' }];

describe('a maintenance window across a change of the clocks, on a real API server', () => {
  const clock = new ShiftedClock();
  const harness = useHarness({ now: clock.now });

  const put = (name: string, image: string) => {
    const wanted = harness.wanted(name, []);
    const chart = { chart: 'podinfo', version: '6.7.1' };
    const config = { helmRelease: { chart, deploy: [deploy('prod', 'eu', { values: { image } })] } };
    const fluxApp = { spec: { source: SOURCE, config } };
    return harness.apply({ ...wanted, spec: { ...wanted.spec, rollout: { windows: WINDOWS }, fluxApp } });
  };
  const imagesOf = async (name: string) => (await harness.childrenOf(name)).map(({ spec }) => spec['values']);
  const eventuallyAwaitsWindow = (name: string, revision: number) =>
    eventually(async () => {
      const { status } = await harness.read(name);
      expect(status?.rollout).toMatchObject({ revision, phase: 'AwaitingWindow' });
    });
  const eventuallyRuns = (name: string, image: string) =>
    eventually(async () => expect(await imagesOf(name)).toEqual([{ image }]));

  it('opens after the hour that is skipped in spring', async () => {
    clock.set('2026-03-29T00:59:52Z');
    await put('spring', 'a');
    await eventuallyAwaitsWindow('spring', 1);
    expect(await imagesOf('spring')).toEqual([]);
    await eventuallyRuns('spring', 'a');
    expect(clock.now()).toBeGreaterThanOrEqual(Date.parse('2026-03-29T01:00:00Z'));
    expect(clock.now()).toBeLessThan(Date.parse('2026-03-29T01:10:00Z'));
  });

  it('opens once in the hour that comes twice in autumn', async () => {
    clock.set('2026-10-25T00:29:52Z');
    await put('autumn', 'a');
    await eventuallyAwaitsWindow('autumn', 1);
    expect(await imagesOf('autumn')).toEqual([]);
    await eventuallyRuns('autumn', 'a');
    expect(clock.now()).toBeGreaterThanOrEqual(Date.parse('2026-10-25T00:30:00Z'));

    // The same time by the clock on the wall, an hour later.
    clock.set('2026-10-25T01:30:30Z');
    await put('autumn', 'b');
    await eventuallyAwaitsWindow('autumn', 2);
    expect(await imagesOf('autumn')).toEqual([{ image: 'a' }]);

    clock.set('2026-10-26T01:30:30Z');
    await harness.passAfter('autumn', () => harness.annotate('autumn', { note: 'read by nobody' }));
    await eventuallyRuns('autumn', 'b');
  });
});
